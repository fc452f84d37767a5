//! Layer 4: the register file and the operands.

use super::{
    super::{
        expr::{Expr, all, is, one, zero},
        net::Net,
        prompt::Limit,
    },
    decode::Decoded,
    input::Input,
};

/// Operands, from layer 5 on.
pub(super) struct Operands {
    /// The first: 64 bits.
    pub a: Vec<Expr>,
    /// The second, complemented where the gate says so.
    pub b: Vec<Expr>,
    /// What a store, or a cell of the prompt, writes: eight bytes.
    pub stored: Vec<Expr>,
    /// What a jump adds to the next slot's number.
    pub distance: Vec<Expr>,
    /// Slots of the text.
    pub text_length: Vec<Expr>,
}

/// Bits of the text's offset in the program region.
const TEXT_BITS: usize = 24;
/// The frame pointer's register, and its fixed bits: the stack's address, and a frame's end.
const FRAME_POINTER: usize = 10;
const STACK_BIT: usize = 33;
const FRAME_BIT: usize = 12;

/// One row for each value of the bits.
pub(super) fn rows_of(bits: &[Expr]) -> Vec<Expr> {
    (0..1 << bits.len()).map(|value| is(bits, value)).collect()
}

/// Whether this token completes a limit.
pub(super) fn completes(input: &Input, limit: Limit) -> Expr {
    all([&input.limit, &is(&input.pc[..5], usize::from(limit.index()))])
}

/// Whether this token completes a register's new value: at least 1 then, else at most 0.
pub(super) fn completes_register(input: &Input, decoded: &Decoded) -> Expr {
    let restoring = input.restoring.iter().fold(zero(), |total, bit| total + bit);
    &input.last + &decoded.gates.writes + restoring - 1.0 + &input.register * 2.0
}

pub(super) fn read(net: &mut Net, input: &Input, decoded: &Decoded) -> Operands {
    let g = &decoded.gates;
    let pc_bits = net.shape.pc_bits;
    let write = completes_register(input, decoded);
    let port = |net: &mut Net, slot, name, bits: &[Expr]| {
        let keys = (rows_of(bits), rows_of(&decoded.written));
        net.rows(4, slot, name, keys, vec![(input.staged.clone(), write.clone(), vec![0; 64])]).concat()
    };
    let d = port(net, 0, "first operand", &decoded.first);
    let x = port(net, 1, "second operand", &decoded.source);
    let constants = vec![
        (input.staged[..TEXT_BITS].to_vec(), completes(input, Limit::TextOffset), vec![0; TEXT_BITS]),
        (input.staged[..pc_bits].to_vec(), completes(input, Limit::TextLength), vec![0; pc_bits]),
    ];
    let mut read = net.rows(4, 3, "text", (vec![one()], vec![one()]), constants).into_iter();
    let (text, length) = (read.next().unwrap_or_default(), read.next().unwrap_or_default());
    let text_length = net.settle(4, length);

    let a = net.bits("a", 64);
    let b = net.bits("b", 64);
    let stored = net.bits("stored bit", 64);
    let sign = one() - &(&g.negate * 2.0);
    for i in 0..64 {
        // What a read may leave a little off 1 stands alone in the gate, and what it is multiplied by is exact.
        let first = [&g.use_first, &g.first_middle, &g.first_upper, &g.first_upper][i / 16];
        let source = [&g.source_lower, &g.source_upper][i / 32];
        net.clip(4, &d[i], first, &[(&a[i], 1.0)]);
        net.clip(4, &x[i], source, &[(&b[i], 1.0)]);
        net.clip(4, &x[i], &g.store_register, &[(&stored[i], 1.0)]);
        net.relu(4, &all([&input.staged[i], &input.cell]), &[(&stored[i], 1.0)]);
    }
    for i in 0..32 {
        let bit = &decoded.immediate[i];
        net.unit(4, &(bit + &g.use_immediate + &g.wide - 1.0), &sign, &[(&b[i], 1.0)]);
        net.relu(4, &all([&decoded.second[i], &g.wide]), &[(&b[32 + i], 1.0)]);
        let to = if i < 31 { &stored[i..=i] } else { &stored[31..] };
        let outs: Vec<_> = to.iter().map(|bit| (bit, 1.0)).collect();
        net.relu(4, &all([bit, &g.store_immediate]), &outs);
    }
    let extended: Vec<_> = b[32..].iter().map(|bit| (bit, 1.0)).collect();
    net.unit(4, &(&decoded.immediate[31] + &g.use_immediate - 1.0 - &g.half), &sign, &extended);
    for i in 0..16 {
        let to = if i < 15 { &b[i..=i] } else { &b[15..] };
        let outs: Vec<_> = to.iter().map(|bit| (bit, 1.0)).collect();
        net.relu(4, &all([&decoded.offset[i], &g.use_offset]), &outs);
    }
    // A call by register subtracts the address of the text.
    for (i, bit) in text.iter().enumerate() {
        net.clip(4, bit, &g.call_register, &[(&b[i], -1.0)]);
    }
    net.unit(4, &g.call_register, &sign, &[(&b[32], 1.0)]);
    let all_of_b: Vec<_> = b.iter().map(|bit| (bit, 1.0)).collect();
    net.relu(4, &g.negate, &all_of_b);

    frame_pointer(net, input, decoded, (&a, &b, &stored), &sign);

    let distance = net.bits("distance", pc_bits);
    for (i, bit) in distance.iter().enumerate() {
        net.relu(4, &all([&decoded.offset[i], &g.jump]), &[(bit, 1.0)]);
    }
    net.relu(4, &g.wide, &[(&distance[0], 1.0)]);
    let stored = net.combine(5, "stored", &stored, 8);
    Operands { a, b, stored, distance, text_length }
}

/// r10 is not kept: it follows from the depth of calls.
fn frame_pointer(
    net: &mut Net,
    input: &Input,
    decoded: &Decoded,
    (a, b, stored): (&[Expr], &[Expr], &[Expr]),
    sign: &Expr,
) {
    let g = &decoded.gates;
    let first = is(&decoded.first, FRAME_POINTER);
    let source = is(&decoded.source, FRAME_POINTER);
    let fixed = [(FRAME_BIT, None), (STACK_BIT, None)];
    let variable = input.depth.iter().enumerate().map(|(i, bit)| (FRAME_BIT + 1 + i, Some(bit)));
    for (at, condition) in fixed.into_iter().chain(variable) {
        let upper = if at >= 32 { g.half.clone() } else { zero() };
        let when = |register: &Expr, gate: &Expr| {
            let bit = condition.map_or(zero(), |bit| bit - 1.0);
            register + gate - 1.0 + bit
        };
        net.relu(4, &(when(&first, &g.use_first) - &upper), &[(&a[at], 1.0)]);
        net.unit(4, &(when(&source, &g.use_source) - &upper), sign, &[(&b[at], 1.0)]);
        net.relu(4, &when(&source, &g.store_register), &[(&stored[at], 1.0)]);
    }
}
