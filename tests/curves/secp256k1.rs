//! Recovery of public keys, against libsecp256k1.

use crate::{bit, bytes, check, evaluator, flip, is_on, number, thirty_two};
use libsecp256k1::{Message, PublicKey, RecoveryId, SecretKey, Signature};
use num_bigint::BigUint;
use proptest::prelude::*;
use svmllm::syscalls::curves::secp256k1;

const ORDER: [u8; 32] = [
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0xba,
    0xae, 0xdc, 0xe6, 0xaf, 0x48, 0xa0, 0x3b, 0xbf, 0xd2, 0x5e, 0x8c, 0xd0, 0x36, 0x41, 0x41,
];

/// The key, x then y, or nothing where nobody can have signed.
fn ours(hash: &[u8; 32], signature: &[u8; 64], id: u8) -> Option<Vec<u8>> {
    let e = evaluator();
    let [hash, r, s] = [&hash[..], &signature[..32], &signature[32..]].map(|bytes| number(&flip(bytes, 32)));
    let read = secp256k1::read(e, [&r, &s], [&bit(id & 1 == 1), &bit(id & 2 == 2)]);
    if !is_on(&read.valid) {
        return None;
    }
    let key = secp256k1::recover(e, &hash, &read);
    (!is_on(&key.infinity)).then(|| [&key.x, &key.y].map(|part| flip(&bytes(part), 32)).concat())
}

fn theirs(hash: &[u8; 32], signature: &[u8; 64], id: u8) -> Option<Vec<u8>> {
    let signature = Signature::parse_standard(signature).ok()?;
    let key =
        libsecp256k1::recover(&Message::parse(hash), &signature, &RecoveryId::parse(id).unwrap()).ok()?;
    Some(key.serialize()[1..].to_vec())
}

fn agree(hash: &[u8; 32], signature: &[u8; 64], id: u8) -> Option<Vec<u8>> {
    let expected = theirs(hash, signature, id);
    assert_eq!(ours(hash, signature, id), expected, "{hash:x?} {signature:x?} {id}");
    expected
}

/// A signature with a nonce, and its recovery id: r is the x of the nonce's point, s is (hash + r key) /
/// nonce. Nothing where one of the numbers is 0.
fn sign(hash: &[u8; 32], key: &SecretKey, nonce: &SecretKey) -> Option<([u8; 64], u8)> {
    let point = PublicKey::from_secret_key(nonce).serialize();
    let r = SecretKey::parse_slice(&point[1..33]).ok()?;
    let mut s = r;
    s.tweak_mul_assign(key).ok()?;
    s.tweak_add_assign(&SecretKey::parse(hash).ok()?).ok()?;
    s.tweak_mul_assign(&nonce.inv()).ok()?;
    Some(([r.serialize(), s.serialize()].concat().try_into().unwrap(), point[64] & 1))
}

#[test]
fn signatures() {
    let key = thirty_two().prop_filter_map("is a key", |bytes| SecretKey::parse(&bytes).ok());
    let signed = (key.clone(), key, thirty_two())
        .prop_filter_map("signs with 0", |(key, nonce, hash)| Some((hash, key, sign(&hash, &key, &nonce)?)));
    check(12, (signed, 0..4u8), |((hash, key, (signature, id)), other)| {
        let public = PublicKey::from_secret_key(&key).serialize();
        assert_eq!(agree(&hash, &signature, id).as_deref(), Some(&public[1..]));
        agree(&hash, &signature, other);
    });
}

/// Numbers nobody has signed with: most are still those of some key.
#[test]
fn any_numbers() {
    check(16, (thirty_two(), thirty_two(), thirty_two(), 0..4u8), |(hash, r, s, id)| {
        agree(&hash, &[r, s].concat().try_into().unwrap(), id);
    });
}

#[test]
fn edges() {
    let order = BigUint::from_bytes_be(&ORDER);
    let field: BigUint = (BigUint::from(1u32) << 256) - (1u64 << 32) - 977u32;
    let number = |number: &BigUint| -> [u8; 32] {
        let mut bytes: Vec<u8> = flip(&number.to_bytes_le(), 32);
        while bytes.len() < 32 {
            bytes.insert(0, 0);
        }
        bytes.try_into().unwrap()
    };
    let one = BigUint::from(1u32);
    // r + n below, at and above the field's modulus.
    let room = &field - &order;
    let rs: [BigUint; 10] = [
        BigUint::ZERO,
        one.clone(),
        &one * 2u32,
        &one * 4u32,
        &room - 1u32,
        room.clone(),
        &room + 1u32,
        &order - 1u32,
        order.clone(),
        &order + 1u32,
    ];
    let (mut found, mut refused) = (0, 0);
    for r in rs {
        for s in [BigUint::ZERO, one.clone(), &order - 1u32, order.clone()] {
            for id in 0..4 {
                let signature: [u8; 64] = [number(&r), number(&s)].concat().try_into().unwrap();
                match agree(&[7; 32], &signature, id) {
                    Some(_) => found += 1,
                    None => refused += 1,
                }
            }
        }
    }
    assert!(found > 10 && refused > 10, "{found} keys, {refused} refused");
}

/// s R = hash G gives the point at infinity, which is no key.
#[test]
fn the_key_at_infinity() {
    let one = {
        let mut one = [0; 32];
        one[31] = 1;
        one
    };
    // The point with the discrete logarithm 1: r is the x of the base point.
    let base = PublicKey::from_secret_key(&SecretKey::parse(&one).unwrap()).serialize();
    let signature: [u8; 64] = [&base[1..33], &one].concat().try_into().unwrap();
    let id = base[64] & 1;
    assert_eq!(agree(&one, &signature, id), None);
    assert!(agree(&one, &signature, id ^ 1).is_some());
}
