//! Layers 4 to 11: the frames of calls, functions, and the meter.
//!
//! A call stores the return slot and r6 to r9 in rows keyed by the depth. Data only moves up, so each register's saved
//! row is in a layer above a copy of the register itself. On return the registers that differ are sent as tokens.

use super::{
    super::{
        expr::{Expr, all, is, number, one},
        net::Net,
        prompt::Limit,
        tokens::{FIRST_SAVED, SAVED},
    },
    decode::Decoded,
    input::Input,
    operands::{completes, completes_register, rows_of},
};

/// What calls need to know.
pub(super) struct Calls {
    /// The slot after the call that is being returned from.
    pub return_to: Vec<Expr>,
    /// r6 to r9 as the frame has them, eight bytes each.
    pub saved: Vec<Vec<Expr>>,
    /// Whether that differs from the register.
    pub differs: Vec<Expr>,
    /// The function called, and whether it was sent.
    pub function: Vec<Expr>,
    pub found: Expr,
    /// No unit is left, after layer 8.
    pub exhausted: Expr,
}

/// Layers and slots: of a register's copy, and of its saved rows.
const PLAN: [[(usize, usize); 2]; SAVED] =
    [[(4, 2), (5, 0)], [(5, 1), (6, 0)], [(8, 0), (9, 0)], [(9, 1), (10, 0)]];
/// Bits of the meter.
const METER_BITS: usize = 24;

pub(super) fn compute(net: &mut Net, input: &Input, decoded: &Decoded) -> Calls {
    let g = &decoded.gates;
    let single = || (vec![one()], vec![one()]);
    let frame = || (rows_of(&input.depth), rows_of(&input.depth));
    let calls = &input.head + &g.call + &g.call_register - 1.0;
    let write = completes_register(input, decoded);
    let (mut saved, mut differs) = (Vec::new(), Vec::new());
    for (index, [(layer, slot), (saved_layer, saved_slot)]) in PLAN.into_iter().enumerate() {
        let register = FIRST_SAVED + index;
        let this = all([&write, &is(&decoded.written, register)]);
        let part = (input.staged.clone(), this, vec![0; 64]);
        let raw = net.rows(layer, slot, &format!("r{register}"), single(), vec![part]).concat();
        let live = net.settle(layer, raw);
        let part = (live.clone(), calls.clone(), vec![0; 64]);
        let name = format!("saved r{register}");
        let raw = net.rows(saved_layer, saved_slot, &name, frame(), vec![part]).concat();
        let kept = net.settle(saved_layer, raw);
        let bytes = net.combine(net.settled_at(saved_layer), &name, &kept, 8);
        let difference = net.number(format!("difference of r{register}"), 4.0 * 65535.0);
        for q in 0..4 {
            let group = 16 * q..16 * q + 16;
            let kept = if net.shape.reads_exactly() {
                &bytes[2 * q] + &(&bytes[2 * q + 1] * 256.0)
            } else {
                number(&kept[group.clone()])
            };
            let above = number(&live[group]) - kept;
            net.relu(saved_layer + 1, &above, &[(&difference, 1.0)]);
            net.relu(saved_layer + 1, &-above, &[(&difference, 1.0)]);
        }
        let differ = net.bit(&format!("r{register} differs"));
        net.step(saved_layer + 2, &difference, 1.0, &[(&differ, 1.0)]);
        saved.push(bytes);
        differs.push(differ);
    }
    let part = (input.next_pc.clone(), calls, vec![0; input.next_pc.len()]);
    let raw = net.rows(5, 2, "return", frame(), vec![part]).concat();
    let return_to = net.settle(5, raw);

    let function = net.bits("function", input.pc.len());
    let found = net.bit("found");
    let mut value = input.pc.clone();
    value.push(input.function.clone());
    let mut outs: Vec<_> = function.iter().enumerate().map(|(i, bit)| (bit, i)).collect();
    outs.push((&found, function.len()));
    let key = (0, &input.staged[..32], &input.function);
    net.find(7, key, &input.first, value, &[(0, &decoded.immediate, outs)]);

    let exhausted = meter(net, input, decoded);
    Calls { return_to, saved, differs, function, found, exhausted }
}

/// The meter takes no token: attention gives one over one more than the number of instructions so far, and the product
/// with one more than the budget is below 1 exactly if the budget is exceeded. In single precision this is certain for
/// contexts up to 2^18 tokens.
fn meter(net: &mut Net, input: &Input, decoded: &Decoded) -> Expr {
    let part = (input.staged[..METER_BITS].to_vec(), completes(input, Limit::Meter), vec![0; METER_BITS]);
    let raw = net.rows(5, 3, "meter", (vec![one()], vec![one()]), vec![part]).concat();
    let budget = net.settle(5, raw);
    let ratio = net.fraction("ratio", 1.0);
    net.fractional(6, &(number(&budget) + 1.0), &decoded.share, &[(&ratio, 1.0)]);
    // At least 2 where the ratio is at most 1 - 2^-19, and 0 where it is at least 1 - 2^-20.
    let excess = net.fraction("excess", 2_097_152.0);
    let scale = 2_097_152.0;
    net.fractional(7, &((1.0 - ratio) * scale - 2.0), &one(), &[(&excess, 1.0)]);
    let exhausted = net.bit("exhausted");
    net.step(8, &excess, 2.0, &[(&exhausted, 1.0)]);
    exhausted
}
