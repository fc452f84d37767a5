//! Layers 8 to 15: addresses, bounds, and memory as what attention keeps of every token.
//!
//! A row is 8 bytes. A store's token has the row as its key, with a bit for each byte that it writes; eight query heads
//! ask for one byte each, and the phase of one rotary pair decides which of several writes is the latest. The first
//! token of all matches everything, is the earliest and holds zeros. An access that crosses rows reads its upper part
//! in a second attention layer, and a store writes it with a second token.

use super::{
    super::{
        expr::{Expr, all, is, number, sum, zero},
        net::{Net, not_first},
    },
    arithmetic::Arithmetic,
    decode::Decoded,
    input::Input,
    operands::{Operands, rows_of},
};

/// What is known of an access.
pub(super) struct Access {
    /// Loads and stores.
    pub any: Expr,
    pub stores: Expr,
    /// The store crosses rows, after layer 9.
    pub crosses: Expr,
    /// How many reasons there are to refuse the access, after layer 10.
    pub refused: Expr,
    /// If refused, it counts as close to the stack.
    pub near_stack: Expr,
    /// Bytes of the program's data that were not sent, after layer 15.
    pub unsent: Expr,
}

/// Bits of a row's number within a region, and of the region.
const ROW_BITS: usize = 29;
const REGION_BITS: usize = 4;
const PROGRAM: usize = 1;
const STACK: usize = 2;
/// Stack bytes of all frames, in units of 2^16.
const STACK_LENGTH: f64 = 4.0;
/// The bit of a stack address that is on in the gaps between frames.
const GAP_BIT: usize = 12;

pub(super) fn compute(
    net: &mut Net,
    input: &Input,
    decoded: &Decoded,
    operands: &Operands,
    arithmetic: &Arithmetic,
) -> Access {
    let g = &decoded.gates;
    let address = &arithmetic.sum;
    let region = &address[32..36];
    let stores = &g.store_immediate + &g.store_register;

    // ---- Layer 8
    let write = &input.limit - &input.pc[4];
    let limits = net.rows(
        8,
        2,
        "region length",
        (rows_of(region), rows_of(&input.pc[..4])),
        vec![(input.staged[..32].to_vec(), write, vec![0; 32])],
    );
    let length = net.settle(8, limits.concat());
    let row = net.bits("row", ROW_BITS + REGION_BITS);
    for (i, to) in row.iter().take(ROW_BITS).enumerate() {
        let bit = i + 3;
        net.relu(8, &address[bit], &[(to, 1.0)]);
        if bit >= GAP_BIT {
            // Stack addresses count without the gaps.
            net.relu(8, &(all([&address[bit], &is(region, STACK)])), &[(to, -1.0)]);
            if bit < 31 {
                net.relu(8, &(all([&address[bit + 1], &is(region, STACK)])), &[(to, 1.0)]);
            }
        }
    }
    for (i, bit) in region.iter().enumerate() {
        net.relu(8, bit, &[(&row[ROW_BITS + i], 1.0)]);
        net.relu(8, &all([&input.region[i], &input.in_cells]), &[(&row[ROW_BITS + i], 1.0)]);
    }
    for (bit, to) in input.pc.iter().zip(&row) {
        net.relu(8, &all([bit, &input.in_cells]), &[(to, 1.0)]);
    }
    let start = net.bits("start", 8);
    for (k, to) in start.iter().enumerate() {
        net.relu(8, &is(&address[..3], k), &[(to, 1.0)]);
    }
    let [stack, program, near_stack] = ["in stack", "in program", "near stack"].map(|name| net.bit(name));
    net.relu(8, &is(region, STACK), &[(&stack, 1.0)]);
    net.relu(8, &is(region, PROGRAM), &[(&program, 1.0)]);
    let refused = net.number("refused", 4.0);
    net.relu(8, &all([&is(region, STACK), &address[GAP_BIT]]), &[(&refused, 1.0)]);
    // From less than two frames below the stack to one above it.
    let frame = number(&address[12..32]);
    net.step(8, &(65.0 - frame + (is(region, STACK) - 1.0) * 128.0), 1.0, &[(&near_stack, 1.0)]);
    let missing = (19.0 - sum(&address[13..32]) + 1.0 - is(region, PROGRAM)) * 8192.0;
    net.step(8, &(number(&address[..13]) - missing), 1.0, &[(&near_stack, 1.0)]);

    // ---- Layer 9
    let sizes = [(1, &g.size1), (2, &g.size2), (4, &g.size4), (8, &g.size8)];
    let size = sizes.iter().fold(zero(), |total, (bytes, gate)| total + *gate * *bytes as f64);
    let low = number(&length[..16]) - number(&address[..3]) - number(&row[..13]) * 8.0 - size;
    let borrow = net.number("bounds borrow", 2.0);
    net.step(9, &-low.clone(), 1.0, &[(&borrow, 1.0)]);
    net.step(9, &-low, 65537.0, &[(&borrow, 1.0)]);
    net.relu(9, &all([&program, &stores]), &[(&refused, 1.0)]);
    net.relu(9, &arithmetic.beyond, &[(&refused, 1.0)]);
    // The next row: bit i changes where all lower bits are 1.
    let ripple = net.bits("row carry", ROW_BITS);
    for (i, to) in ripple.iter().enumerate() {
        net.relu(9, &all(&row[..=i]), &[(to, 1.0)]);
    }
    let change = |i: usize| {
        let into = if i == 0 { Expr::constant(1.0) } else { ripple[i - 1].clone() };
        into - &ripple[i] * 2.0
    };
    let crosses = net.bit("crosses");
    let written = net.bits("lane written", 8);
    let value = net.numbers("lane value", 8, 255.0);
    for (k, at) in start.iter().enumerate() {
        for (bytes, gate) in sizes {
            let end = k + bytes;
            let lanes: Vec<_> = written[k..end.min(8)].iter().map(|lane| (lane, 1.0)).collect();
            net.relu(9, &(all([at, gate, &input.head, &stores])), &lanes);
            if end > 8 {
                net.relu(9, &all([at, gate]), &[(&crosses, 1.0)]);
                let lanes: Vec<_> = written[..end - 8].iter().map(|lane| (lane, 1.0)).collect();
                net.relu(9, &all([at, gate, &input.is_upper]), &lanes);
            }
        }
        for (j, byte) in operands.stored.iter().enumerate() {
            net.unit(9, at, byte, &[(&value[(j + k) % 8], 1.0)]);
        }
    }
    let lanes: Vec<_> = written.iter().map(|lane| (lane, 1.0)).collect();
    net.relu(9, &input.cell, &lanes);

    // ---- Layer 10
    let high = number(&length[16..]) + &stack * STACK_LENGTH - number(&row[13..ROW_BITS]);
    net.step(10, &(&borrow - &high), 1.0, &[(&refused, 1.0)]);
    for (i, to) in row.iter().take(ROW_BITS).enumerate() {
        net.unit(10, &input.is_upper, &change(i), &[(to, 1.0)]);
    }

    // ---- Layers 11 and 15
    let unsent = net.number("unsent bytes", 8.0);
    for layer in [11, 15] {
        let asked: Vec<Expr> = (0..row.len())
            .map(|i| if layer == 15 && i < ROW_BITS { &row[i] + &change(i) } else { row[i].clone() })
            .collect();
        let read = remember(net, layer, input, (&row, &written, &value), &asked);
        for (k, at) in start.iter().enumerate() {
            let range = if layer == 11 { 0..8 - k } else { 8 - k..8 };
            for j in range {
                let (byte, present) = &read[(k + j) % 8];
                let long = sizes
                    .iter()
                    .filter(|(bytes, _)| *bytes > j)
                    .fold(zero(), |total, (_, gate)| total + *gate);
                let gate = all([at, &long, &g.load]);
                net.unit(layer, &gate, byte, &[(&arithmetic.result[j], 1.0)]);
                net.unit(layer, &(all([&gate, &program])), &(1.0 - present.clone()), &[(&unsent, 1.0)]);
            }
        }
    }
    Access { any: &g.load + &stores, stores, crosses, refused, near_stack, unsent }
}

