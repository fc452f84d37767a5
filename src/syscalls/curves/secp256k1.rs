//! Recovery of a secp256k1 public key from a signature.

use super::weierstrass::{Affine, Curve, both, either, not};
use crate::{
    alu::{
        field::{self, Prime, SECP256K1 as F, SECP256K1_ORDER as ORDER},
        wide::{self, Number},
    },
    tables::{
        Evaluator,
        alphabet::Bit,
        numbers::{SECP256K1_B, SECP256K1_ORDER_DIGITS, SECP256K1_X, SECP256K1_Y},
    },
};

/// The curve y^2 = x^3 + 7.
pub fn curve<E: Evaluator>(e: &E) -> Curve<E, Prime<4>> {
    Curve::new(e, F, field::constant(e, SECP256K1_B))
}

/// A signature that was read, with the point it stands for.
pub struct Signature<E: Evaluator> {
    r: Number<E, 4>,
    s: Number<E, 4>,
    /// x and y of the point that r comes from.
    point: [Number<E, 4>; 2],
    /// r and s are not 0 and below the order, and r is that of a point.
    pub valid: E::Digit<Bit>,
}

/// Reads a signature (r, s). `odd` and `high` are bits 0 and 1 of the recovery id: whether y of the point
/// that r comes from is odd, and whether its x is r plus the order.
pub fn read<E: Evaluator>(
    e: &E,
    [r, s]: [&Number<E, 4>; 2],
    [odd, high]: [&E::Digit<Bit>; 2],
) -> Signature<E> {
    let in_range = not(e, &either(e, &ORDER.exceeds(e, r), &ORDER.exceeds(e, s)));
    let not_zero = not(e, &either(e, &wide::is_zero(e, r), &wide::is_zero(e, s)));
    // x = r + n must not reach the field's modulus.
    let (sum, carry) = wide::add(e, r, &field::constant(e, SECP256K1_ORDER_DIGITS));
    let too_high = both(e, high, &either(e, &carry, &F.exceeds(e, &sum)));
    let x = wide::select(e, high, r, &sum);
    let (root, is_square) = field::Field::root(F, e, &curve(e).right_side(e, &x));
    let root = F.canonical(e, &root);
    let differs = e.attend_digit(odd, [&wide::is_odd(e, &root), &not(e, &wide::is_odd(e, &root))]);
    let y = wide::select(e, &differs, &root, &F.negate(e, &root));
    let valid = both(e, &both(e, &in_range, &not_zero), &both(e, &is_square, &not(e, &too_high)));
    Signature { r: r.clone(), s: s.clone(), point: [x, y], valid }
}

/// The key that signed `hash`: s / r times the signature's point, minus hash / r times the base point. It
/// may be the point at infinity, which is no key.
pub fn recover<E: Evaluator>(
    e: &E,
    hash: &Number<E, 4>,
    signature: &Signature<E>,
) -> Affine<Number<E, 4>, E::Digit<Bit>> {
    let curve = curve(e);
    let inverse = ORDER.invert(e, &signature.r);
    let u1 = ORDER.canonical(e, &ORDER.negate(e, &ORDER.multiply(e, &inverse, hash)));
    let u2 = ORDER.canonical(e, &ORDER.multiply(e, &inverse, &signature.s));
    let base = curve.point(e, &field::constant(e, SECP256K1_X), &field::constant(e, SECP256K1_Y));
    let [x, y] = &signature.point;
    let key = curve.multiply_all(e, &[(&u1, &base), (&u2, &curve.point(e, x, y))]);
    curve.affine(e, &key)
}
