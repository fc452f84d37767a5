//! Calls of the groups over 2^255 - 19, and of secp256k1.

use super::Generator;
use curve25519_dalek::{EdwardsPoint, RistrettoPoint, Scalar, constants::EIGHT_TORSION};
use k256::ecdsa::SigningKey;
use rand::{Rng, seq::IndexedRandom};

impl Generator {
    /// Mostly the number of the family's group.
    fn curve25519(&mut self) -> u64 {
        match self.rng.random_range(0..20) {
            0 => *[2, 3, 0x80, 0x100, u64::MAX].choose(&mut self.rng).unwrap_or(&2),
            _ => u64::from(self.call.family == "ristretto"),
        }
    }

    /// Arguments of a call of a family of these.
    pub(super) fn curve25519_arguments(&mut self) -> [u64; 5] {
        match self.call.name {
            "sol_secp256k1_recover" => self.recovery(),
            "sol_curve_validate_point" => {
                let curve = self.curve25519();
                let point = self.point(curve);
                [curve, point, 0, 0, 0]
            }
            "sol_curve_group_op" => {
                let curve = self.curve25519();
                let operation =
                    if self.rng.random_bool(0.95) { self.rng.random_range(0..3) } else { self.length() };
                let left = if operation == 2 { self.scalar() } else { self.point(curve) };
                [curve, operation, left, self.point(curve), self.pointer(32, 1)]
            }
            _ => self.multiscalar(),
        }
    }

    /// 32 bytes that mostly encode an element of a group.
    fn element(&mut self, curve: u64) -> [u8; 32] {
        let point = RistrettoPoint::from_uniform_bytes(&{
            let mut bytes = [0; 64];
            self.rng.fill(&mut bytes);
            bytes
        });
        let good = if curve == 1 {
            point.compress().to_bytes()
        } else {
            let scalar = Scalar::from_bytes_mod_order(self.rng.random());
            EdwardsPoint::mul_base(&scalar).compress().to_bytes()
        };
        let torsion = EIGHT_TORSION[self.rng.random_range(0..8)].compress().to_bytes();
        match self.rng.random_range(0..16) {
            0 => self.rng.random(),
            1 => torsion,
            2 => [0xff; 32],
            3 => [0; 32],
            4 => {
                // 2^255 - 19 and what follows: not canonical.
                let mut bytes = [0xff; 32];
                bytes[0] = self.rng.random_range(0xe0..=0xff);
                bytes[31] = self.rng.random_range(0x7e..=0x80);
                bytes
            }
            5 => {
                let mut bytes = good;
                bytes[31] ^= 0x80;
                bytes
            }
            _ => good,
        }
    }

    fn point(&mut self, curve: u64) -> u64 {
        if self.rng.random_bool(0.1) {
            return self.pointer(32, 1);
        }
        let bytes = self.element(curve);
        self.place(&bytes, 1)
    }

    fn scalar_bytes(&mut self) -> [u8; 32] {
        let order = [
            0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
        ];
        match self.rng.random_range(0..10) {
            0 => [0; 32],
            1 => order,
            2 => {
                let mut bytes = order;
                bytes[0] -= 1;
                bytes
            }
            3 => self.rng.random(),
            _ => Scalar::from_bytes_mod_order(self.rng.random()).to_bytes(),
        }
    }

    fn scalar(&mut self) -> u64 {
        if self.rng.random_bool(0.1) {
            return self.pointer(32, 1);
        }
        let bytes = self.scalar_bytes();
        self.place(&bytes, 1)
    }

    fn multiscalar(&mut self) -> [u64; 5] {
        let curve = self.curve25519();
        let count = match self.rng.random_range(0..20) {
            0 => 512,
            1 => 513,
            2 => self.length(),
            _ => self.rng.random_range(0..8),
        };
        let (mut scalars, mut points) = (Vec::new(), Vec::new());
        for _ in 0..count.min(20) {
            scalars.extend(self.scalar_bytes());
            points.extend(self.element(curve));
        }
        [curve, self.place(&scalars, 1), self.place(&points, 1), count, self.pointer(32, 1)]
    }

    /// A signature that mostly recovers.
    fn recovery(&mut self) -> [u64; 5] {
        let mut hash: [u8; 32] = self.rng.random();
        let mut bytes = [0; 64];
        self.rng.fill(&mut bytes);
        let mut id = self.rng.random_range(0..4);
        if let Ok(key) = SigningKey::from_slice(&self.rng.random::<[u8; 32]>())
            && let Ok((signature, recovery)) = key.sign_prehash_recoverable(&hash)
            && self.rng.random_bool(0.8)
        {
            bytes.copy_from_slice(&signature.to_bytes());
            id = u64::from(recovery.to_byte());
        }
        match self.rng.random_range(0..16) {
            0 => bytes[..32].fill(0),
            1 => bytes[32..].fill(0),
            2 => bytes[..32].fill(0xff),
            3 => bytes[32..].fill(0xff),
            4 => id = self.length(),
            5 => id ^= 1,
            6 => id ^= 2,
            7 => hash = [0; 32],
            8 => hash = [0xff; 32],
            _ => {}
        }
        let hash = if self.rng.random_bool(0.9) { self.place(&hash, 1) } else { self.pointer(32, 1) };
        let signature = if self.rng.random_bool(0.9) { self.place(&bytes, 1) } else { self.pointer(64, 1) };
        [hash, id, signature, self.pointer(64, 1), 0]
    }
}
