//! Layers 14 to 21: which token comes next.

use super::{
    super::{
        expr::{Expr, all, is, not, number, sum},
        net::Net,
        tokens::{DEPTHS, Trap},
    },
    arithmetic::{ADDRESS_BITS, Arithmetic},
    calls::Calls,
    decode::Decoded,
    input::{Input, Output},
    memory::Access,
    multiply::Division,
    operands::Operands,
};

/// Everything that is known of this pass.
pub(super) struct Known<'a> {
    pub input: &'a Input,
    pub decoded: &'a Decoded,
    pub operands: &'a Operands,
    pub arithmetic: &'a Arithmetic,
    pub division: &'a Division,
    pub access: &'a Access,
    pub calls: &'a Calls,
}

/// Layers of the choices.
const CONDITIONS: usize = 16;
const VALUES: usize = 17;
const PAYLOAD: usize = 18;
const LAST_PAYLOAD: usize = 19;
const HIGH: usize = 20;
const LOW: usize = 21;

pub(super) fn emit(net: &mut Net, known: &Known, output: &Output) {
    let Known { input, decoded, arithmetic, division, access, calls, .. } = known;
    let g = &decoded.gates;
    let head = &input.head;
    let last = &input.last;
    let result = &arithmetic.result;
    let restoring = sum(&input.restoring);

    // ---- Layer 14
    let [outermost, deepest, returned] = ["outermost", "deepest", "returned"].map(|name| net.bit(name));
    net.relu(14, &is(&input.depth, 0), &[(&outermost, 1.0)]);
    net.relu(14, &is(&input.depth, DEPTHS - 1), &[(&deepest, 1.0)]);
    net.relu(14, &all([&input.is_depth, &g.exit]), &[(&returned, 1.0)]);
    net.relu(14, &all([last, &restoring]), &[(&returned, 1.0)]);

    // ---- Layer 16: conditions
    let extend = net.bit("extend");
    net.step(CONDITIONS, &(&result[3] - 256.0 + &g.signed * 256.0), 128.0, &[(&extend, 1.0)]);
    let names = [
        "to next",
        "to target",
        "to return",
        "to function",
        "to address",
        "limb",
        "deeper",
        "shallower",
        "place",
    ];
    let [next, target, back, function, address, limb, deeper, shallower, quotient] =
        names.map(|name| net.bit(name));
    let mut when = |condition: Expr, to: &Expr| net.relu(CONDITIONS, &condition, &[(to, 1.0)]);
    let places = sum(&division.place);
    when(head + &g.jump - 1.0 - &arithmetic.taken, &next);
    when(head + &access.stores - 1.0 - &access.crosses, &next);
    when(input.is_upper.clone(), &next);
    when(last - &g.exit - &g.wide - &restoring, &next);
    when(arithmetic.taken.clone(), &target);
    when(all([last, &g.wide]), &target);
    when(&returned - &sum(&calls.differs), &back);
    when(all([&input.is_depth, &g.call]), &function);
    when(all([&input.is_depth, &g.call_register]), &address);
    when(all([head, &g.result]), &limb);
    when(head + &g.div + &g.rem - 1.0 - &places, &limb);
    when(&input.is_quotient - &sum(&input.data[4..8]), &limb);
    when(input.is_more.clone(), &limb);
    when(input.is_restore.clone(), &limb);
    when(all([head, &g.exit, &outermost]), &limb);
    when(head + &g.call + &g.call_register - 1.0, &deeper);
    when(head + &g.exit - 1.0 - &outermost, &shallower);
    when(places, &quotient);
    when(all([head, &access.stores, &access.crosses]), &output.upper);
    when(all([last, &g.exit]) - &restoring, &output.end);
    for (i, differs) in calls.differs.iter().enumerate() {
        when(&returned + differs - 1.0 - sum(&calls.differs[..i]), &output.restore[i]);
    }
    traps(net, known, &deepest, output);

    // ---- Layer 17: the register that gets its value back
    for (gate, bytes) in input.restoring.iter().zip(&calls.saved) {
        for (byte, to) in bytes.iter().zip(result) {
            net.unit(VALUES, gate, byte, &[(to, 1.0)]);
        }
    }

    // ---- Layers 18 and 19: payload and kind
    let payload = net.numbers("payload", 2, 255.0);
    let value = |j: usize| if j < 4 { result[j].clone() } else { &result[j] + &(&extend * 255.0) };
    let bytes = net.shape.limb_bits / 8;
    for n in 0..net.shape.limbs() {
        let gate = if n == 0 { &limb - &input.is_more } else { input.after[n - 1].clone() };
        for (byte, to) in payload.iter().take(bytes).enumerate() {
            net.unit(PAYLOAD, &gate, &value(n * bytes + byte), &[(to, 1.0)]);
        }
        let above = ((n + 1) * bytes..8).fold(gate.clone() * 2048.0 - 2048.0, |total, j| total + value(j));
        net.step(PAYLOAD, &above, 1.0, &[(&output.more, 1.0), (&output.last, -1.0)]);
        if let Some(index) = output.index.get(n) {
            net.relu(PAYLOAD, &gate, &[(index, 1.0)]);
        }
    }
    net.relu(PAYLOAD, &limb, &[(&output.last, 1.0)]);
    let pc_bits = input.pc.len();
    let sources = [
        (&next, &input.next_pc),
        (&target, &arithmetic.target),
        (&back, &calls.return_to),
        (&function, &calls.function),
        (&address, &arithmetic.sum[3..3 + pc_bits].to_vec()),
    ];
    for (gate, bits) in sources {
        net.unit(PAYLOAD, gate, &number(&bits[..8]), &[(&payload[0], 1.0)]);
        net.unit(PAYLOAD, gate, &number(&bits[8..]), &[(&payload[1], 1.0)]);
        net.relu(PAYLOAD, gate, &[(&output.pc, 1.0)]);
    }
    let depth = number(&input.depth);
    net.unit(PAYLOAD, &deeper, &(&depth + 1.0), &[(&payload[0], 1.0)]);
    net.unit(PAYLOAD, &shallower, &(depth - 1.0), &[(&payload[0], 1.0)]);
    net.relu(PAYLOAD, &(&deeper + &shallower), &[(&output.depth, 1.0)]);
    let digit = division
        .place
        .iter()
        .enumerate()
        .fold(division.digit.clone(), |total, (k, place)| total + place * (16 * k) as f64);
    net.unit(LAST_PAYLOAD, &quotient, &digit, &[(&payload[0], 1.0)]);
    net.relu(LAST_PAYLOAD, &quotient, &[(&output.quotient, 1.0)]);

    // ---- Layers 20 and 21: digits for the read-out
    for ((value, high), low) in payload.iter().zip(&output.high).zip(&output.low) {
        for (n, at_least) in (1..).zip(high) {
            net.step(HIGH, value, f64::from(16 * n), &[(at_least, 1.0)]);
        }
        let rest = value - &(sum(high) * 16.0);
        for (n, at_least) in (1..).zip(low) {
            net.step(LOW, &rest, f64::from(n), &[(at_least, 1.0)]);
        }
    }
    net.relu(LOW, &Expr::constant(1.0), &[(&output.always, 1.0)]);
}

