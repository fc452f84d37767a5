//! The Ristretto group: classes of Edwards points with one encoding each (RFC 9496).

use super::{
    edwards::Point,
    weierstrass::{both, not},
};
use crate::{
    alu::{
        field::{self, CURVE25519 as F},
        wide::{self, Number},
    },
    tables::{
        Evaluator,
        alphabet::Bit,
        numbers::{CURVE25519_D, CURVE25519_IMAGINARY, CURVE25519_INVERSE_ROOT},
    },
};

/// Whether an element is negative: its canonical form odd.
fn is_negative<E: Evaluator>(e: &E, a: &Number<E, 4>) -> E::Digit<Bit> {
    wide::is_odd(e, &F.canonical(e, a))
}

/// The point that 32 bytes encode, and whether they encode one.
pub fn decompress<E: Evaluator>(e: &E, encoding: &Number<E, 4>) -> (Point<E>, E::Digit<Bit>) {
    let one = F.one(e);
    let s = encoding;
    let square = F.square(e, s);
    let (u1, u2) = (F.subtract(e, &one, &square), F.add(e, &one, &square));
    let u2_square = F.square(e, &u2);
    let du = F.multiply(e, &field::constant(e, CURVE25519_D), &F.square(e, &u1));
    let v = F.sum(e, &[], &[&du, &u2_square]);
    let (is_square, inverse) = field::sqrt_ratio(e, &one, &F.multiply(e, &v, &u2_square));
    let x_factor = F.multiply(e, &inverse, &u2);
    let y_factor = F.multiply(e, &F.multiply(e, &inverse, &x_factor), &v);
    let x = field::even(e, &F.multiply(e, &F.double(e, s), &x_factor));
    let y = F.multiply(e, &u1, &y_factor);
    let t = F.multiply(e, &x, &y);
    // A number below the modulus, and an even one.
    let canonical = both(e, &not(e, &F.exceeds(e, s)), &not(e, &wide::is_odd(e, s)));
    let proper = both(e, &not(e, &is_negative(e, &t)), &not(e, &F.is_zero(e, &y)));
    let valid = both(e, &both(e, &canonical, &is_square), &proper);
    (Point { x, y, z: one, t }, valid)
}

/// The 32 bytes that encode a point's class.
pub fn compress<E: Evaluator>(e: &E, p: &Point<E>) -> Number<E, 4> {
    let multiply = |a: &Number<E, 4>, b: &Number<E, 4>| F.multiply(e, a, b);
    let imaginary = field::constant(e, CURVE25519_IMAGINARY);
    let u1 = multiply(&F.add(e, &p.z, &p.y), &F.subtract(e, &p.z, &p.y));
    let u2 = multiply(&p.x, &p.y);
    let (_, inverse) = field::sqrt_ratio(e, &F.one(e), &multiply(&u1, &F.square(e, &u2)));
    let (i1, i2) = (multiply(&inverse, &u1), multiply(&inverse, &u2));
    let z_inverse = multiply(&multiply(&i1, &i2), &p.t);
    let turned = multiply(&i1, &field::constant(e, CURVE25519_INVERSE_ROOT));
    let turn = is_negative(e, &multiply(&p.t, &z_inverse));
    let x = wide::select(e, &turn, &p.x, &multiply(&p.y, &imaginary));
    let y = wide::select(e, &turn, &p.y, &multiply(&p.x, &imaginary));
    let inverse = wide::select(e, &turn, &i2, &turned);
    let flip = is_negative(e, &multiply(&x, &z_inverse));
    let y = wide::select(e, &flip, &y, &F.negate(e, &y));
    field::even(e, &multiply(&inverse, &F.subtract(e, &p.z, &y)))
}
