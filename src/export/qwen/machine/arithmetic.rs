//! Layers 5 to 8: sums, bitwise operations, shifts, byte order and conditions.
//!
//! A sum never ripples. Words are summed in four groups of 16 bits; a group that is at least 65,535 passes a carry
//! on and one that is at least 65,536 makes one, so the carries are thresholds of a weighted sum of these.

use super::{
    super::{
        expr::{Expr, all, is, literals, not, number, sum, zero},
        net::Net,
    },
    decode::Decoded,
    input::Input,
    operands::Operands,
};

/// What these layers find.
pub(super) struct Arithmetic {
    /// The result, eight bytes; later layers add theirs.
    pub result: Vec<Expr>,
    /// Bits 0 to 35 of the sum of the operands, after layer 7.
    pub sum: Vec<Expr>,
    /// A bit above those is on, after layer 8.
    pub beyond: Expr,
    /// The target of a jump, after layer 5.
    pub target: Vec<Expr>,
    /// The jump is taken, after layer 7.
    pub taken: Expr,
}

/// Bits of an address that counts.
pub(super) const ADDRESS_BITS: usize = 36;

/// Byte `j` of 64 bits.
pub(super) fn byte(bits: &[Expr], j: usize) -> Expr {
    number(&bits[8 * j..8 * j + 8])
}

/// Adds bit `k` of a sum below `4 * 2^k` to a column.
pub(super) fn add_bit(net: &mut Net, layer: usize, value: &Expr, k: usize, to: &Expr) {
    for (multiple, weight) in [(1.0, 1.0), (2.0, -1.0), (3.0, 1.0)] {
        net.step(layer, value, multiple * f64::from(1_u32 << k), &[(to, weight)]);
    }
}

/// Behaviour of a group's sum towards carries: 0 stops, 1 passes one on, 2 makes one.
pub(super) fn behaviour(net: &mut Net, layer: usize, value: &Expr, to: &Expr) {
    net.relu(layer, &(value - 65534.0), &[(to, 1.0)]);
    net.relu(layer, &(value - 65536.0), &[(to, -1.0)]);
}

/// Carries out of the first `q` groups, for each `q` from 1 to 4.
pub(super) fn carries(net: &mut Net, layer: usize, name: &str, behaviours: &[Expr]) -> Vec<Expr> {
    let carries = net.bits(name, 4);
    for (q, carry) in carries.iter().enumerate() {
        let weighted = (0..=q).fold(zero(), |total, h| total + &behaviours[h] * f64::from(1_u32 << h));
        net.step(layer, &weighted, f64::from(2_u32 << q), &[(carry, 1.0)]);
    }
    carries
}

pub(super) fn compute(net: &mut Net, input: &Input, decoded: &Decoded, operands: &Operands) -> Arithmetic {
    let g = &decoded.gates;
    let (a, b) = (&operands.a, &operands.b);
    let result = net.numbers("result", 8, 255.0);

    // ---- Layer 5
    let group = |q: usize| number(&a[16 * q..16 * q + 16]) + number(&b[16 * q..16 * q + 16]);
    let behaviours = net.numbers("sum behaviour", 4, 2.0);
    for (q, to) in behaviours.iter().enumerate() {
        let extra = if q == 0 { g.negate.clone() } else { zero() };
        behaviour(net, 5, &(group(q) + extra), to);
    }
    bitwise(net, decoded, operands, &result);
    let target = net.bits("target", input.pc.len());
    for (k, bit) in target.iter().enumerate() {
        let low = number(&input.pc[..=k]) + number(&operands.distance[..=k]) + 1.0;
        add_bit(net, 5, &low, k, bit);
    }
    let shifts = Shifts::new(net, decoded, operands);

    // ---- Layer 6
    let carry = carries(net, 6, "carry", &behaviours);
    let [unequal, common] = ["unequal", "common"].map(|name| net.bit(name));
    net.step(6, &(2040.0 - sum(&result)), 1.0, &[(&unequal, 1.0)]);
    net.step(6, &sum(&result), 1.0, &[(&common, 1.0)]);
    shifts.by_bits(net, decoded, operands);

    // ---- Layer 7
    let taken = net.bit("taken");
    conditions(net, input, decoded, operands, (&carry[3], &unequal, &common), &taken);
    shifts.by_bytes(net, decoded, &result);
    let into = |q: usize| if q == 0 { g.negate.clone() } else { carry[q - 1].clone() };
    let odd = net.bits("odd carry", 4);
    for (q, to) in odd.iter().enumerate() {
        net.step(7, &(byte(a, 2 * q) + byte(b, 2 * q) + into(q)), 256.0, &[(to, 1.0)]);
    }
    let bits = net.bits("sum", ADDRESS_BITS);
    for (i, bit) in bits.iter().enumerate() {
        let (q, k) = (i / 16, i % 16);
        let low = number(&a[16 * q..=i]) + number(&b[16 * q..=i]) + into(q);
        add_bit(net, 7, &low, k, bit);
    }

    // ---- Layer 8
    let between = |j: usize| if j.is_multiple_of(2) { into(j / 2) } else { odd[j / 2].clone() };
    let sums: Vec<Expr> =
        (0..8).map(|j| byte(a, j) + byte(b, j) + between(j) - between(j + 1) * 256.0).collect();
    for (j, byte) in sums.iter().enumerate() {
        let gate = if j < 4 { g.add.clone() } else { &g.add - &g.half };
        net.unit(8, &gate, byte, &[(&result[j], 1.0)]);
    }
    let beyond = net.bit("beyond");
    net.step(8, &(sum(&sums[4..]) - number(&bits[32..])), 1.0, &[(&beyond, 1.0)]);
    Arithmetic { result, sum: bits, beyond, target, taken }
}

