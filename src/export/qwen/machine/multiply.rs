//! Layers 5 to 19: products, and a digit of a quotient a pass.
//!
//! One multiplier serves both. Digits in base 16 are multiplied by one hidden unit a pair, and what adds up at each
//! place is brought down to a digit in stages. A division of `a` by `b` whose quotient is known down to some place as
//! `q` has the remainder `a - qb = a + q + q * (complement of b)`, modulo 2^64. The next digit is the number of multiples
//! of `b`, of 15, that fit into the remainder above the digit's place.

use super::{
    super::{
        expr::{Expr, all, is, number, one, sum, zero},
        net::Net,
    },
    arithmetic::{Arithmetic, behaviour, carries},
    decode::Decoded,
    input::Input,
    operands::Operands,
};

/// Division as seen by the choice of the next token.
pub(super) struct Division {
    /// 1 for the place of the digit to send, if any; after layer 9.
    pub place: Vec<Expr>,
    /// The digit; after layer 18.
    pub digit: Expr,
    /// A division by zero starts; after layer 6.
    pub by_zero: Expr,
}

/// Digit `k` of 64 bits.
fn digit(bits: &[Expr], k: usize) -> Expr {
    number(&bits[4 * k..4 * k + 4])
}

/// Adds the number of multiples of `unit`, up to `most`, that `value` reaches.
fn count_multiples(net: &mut Net, layer: usize, value: &Expr, unit: f64, most: usize, to: &Expr) {
    for multiple in 1..=most {
        net.step(layer, value, unit * multiple as f64, &[(to, 1.0)]);
    }
}

pub(super) fn compute(
    net: &mut Net,
    input: &Input,
    decoded: &Decoded,
    operands: &Operands,
    arithmetic: &Arithmetic,
) -> Division {
    let g = &decoded.gates;
    let (a, b) = (&operands.a, &operands.b);
    let division = &g.div + &g.rem;

    // ---- Layer 5: factors
    let [x, y] = ["factor x", "factor y"].map(|name| net.numbers(name, 16, 15.0));
    for k in 0..16 {
        net.unit(5, &g.mul, &digit(a, k), &[(&x[k], 1.0)]);
        net.unit(5, &division, &input.quotient[k], &[(&x[k], 1.0)]);
        net.unit(5, &g.mul, &digit(b, k), &[(&y[k], 1.0)]);
        net.unit(5, &division, &(15.0 - digit(b, k)), &[(&y[k], 1.0)]);
    }
    for (j, to) in arithmetic.result.iter().enumerate() {
        let byte = &input.quotient[2 * j] + &(&input.quotient[2 * j + 1] * 16.0);
        net.unit(5, &g.div, &byte, &[(to, 1.0)]);
    }
    let divisor = net.numbers("divisor", 4, 65535.0);
    for (q, to) in divisor.iter().enumerate() {
        net.unit(5, &division, &number(&b[16 * q..16 * q + 16]), &[(to, 1.0)]);
    }
    let starts = net.bit("division starts");
    net.relu(5, &all([&input.head, &division]), &[(&starts, 1.0)]);
    let [present_a, present_b] = ["digit in a", "digit in b"].map(|name| net.bits(name, 16));
    for k in 0..16 {
        net.step(5, &digit(a, k), 1.0, &[(&present_a[k], 1.0)]);
        net.step(5, &digit(b, k), 1.0, &[(&present_b[k], 1.0)]);
    }

    // ---- Layer 6: products by place; the leading digits of dividend and divisor
    let places = net.numbers("place sum", 16, 16.0 * 225.0 + 30.0);
    for i in 0..16 {
        for j in 0..16 - i {
            net.unit(6, &x[i], &y[j], &[(&places[i + j], 1.0)]);
        }
        net.unit(6, &division, &(digit(a, i) + &input.quotient[i]), &[(&places[i], 1.0)]);
    }
    let by_zero = net.bit("division by zero");
    net.relu(6, &(&starts - &sum(&present_b)), &[(&by_zero, 1.0)]);
    let [leading_a, leading_b] = ["leading a", "leading b"].map(|name| net.bits(name, 16));
    for k in 0..16 {
        net.relu(6, &(&present_a[k] - &sum(&present_a[k + 1..])), &[(&leading_a[k], 1.0)]);
        net.relu(6, &(&present_b[k] - &sum(&present_b[k + 1..])), &[(&leading_b[k], 1.0)]);
    }

    // ---- Layer 9: the place of the next digit
    let place = net.bits("place", 16);
    for (k, to) in place.iter().enumerate() {
        for low in 0..16 - k {
            net.relu(9, &all([&leading_a[low + k], &leading_b[low], &starts]), &[(to, 1.0)]);
        }
        if k < 15 {
            let after = all([&input.is_quotient, &is(&input.data[4..8], k + 1)]);
            net.relu(9, &after, &[(to, 1.0)]);
        }
    }

    // ---- Layers 7 to 13: places to digits
    let digits = settle(net, &places);

    // ---- Layer 14: result; what of the remainder is above the place
    for (j, to) in arithmetic.result.iter().enumerate() {
        let gate = &g.mul + &g.rem;
        let gate = if j < 4 { gate } else { gate - &g.half };
        net.unit(14, &gate, &(&digits[2 * j] + &(&digits[2 * j + 1] * 16.0)), &[(to, 1.0)]);
    }
    let above = net.numbers("above", 16, 15.0);
    for (k, gate) in place.iter().enumerate() {
        for n in 0..16 - k {
            net.unit(14, gate, &digits[n + k], &[(&above[n], 1.0)]);
        }
    }

    // ---- Layers 15 to 18: how many multiples of the divisor fit
    let fits = net.bits("fits", 15);
    let mut borrow = vec![zero(); 15];
    for q in 0..4 {
        let group = (0..4).fold(zero(), |total, i| total + &above[4 * q + i] * f64::from(1_u32 << (4 * i)));
        let next = net.numbers("borrow", 15, 15.0);
        for times in 1..=15_u32 {
            let at = times as usize - 1;
            let missing = &divisor[q] * f64::from(times) - group.clone() + &borrow[at];
            if q == 3 {
                net.step(18, &-missing, 0.0, &[(&fits[at], 1.0)]);
            } else {
                for multiple in 0..times {
                    net.step(15 + q, &missing, f64::from(65536 * multiple + 1), &[(&next[at], 1.0)]);
                }
            }
        }
        borrow = next;
    }
    Division { place, digit: sum(&fits), by_zero }
}