/// Faults, each with its own token. Where several apply the read-out's weights choose.
fn traps(net: &mut Net, known: &Known, deepest: &Expr, output: &Output) {
    let Known { input, decoded, operands, arithmetic, division, access, calls } = known;
    let g = &decoded.gates;
    let head = &input.head;
    let sum_bits = &arithmetic.sum;
    let [past, outside, refused] =
        ["past the end", "outside text", "access refused"].map(|name| net.number(name, 2.0));
    let length = number(&operands.text_length);
    net.step(15, &(number(&input.pc) - &length), 0.0, &[(&past, 1.0)]);
    let index = 3..3 + input.pc.len();
    net.step(15, &(number(&sum_bits[index.clone()]) - &length), 0.0, &[(&outside, 1.0)]);
    let above = sum(&sum_bits[index.end..ADDRESS_BITS]) + &arithmetic.beyond;
    net.step(15, &above, 1.0, &[(&outside, 1.0)]);
    // A function may be registered at a slot past the end.
    let astray = net.bit("function outside text");
    net.step(15, &(number(&calls.function) - &length), 0.0, &[(&astray, 1.0)]);
    net.step(15, &access.refused, 1.0, &[(&refused, 1.0)]);

    let out = |trap: Trap| &output.traps[Trap::ALL.iter().position(|t| *t == trap).unwrap_or(0)];
    let mut when = |condition: Expr, trap: Trap| net.relu(VALUES, &condition, &[(out(trap), 1.0)]);
    when(all([head, &calls.exhausted]), Trap::Meter);
    when(all([head, &past]), Trap::Overrun);
    when(head - &decoded.sent, Trap::Unsent);
    when(head + &g.wide - 1.0 - &decoded.second_sent, Trap::Unsent);
    when(head + &decoded.sent - 1.0 - &g.known, Trap::Unsupported);
    when(head + &g.call - 1.0 - &calls.found, Trap::Function);
    when(all([head, &(&g.call + &g.call_register), deepest]), Trap::Depth);
    let fault = all([head, &access.any, &refused]);
    when(fault.clone() - &access.near_stack, Trap::Access);
    when(all([&fault, &access.near_stack, &arithmetic.beyond]), Trap::Access);
    when(all([&fault, &access.near_stack, &not(&arithmetic.beyond)]), Trap::Stack);
    when(division.by_zero.clone(), Trap::Division);
    when(all([head, &g.call, &astray]), Trap::Text);
    let unsent = &access.unsent - 16.0 + head * 16.0;
    // A refused access counts before a cell that was not sent.
    net.step(VALUES, &unsent, 1.0, &[(out(Trap::Unsent), 0.125)]);
    let far = &outside - 8.0 + head * 4.0 + &g.call_register * 4.0;
    net.step(VALUES, &far, 1.0, &[(out(Trap::Text), 1.0)]);
}
