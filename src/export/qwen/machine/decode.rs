//! Layer 3: the instruction is found by its slot, and its operation becomes named gates.

use super::{
    super::{
        expr::{Expr, all, is, literals, one, sum, zero},
        net::Net,
        tokens::{FIRST_SAVED, SAVED},
    },
    input::Input,
};

macro_rules! gates {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// Columns that are 1 for the operations they name.
        pub(super) struct Gates { $($(#[$doc])* pub $name: Expr),* }
        impl Gates {
            fn new(net: &mut Net) -> Self {
                Self { $($name: net.bit(concat!("gate.", stringify!($name)))),* }
            }
        }
    };
}

gates! {
    /// There is such an operation.
    known,
    /// It has a result that is sent at once; a division's is not.
    result,
    /// It writes a register.
    writes,
    /// Operands: the second is a register or the immediate; the first is a register.
    use_source, use_immediate, use_offset, use_first,
    /// The second operand is complemented and one more is added.
    negate,
    /// The first operand's bits 16 to 31 count, and 32 to 63.
    first_middle, first_upper,
    /// The second operand is a register: 1, or -1 where it is complemented; and for bits 32 to 63.
    source_lower, source_upper,
    /// Only the low half counts; the result keeps its sign.
    half, signed,
    /// Only 16 bits of the first operand count.
    low16,
    and, or, xor, add, mul, left, right, arithmetic, div, rem, swap16, swap32, swap64,
    /// Two slots.
    wide,
    load, store_immediate, store_register,
    size1, size2, size4, size8,
    /// Jumps, and which.
    jump, always, eq, ne, set, gt, ge, lt, le, sgt, sge, slt, sle,
    call, call_register, exit,
}

/// A decoded instruction.
pub(super) struct Decoded {
    pub gates: Gates,
    /// The slot was sent; the one after it was.
    pub sent: Expr,
    pub second_sent: Expr,
    pub offset: Vec<Expr>,
    pub immediate: Vec<Expr>,
    /// Immediate of the slot after this one.
    pub second: Vec<Expr>,
    /// Registers: read as the first operand, read as the second, written. Four bits each.
    pub first: Vec<Expr>,
    pub source: Vec<Expr>,
    pub written: Vec<Expr>,
    /// One over one more than the number of instructions so far: a fraction.
    pub share: Expr,
}

const CALL: usize = 0x85;
const CALL_REGISTER: usize = 0x8d;
const EXIT: usize = 0x95;

pub(super) fn decode(net: &mut Net, input: &Input) -> Decoded {
    let slot = net.bits("instruction", 64);
    let second = net.bits("second", 32);
    let [sent, second_sent] = ["sent", "second_sent"].map(|name| net.bit(name));
    let mut value = input.staged.clone();
    value.push(input.slot.clone());
    let mut whole: Vec<_> = slot.iter().enumerate().map(|(i, bit)| (bit, i)).collect();
    whole.push((&sent, 64));
    let mut upper: Vec<_> = second.iter().enumerate().map(|(i, bit)| (bit, 32 + i)).collect();
    upper.push((&second_sent, 64));
    net.find(
        3,
        (0, &input.pc, &input.slot),
        &input.first,
        value,
        &[(0, &input.pc, whole), (1, &input.next_pc, upper)],
    );

    // Uniform attention over the heads of instructions and the first token, of whose flag it takes the mean.
    let share = net.fraction("share", 1.0);
    let counted = &input.head + &input.first;
    net.memory(3, 1, vec![counted.clone(), 1.0 - counted], 0.0, vec![input.first.clone()]);
    let head = net.shape.query_heads / net.shape.memory_heads;
    net.query(3, head, vec![zero(), -one()], 0.0, &[(&share, 0)]);

    let gates = Gates::new(net);
    let opcode = &slot[..8];
    let running = &input.running;
    operations(net, &gates, opcode, &slot[32..64], running, &input.restoring);

    // Which registers.
    let (destination, source_field, immediate) = (&slot[8..12], &slot[12..16], &slot[32..64]);
    let first = net.bits("first register", 4);
    let source = net.bits("source register", 4);
    let written = net.bits("written register", 4);
    let load = [0x61, 0x69, 0x71, 0x79];
    let negate = [0x84, 0x87];
    for i in 0..4 {
        let and = |bit: &Expr, operation: Option<usize>| {
            let mut conditions = vec![bit.clone(), running.clone()];
            conditions.extend(operation.iter().flat_map(|code| literals(opcode, *code)));
            all(&conditions)
        };
        net.relu(3, &and(&destination[i], None), &[(&first[i], 1.0), (&written[i], 1.0)]);
        net.relu(3, &and(&source_field[i], None), &[(&source[i], 1.0)]);
        // Instead of the destination, a load's address is in the source, a call's in the immediate, and
        // the end of the program reads r0.
        for code in load.into_iter().chain([CALL_REGISTER, EXIT]) {
            net.relu(3, &and(&destination[i], Some(code)), &[(&first[i], -1.0)]);
        }
        for code in load {
            net.relu(3, &and(&source_field[i], Some(code)), &[(&first[i], 1.0)]);
        }
        net.relu(3, &and(&immediate[i], Some(CALL_REGISTER)), &[(&first[i], 1.0)]);
        net.relu(3, &and(&destination[i], Some(EXIT)), &[(&written[i], -1.0)]);
        // A negation takes its register as the second operand, from zero.
        for code in negate {
            net.relu(3, &and(&source_field[i], Some(code)), &[(&source[i], -1.0)]);
            net.relu(3, &and(&destination[i], Some(code)), &[(&source[i], 1.0)]);
        }
        net.relu(3, &all([&input.pc[i], &input.in_registers]), &[(&written[i], 1.0)]);
        for saved in (0..SAVED).filter(|saved| (FIRST_SAVED + saved) >> i & 1 == 1) {
            net.relu(3, &input.restoring[saved], &[(&written[i], 1.0)]);
        }
    }
    Decoded {
        gates,
        sent,
        second_sent,
        offset: slot[16..32].to_vec(),
        immediate: slot[32..64].to_vec(),
        second,
        first,
        source,
        written,
        share,
    }
}

/// Units that recognize the operation codes of version 0.
fn operations(
    net: &mut Net,
    g: &Gates,
    opcode: &[Expr],
    immediate: &[Expr],
    running: &Expr,
    restoring: &[Expr],
) {
    let mut operation = |code: usize, extra: Option<&Expr>, gates: &[&Expr]| {
        let condition =
            all(&[is(opcode, code), running.clone()].into_iter().chain(extra.cloned()).collect::<Vec<_>>());
        let has = |gate: &Expr| gates.iter().any(|on| std::ptr::eq(*on, gate));
        let mut outs: Vec<_> = gates.iter().chain(&[&g.known]).map(|gate| (*gate, 1.0)).collect();
        if has(&g.use_first) {
            outs.extend((!has(&g.low16)).then_some((&g.first_middle, 1.0)));
            outs.extend((!has(&g.half)).then_some((&g.first_upper, 1.0)));
        }
        if has(&g.use_source) {
            let sign = if has(&g.negate) { -1.0 } else { 1.0 };
            outs.push((&g.source_lower, sign));
            outs.extend((!has(&g.half)).then_some((&g.source_upper, sign)));
        }
        net.relu(3, &condition, &outs);
    };
    for (class, half) in [(4, true), (7, false)] {
        let binary: [(usize, &[&Expr]); 12] = [
            (0x0, &[&g.use_first, &g.add]),
            (0x1, &[&g.use_first, &g.add, &g.negate]),
            (0x2, &[&g.use_first, &g.mul]),
            (0x3, &[&g.use_first, &g.div]),
            (0x4, &[&g.use_first, &g.or]),
            (0x5, &[&g.use_first, &g.and]),
            (0x6, &[&g.use_first, &g.left]),
            (0x7, &[&g.use_first, &g.right]),
            (0x9, &[&g.use_first, &g.rem]),
            (0xa, &[&g.use_first, &g.xor]),
            (0xb, &[&g.or]),
            (0xc, &[&g.use_first, &g.arithmetic]),
        ];
        for (code, gates) in binary {
            for (from, operand) in [(0, &g.use_immediate), (8, &g.use_source)] {
                let mut on = gates.to_vec();
                on.extend([operand, &g.writes]);
                if !matches!(code, 0x3 | 0x9) {
                    on.push(&g.result);
                }
                if half {
                    on.push(&g.half);
                    if code < 3 {
                        on.push(&g.signed);
                    }
                }
                operation(class | from | code << 4, None, &on);
            }
        }
        let mut negation = vec![&g.use_source, &g.negate, &g.add, &g.result, &g.writes];
        if half {
            negation.push(&g.half);
        }
        operation(class | 0x80, None, &negation);
    }
    // Byte order: the width is in the immediate.
    let result = [&g.use_first, &g.result, &g.writes];
    for (code, bit, gates) in [
        (0xd4, 4, vec![&g.or, &g.half, &g.low16]),
        (0xd4, 5, vec![&g.or, &g.half]),
        (0xd4, 6, vec![&g.or]),
        (0xdc, 4, vec![&g.swap16]),
        (0xdc, 5, vec![&g.swap32]),
        (0xdc, 6, vec![&g.swap64]),
    ] {
        operation(code, Some(&immediate[bit]), &[&gates[..], &result].concat());
    }
    // A comparison complements the second operand, as a subtraction does; equal is "all bits differ then".
    let compare = [&g.xor, &g.negate];
    let conditions: [(usize, &Expr, &[&Expr]); 11] = [
        (0x1, &g.eq, &compare),
        (0x2, &g.gt, &compare),
        (0x3, &g.ge, &compare),
        (0x4, &g.set, &[&g.and]),
        (0x5, &g.ne, &compare),
        (0x6, &g.sgt, &compare),
        (0x7, &g.sge, &compare),
        (0xa, &g.lt, &compare),
        (0xb, &g.le, &compare),
        (0xc, &g.slt, &compare),
        (0xd, &g.sle, &compare),
    ];
    operation(0x05, None, &[&g.jump, &g.always]);
    for (code, condition, gates) in conditions {
        for (from, operand) in [(0, &g.use_immediate), (8, &g.use_source)] {
            operation(
                5 | from | code << 4,
                None,
                &[gates, &[condition, &g.jump, &g.use_first, operand]].concat(),
            );
        }
    }
    for (code, size) in [(0x00, &g.size4), (0x08, &g.size2), (0x10, &g.size1), (0x18, &g.size8)] {
        let address = [size, &g.use_first, &g.use_offset];
        operation(0x61 | code, None, &[&address[..], &[&g.load, &g.result, &g.writes]].concat());
        operation(0x62 | code, None, &[&address[..], &[&g.store_immediate]].concat());
        operation(0x63 | code, None, &[&address[..], &[&g.store_register]].concat());
    }
    operation(0x18, None, &[&g.wide, &g.or, &g.result, &g.writes]);
    operation(CALL, None, &[&g.call]);
    operation(CALL_REGISTER, None, &[&g.call_register, &g.use_first, &g.negate]);
    operation(EXIT, None, &[&g.exit]);
    // The result of the program is r0; while registers are restored there is none.
    let ends = is(opcode, EXIT) + running - 1.0 - sum(restoring);
    net.relu(3, &ends, &[&g.use_first, &g.first_middle, &g.first_upper, &g.or].map(|gate| (gate, 1.0)));
}