/// Brings the sums of 16 places down to digits, modulo 2^64. The digits are expressions after layer 13.
fn settle(net: &mut Net, places: &[Expr]) -> Vec<Expr> {
    let mut by256 = net.numbers("by 256", 16, 14.0);
    by256[0] = zero(); // A single product is below 256.
    let by64 = net.numbers("by 64", 16, 3.0);
    let by16 = net.numbers("by 16", 16, 3.0);
    let rests = net.numbers("rest", 16, 63.0);
    let mut low = Vec::new();
    for k in 0..16 {
        let most = (225 * (k + 1) + 30) / 256;
        if most > 0 {
            count_multiples(net, 7, &places[k], 256.0, most, &by256[k]);
        }
        let rest = &places[k] - &(&by256[k] * 256.0);
        count_multiples(net, 8, &rest, 64.0, 3, &by64[k]);
        let rest = rest - by64[k].clone() * 64.0;
        count_multiples(net, 9, &rest, 16.0, 3, &by16[k]);
        net.unit(9, &one(), &rest, &[(&rests[k], 1.0)]);
        low.push(&rests[k] - &(&by16[k] * 16.0));
    }
    let middle = |k: usize| &by64[k] * 4.0 + &by16[k];
    // At most 15 + 15 + 14.
    let shifted: Vec<Expr> = (0..16_usize)
        .map(|k| {
            let from = |back: usize| k.checked_sub(back);
            low[k].clone() + from(1).map_or(zero(), middle) + from(2).map_or(zero(), |k| by256[k].clone())
        })
        .collect();
    let again = net.numbers("by 16 again", 16, 2.0);
    for (value, to) in shifted.iter().zip(&again) {
        count_multiples(net, 10, value, 16.0, 2, to);
    }
    // At most 17.
    let small = net.numbers("small", 16, 17.0);
    let behaviours = net.numbers("product behaviour", 4, 2.0);
    let mut exact = Vec::new();
    for k in 0..16 {
        let value = &shifted[k] - &(&again[k] * 16.0) + if k > 0 { again[k - 1].clone() } else { zero() };
        net.unit(11, &one(), &value, &[(&small[k], 1.0)]);
        exact.push(value);
    }
    let group = |values: &[Expr], q: usize, count: usize| {
        (0..count).fold(zero(), |total, i| total + &values[4 * q + i] * f64::from(1_u32 << (4 * i)))
    };
    for (q, to) in behaviours.iter().enumerate() {
        behaviour(net, 11, &group(&exact, q, 4), to);
    }
    let between = carries(net, 12, "product carry", &behaviours);
    let into = |q: usize| if q == 0 { zero() } else { between[q - 1].clone() };
    let inner = net.bits("digit carry", 16);
    for q in 0..4 {
        for n in 1..4 {
            let value = group(&small, q, n) + into(q);
            net.step(13, &value, f64::from(1_u32 << (4 * n)), &[(&inner[4 * q + n], 1.0)]);
        }
    }
    let carry = |k: usize| if k.is_multiple_of(4) { into(k / 4) } else { inner[k].clone() };
    (0..16).map(|k| &small[k] + &carry(k) - carry(k + 1) * 16.0).collect()
}