fn bitwise(net: &mut Net, decoded: &Decoded, operands: &Operands, result: &[Expr]) {
    let g = &decoded.gates;
    let (a, b) = (&operands.a, &operands.b);
    // or = a + b - ab, xor = a + b - 2ab, and = ab, bit by bit.
    let product = &g.and - &g.or - g.xor.clone() * 2.0;
    for (j, to) in result.iter().enumerate() {
        net.unit(5, &(&g.or + &g.xor), &(byte(a, j) + byte(b, j)), &[(to, 1.0)]);
        for i in 8 * j..8 * j + 8 {
            net.unit(5, &all([&a[i], &b[i]]), &product, &[(to, f64::from(1_u32 << (i % 8)))]);
        }
        for (gate, bytes) in [(&g.swap16, 2), (&g.swap32, 4), (&g.swap64, 8)] {
            if j < bytes {
                net.unit(5, gate, &byte(a, bytes - 1 - j), &[(to, 1.0)]);
            }
        }
    }
}

/// A shift by bits, then by whole bytes. A negative number that is shifted arithmetically is complemented
/// before and after.
struct Shifts {
    /// For each distance in bits: to the left, to the right, to the right of a negative number.
    left: Vec<Expr>,
    right: Vec<Expr>,
    negative: Vec<Expr>,
    /// For each distance in bytes.
    bytes: Vec<Expr>,
    /// Operands shifted by bits.
    shifted: [Vec<Expr>; 3],
}

impl Shifts {
    fn new(net: &mut Net, decoded: &Decoded, operands: &Operands) -> Self {
        let g = &decoded.gates;
        let (a, b) = (&operands.a, &operands.b);
        let [left, right, negative] = ["left", "right", "negative"].map(|name| net.bits(name, 8));
        for bits in 0..8 {
            let by = is(&b[..3], bits);
            let when = |gates: Expr| &by + &gates - 1.0;
            net.relu(5, &when(g.left.clone()), &[(&left[bits], 1.0)]);
            net.relu(5, &when(g.right.clone()), &[(&right[bits], 1.0)]);
            let arithmetic = &g.arithmetic;
            net.relu(5, &when(arithmetic - &g.half - &a[63]), &[(&right[bits], 1.0)]);
            net.relu(5, &when(all([arithmetic, &g.half]) - &a[31]), &[(&right[bits], 1.0)]);
            net.relu(5, &when(all([arithmetic, &a[63]])), &[(&negative[bits], 1.0)]);
            net.relu(5, &when(all([arithmetic, &g.half, &a[31]])), &[(&negative[bits], 1.0)]);
        }
        let bytes = net.bits("bytes", 8);
        for (count, to) in bytes.iter().enumerate() {
            // A half word's distance has five bits.
            let mut conditions = literals(&b[3..5], count % 4);
            if count < 4 {
                conditions.push(not(&b[5]));
                net.relu(5, &all(&conditions), &[(to, 1.0)]);
                conditions[2] = b[5].clone();
                conditions.push(g.half.clone());
                net.relu(5, &all(&conditions), &[(to, 1.0)]);
            } else {
                conditions.push(b[5].clone());
                net.relu(5, &(all(&conditions) - &g.half), &[(to, 1.0)]);
            }
        }
        let shifted =
            ["left by bits", "right by bits", "negative by bits"].map(|name| net.numbers(name, 8, 255.0));
        Self { left, right, negative, bytes, shifted }
    }

