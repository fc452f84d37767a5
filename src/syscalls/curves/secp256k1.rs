//! Recovery of a secp256k1 public key from a signature.

use super::weierstrass::{Curve, both, either, not};
use crate::{
    alu::{
        field::{self, Prime, SECP256K1 as F, SECP256K1_ORDER as ORDER},
        wide::{self, Number},
    },
    tables::{
        Evaluator,
        alphabet::Bit,
        numbers::{SECP256K1_ORDER_DIGITS, SECP256K1_TRIPLE_B, SECP256K1_X, SECP256K1_Y},
    },
};

/// The curve y^2 = x^3 + 7.
pub fn curve<E: Evaluator>(e: &E) -> Curve<E, Prime<4>> {
    Curve { field: F, triple_b: field::constant(e, SECP256K1_TRIPLE_B) }
}

/// A public key and whether there is one.
pub struct Recovered<E: Evaluator> {
    /// Its x, canonical.
    pub x: Number<E, 4>,
    /// Its y, canonical.
    pub y: Number<E, 4>,
    /// r and s are below the order, r is that of a point, r and s are not 0, and the key is not the point
    /// at infinity.
    pub valid: E::Digit<Bit>,
}

/// The key that signed `hash` with (r, s). `odd` and `high` are bits 0 and 1 of the recovery id: whether
/// y of the point that r comes from is odd, and whether its x is r plus the order.
pub fn recover<E: Evaluator>(
    e: &E,
    hash: &Number<E, 4>,
    [r, s]: [&Number<E, 4>; 2],
    [odd, high]: [&E::Digit<Bit>; 2],
) -> Recovered<E> {
    let curve = curve(e);
    let in_range = not(e, &either(e, &ORDER.exceeds(e, r), &ORDER.exceeds(e, s)));
    let not_zero = not(e, &either(e, &wide::is_zero(e, r), &wide::is_zero(e, s)));
    // x = r + n must not reach the field's modulus.
    let (sum, carry) = wide::add(e, r, &field::constant(e, SECP256K1_ORDER_DIGITS));
    let too_high = both(e, high, &either(e, &carry, &F.exceeds(e, &sum)));
    let x = wide::select(e, high, r, &sum);
    let (root, is_square) = field::Field::root(F, e, &curve.right_side(e, &x));
    let root = F.canonical(e, &root);
    let differs = e.attend_digit(odd, [&wide::is_odd(e, &root), &not(e, &wide::is_odd(e, &root))]);
    let y = wide::select(e, &differs, &root, &F.negate(e, &root));
    // s / r times that point, minus hash / r times the base point.
    let inverse = ORDER.invert(e, r);
    let u1 = ORDER.canonical(e, &ORDER.negate(e, &ORDER.multiply(e, &inverse, hash)));
    let u2 = ORDER.canonical(e, &ORDER.multiply(e, &inverse, s));
    let base = curve.point(e, &field::constant(e, SECP256K1_X), &field::constant(e, SECP256K1_Y));
    let key = curve.multiply_all(e, &[(&u1, &base), (&u2, &curve.point(e, &x, &y))]);
    let key = curve.affine(e, &key);
    let found = both(e, &is_square, &not(e, &either(e, &too_high, &key.infinity)));
    Recovered { x: key.x, y: key.y, valid: both(e, &both(e, &in_range, &not_zero), &found) }
}
