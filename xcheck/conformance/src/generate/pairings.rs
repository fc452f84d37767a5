//! Calls of BN254, BLS12-381 and Poseidon.

use super::{Generator, points};
use rand::{Rng, seq::IndexedRandom};

impl Generator {
    /// Puts all of some bytes one after the other, with gaps, and gives their addresses.
    fn place_all(&mut self, parts: &[Vec<u8>]) -> Vec<u64> {
        let (mut bytes, mut starts) = (Vec::new(), Vec::new());
        for part in parts {
            bytes.resize(bytes.len() + self.rng.random_range(0..4), 0);
            starts.push(bytes.len() as u64);
            bytes.extend(part);
        }
        let first = self.place(&bytes, 1);
        starts.iter().map(|start| first + start).collect()
    }

    /// A pointer to an input, which mostly is where it was put.
    fn input(&mut self, address: u64) -> u64 {
        if self.rng.random_bool(0.05) { self.pointer(96, 1) } else { address }
    }

    /// A length that mostly is the right one.
    fn about(&mut self, length: usize) -> u64 {
        let length = length as u64;
        match self.rng.random_range(0..16) {
            0 => length + 1,
            1 => length.saturating_sub(1),
            2 => self.rng.random_range(0..=length),
            3 => self.length(),
            _ => length,
        }
    }

    /// A selector of one of some operations, and whether numbers are in the big order.
    fn selector(&mut self, operations: &[u64], big: u64, little: u64) -> (u64, bool) {
        let is_big = self.rng.random_bool(0.5);
        let selector = match self.rng.random_range(0..24) {
            0 => *[1, 5, 7, 8, 0x81, 0x85, 0x100, u64::MAX].choose(&mut self.rng).unwrap_or(&1),
            _ => *operations.choose(&mut self.rng).unwrap_or(&0),
        };
        (selector | if is_big { big } else { little }, is_big)
    }

    fn bn254_first(&mut self, big: bool) -> Vec<u8> {
        let mut point = points::bn254_first(&mut self.rng);
        points::spoil(&mut self.rng, &mut point, points::BN254, 32);
        if big { point } else { points::flip(&point, 32) }
    }

    fn bn254_second(&mut self, big: bool) -> Vec<u8> {
        let mut point = points::bn254_second(&mut self.rng);
        points::spoil(&mut self.rng, &mut point, points::BN254, 64);
        if big { point } else { points::flip(&point, 64) }
    }

    fn scalar_in(&mut self, big: bool, order: points::Modulus) -> Vec<u8> {
        let scalar = points::scalar(&mut self.rng, order);
        if big { scalar } else { points::flip(&scalar, 32) }
    }

    /// Zero to eight pairs, of which every second may undo the one before.
    fn bn254_pairs(&mut self, big: bool) -> Vec<u8> {
        let order = |point: &[u8], width| if big { point.to_vec() } else { points::flip(point, width) };
        let pairs = self.rng.random_range(0..=8);
        let (undone, spoilt) = (self.rng.random_bool(0.5), self.rng.random_bool(0.3));
        let mut bytes = Vec::new();
        let mut last = (Vec::new(), Vec::new());
        for pair in 0..pairs {
            let (p, q) = if undone && pair % 2 == 1 {
                (points::bn254_negative(&last.0), last.1.clone())
            } else {
                let second = if spoilt {
                    points::bn254_second(&mut self.rng)
                } else {
                    points::bn254_member(&mut self.rng)
                };
                (points::bn254_first(&mut self.rng), second)
            };
            last = (p.clone(), q.clone());
            let (mut p, mut q) = (p, q);
            if spoilt {
                points::spoil(&mut self.rng, &mut p, points::BN254, 32);
                points::spoil(&mut self.rng, &mut q, points::BN254, 64);
            } else if self.rng.random_bool(0.1) {
                p.fill(0);
            } else if self.rng.random_bool(0.1) {
                q.fill(0);
            }
            bytes.extend(order(&p, 32));
            bytes.extend(order(&q, 64));
        }
        bytes
    }

    /// Arguments of a call of BN254.
    pub(super) fn bn254_arguments(&mut self) -> [u64; 5] {
        let compresses = self.call.name == "sol_alt_bn128_compression";
        let operations: &[u64] = match (compresses, self.call.family) {
            (true, _) => &[0, 1, 2, 3],
            (false, "bn254") => &[0, 2, 4, 6],
            (false, _) => &[3],
        };
        let (selector, big) = self.selector(operations, 0, 0x80);
        let input = match (compresses, selector & 0x7f) {
            (true, 0) => self.bn254_first(big),
            (true, 2) => self.bn254_second(big),
            (true, operation) => {
                let width = if operation == 1 { 32 } else { 64 };
                let point = if operation == 1 {
                    points::bn254_first(&mut self.rng)
                } else {
                    points::bn254_second(&mut self.rng)
                };
                let mut x = points::bn254_compressed(&point);
                points::spoil(&mut self.rng, &mut x, points::BN254, 0);
                if big { x } else { points::flip(&x, width) }
            }
            (false, 2) => [self.bn254_first(big), self.scalar_in(big, points::BN254_ORDER)].concat(),
            (false, 3) => self.bn254_pairs(big),
            (false, 4) => [self.bn254_second(big), self.bn254_second(big)].concat(),
            (false, 6) => [self.bn254_second(big), self.scalar_in(big, points::BN254_ORDER)].concat(),
            (false, _) => [self.bn254_first(big), self.bn254_first(big)].concat(),
        };
        let length = self.about(input.len());
        let address = self.place_all(&[input])[0];
        [selector, self.input(address), length, self.pointer(128, 1), self.rng.random()]
    }