    fn by_bits(&self, net: &mut Net, decoded: &Decoded, operands: &Operands) {
        let a = &operands.a;
        for j in 0..8_usize {
            for distance in 0..8_usize {
                let (mut left, mut right, mut negative) = (zero(), zero(), zero());
                for bit in 0..8_usize {
                    let weight = f64::from(1_u32 << bit);
                    if let Some(from) = (8 * j + bit).checked_sub(distance) {
                        left = left + &a[from] * weight;
                    }
                    if let Some(from) = a.get(8 * j + bit + distance) {
                        right = right + from * weight;
                        let beyond =
                            if 8 * j + bit + distance >= 32 { decoded.gates.half.clone() } else { zero() };
                        negative = negative + (not(from) - beyond) * weight;
                    }
                }
                net.unit(6, &self.left[distance], &left, &[(&self.shifted[0][j], 1.0)]);
                net.unit(6, &self.right[distance], &right, &[(&self.shifted[1][j], 1.0)]);
                net.unit(6, &self.negative[distance], &negative, &[(&self.shifted[2][j], 1.0)]);
            }
        }
    }

    fn by_bytes(&self, net: &mut Net, decoded: &Decoded, result: &[Expr]) {
        let half = &decoded.gates.half;
        for (count, gate) in self.bytes.iter().enumerate() {
            for j in count..8 {
                let upper = if j < 4 { gate.clone() } else { gate - half };
                net.unit(7, &upper, &self.shifted[0][j - count], &[(&result[j], 1.0)]);
                net.unit(7, gate, &(&self.shifted[1][j] - &self.shifted[2][j]), &[(&result[j - count], 1.0)]);
            }
        }
        let negative = sum(&self.negative);
        let bytes: Vec<_> = result.iter().map(|byte| (byte, 255.0)).collect();
        net.relu(7, &negative, &bytes[..4]);
        net.relu(7, &(negative - half), &bytes[4..]);
    }
}

/// Which conditions make a jump taken. `no_borrow`: the first operand is at least the second, as unsigned numbers.
fn conditions(
    net: &mut Net,
    input: &Input,
    decoded: &Decoded,
    operands: &Operands,
    (no_borrow, unequal, common): (&Expr, &Expr, &Expr),
    taken: &Expr,
) {
    let g = &decoded.gates;
    let sign_a = &operands.a[63];
    let sign_b = not(&operands.b[63]); // The second operand is complemented.
    let (equal, borrow) = (not(unequal), not(no_borrow));
    let mut when = |gate: &Expr, conditions: &[&Expr]| {
        let mut terms = vec![gate.clone(), input.head.clone()];
        terms.extend(conditions.iter().map(|term| (*term).clone()));
        net.relu(7, &all(&terms), &[(taken, 1.0)]);
    };
    when(&g.always, &[]);
    when(&g.eq, &[&equal]);
    when(&g.ne, &[unequal]);
    when(&g.set, &[common]);
    when(&g.gt, &[no_borrow, unequal]);
    when(&g.ge, &[no_borrow]);
    when(&g.lt, &[&borrow]);
    when(&g.le, &[&borrow]);
    when(&g.le, &[no_borrow, &equal]);
    for (a, b) in [(not(sign_a), not(&sign_b)), (sign_a.clone(), sign_b.clone())] {
        when(&g.sgt, &[&a, &b, no_borrow, unequal]);
        when(&g.sge, &[&a, &b, no_borrow]);
        when(&g.slt, &[&a, &b, &borrow]);
        when(&g.sle, &[&a, &b, &borrow]);
        when(&g.sle, &[&a, &b, no_borrow, &equal]);
    }
    for gate in [&g.sgt, &g.sge] {
        when(gate, &[&not(sign_a), &sign_b]);
    }
    for gate in [&g.slt, &g.sle] {
        when(gate, &[sign_a, &not(&sign_b)]);
    }
}