/// Keeps this token's write and reads the row asked for: each byte, and whether it was ever written.
fn remember(
    net: &mut Net,
    layer: usize,
    input: &Input,
    (row, written, value): (&[Expr], &[Expr], &[Expr]),
    asked: &[Expr],
) -> Vec<(Expr, Expr)> {
    const TURNING: f64 = 0.5;
    let lanes = 8;
    let entries = (row.len() + lanes) as f64;
    let mut key: Vec<Expr> =
        row.iter().chain(written).flat_map(|bit| [bit.clone(), not_first(bit, &input.first)]).collect();
    key.push(&input.first * entries.sqrt());
    let mut kept = value.to_vec();
    kept.push(1.0 - input.first.clone());
    for head in 0..net.shape.memory_heads {
        net.memory(layer, head, key.clone(), TURNING, kept.clone());
    }
    let bytes = net.numbers("byte read", lanes, 255.0);
    let present = net.bits("byte present", lanes);
    for lane in 0..lanes {
        let mut query: Vec<Expr> = asked.iter().flat_map(|bit| [bit - 1.0, -bit.clone()]).collect();
        query.extend((0..lanes).flat_map(|i| [zero(), Expr::constant(if i == lane { -1.0 } else { 0.0 })]));
        net.query(layer, lane, query, TURNING, &[(&bytes[lane], lane), (&present[lane], lanes)]);
    }
    // Scores: an older write is so much below a newer one, even a token apart, that its weight is 0, and a
    // mismatch costs four times what age ever does.
    let shape = &net.shape;
    let theta = f64::from(shape.rope_base()).powf(-2.0 * shape.recency_pair as f64 / shape.rotary() as f64);
    let step = 130.0 / (theta * 0.3 * TURNING * TURNING);
    let norms = (entries + TURNING * TURNING) * (row.len() as f64 + 1.0 + TURNING * TURNING);
    net.layers[layer].query_scale = step * norms.sqrt() / (shape.head_size as f64).sqrt();
    bytes.into_iter().zip(present).collect()
}