    /// A point of a group of BLS12-381.
    fn bls12_381_point(&mut self, second: bool, big: bool, spoil: bool) -> Vec<u8> {
        let mut point = if second {
            points::bls12_381_second(&mut self.rng)
        } else {
            points::bls12_381_first(&mut self.rng)
        };
        if spoil {
            points::spoil(&mut self.rng, &mut point, points::BLS12_381, 0);
        }
        let width = if second { 96 } else { 48 };
        if big { point } else { points::flip(&point, width) }
    }

    /// Arguments of a call of BLS12-381.
    pub(super) fn bls12_381_arguments(&mut self) -> [u64; 5] {
        let pairs = self.call.name == "sol_curve_pairing_map";
        let operations: &[u64] = if pairs { &[4] } else { &[5, 6] };
        let (curve, big) = self.selector(operations, 0x80, 0);
        let second = curve & 0x7f == 6;
        match self.call.name {
            "sol_curve_validate_point" => {
                let point = self.bls12_381_point(second, big, true);
                let address = self.place_all(&[point])[0];
                [curve, self.input(address), 0, 0, 0]
            }
            "sol_curve_group_op" => {
                let operation =
                    if self.rng.random_bool(0.95) { self.rng.random_range(0..3) } else { self.length() };
                let left = if operation == 2 {
                    self.scalar_in(big, points::BLS12_381_ORDER)
                } else {
                    self.bls12_381_point(second, big, true)
                };
                let right = self.bls12_381_point(second, big, true);
                let addresses = self.place_all(&[left, right]);
                let (left, right) = (self.input(addresses[0]), self.input(addresses[1]));
                [curve, operation, left, right, self.pointer(192, 1)]
            }
            "sol_curve_decompress" => {
                let point = self.bls12_381_point(second, true, false);
                let mut x = points::bls12_381_compressed(&point);
                points::spoil(&mut self.rng, &mut x, points::BLS12_381, 0);
                let x = if big { x } else { points::flip(&x, if second { 96 } else { 48 }) };
                let address = self.place_all(&[x])[0];
                [curve, self.input(address), self.pointer(192, 1), 0, 0]
            }
            _ => {
                let count = self.rng.random_range(0..=8);
                let spoilt = self.rng.random_bool(0.3);
                let (mut first, mut second) = (Vec::new(), Vec::new());
                for _ in 0..count {
                    first.extend(self.bls12_381_member(false, big, spoilt));
                    second.extend(self.bls12_381_member(true, big, spoilt));
                }
                let addresses = self.place_all(&[first, second]);
                let count = match self.rng.random_range(0..20) {
                    0 => self.length(),
                    1 => 9,
                    _ => count,
                };
                let (first, second) = (self.input(addresses[0]), self.input(addresses[1]));
                [curve, count, first, second, self.pointer(576, 1)]
            }
        }
    }

    /// A point for a pairing: in the group unless it may be spoilt, sometimes at infinity.
    fn bls12_381_member(&mut self, second: bool, big: bool, spoilt: bool) -> Vec<u8> {
        if spoilt {
            return self.bls12_381_point(second, big, true);
        }
        let mut point = points::bls12_381_member(&mut self.rng, second);
        if self.rng.random_bool(0.1) {
            point.fill(0);
            point[0] = 0x40;
        }
        if big { point } else { points::flip(&point, if second { 96 } else { 48 }) }
    }

    /// Arguments of a call of Poseidon.
    pub(super) fn poseidon_arguments(&mut self) -> [u64; 5] {
        let parameters = if self.rng.random_bool(0.95) { 0 } else { self.length() };
        let order = if self.rng.random_bool(0.95) { self.rng.random_range(0..2) } else { self.length() };
        let count = match self.rng.random_range(0..20) {
            0 => self.length(),
            1 => 13,
            _ => self.rng.random_range(0..=12),
        };
        let edges = self.rng.random_bool(0.3);
        let mut elements = Vec::new();
        for _ in 0..count.min(13) {
            let mut element = points::scalar(&mut self.rng, points::BN254_ORDER);
            if !edges {
                element[0] &= 0x1f;
            }
            elements.push(if order == 1 { points::flip(&element, 32) } else { element });
        }
        let addresses = self.place_all(&elements);
        let mut list = Vec::new();
        for address in addresses {
            let length = if edges && self.rng.random_bool(0.1) { self.about(32) } else { 32 };
            let address = if edges { self.input(address) } else { address };
            list.extend(address.to_le_bytes());
            list.extend(length.to_le_bytes());
        }
        let list = self.place(&list, 8);
        [parameters, order, self.input(list), count, self.pointer(32, 1)]
    }
}
