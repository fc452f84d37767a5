//! Every hash on every evaluator, against the crates that compute them natively.

use super::{Blake3, Hasher, Keccak256, Sha256, Sha512};
use crate::{
    deltanet::HeadsBoundary,
    tables::{
        Counted, Indexed, Site, Weights,
        testing::{dense, indexed, relabelled, relabelled_dense},
    },
};
use ::sha2::Digest;

/// What every hash here is asked for: the digest of some bytes.
type Native = fn(&[u8]) -> Vec<u8>;

fn sha256(bytes: &[u8]) -> Vec<u8> {
    ::sha2::Sha256::digest(bytes).to_vec()
}

fn sha512(bytes: &[u8]) -> Vec<u8> {
    ::sha2::Sha512::digest(bytes).to_vec()
}

fn keccak256(bytes: &[u8]) -> Vec<u8> {
    sha3::Keccak256::digest(bytes).to_vec()
}

fn blake3(bytes: &[u8]) -> Vec<u8> {
    ::blake3::hash(bytes).as_bytes().to_vec()
}

/// A message with no two blocks alike.
fn message(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * 167 + i / 251 * 29 + 11) as u8).collect()
}

/// The digest by the weights; `bytes` are taken in in words of 1 to 8 bytes, as many as `sizes` says in
/// turn.
fn hash<E: HeadsBoundary, H: Hasher<E>>(e: &E, bytes: &[u8], sizes: &[usize]) -> Vec<u8> {
    let mut hasher = H::new(e);
    let (mut rest, mut sizes) = (bytes, sizes.iter().cycle());
    while !rest.is_empty() {
        let (now, later) = rest.split_at((*sizes.next().unwrap()).min(rest.len()));
        // The bytes behind those that count are of no meaning.
        let mut word = [0xd7; 8];
        word[..now.len()].copy_from_slice(now);
        hasher.update(e, &e.embed(u64::from_le_bytes(word)), &e.embed_digit(now.len())).unwrap();
        rest = later;
    }
    let digest = hasher.finish(e).unwrap();
    digest.as_ref().iter().flat_map(|word| e.read_out(word).unwrap().to_le_bytes()).collect()
}

fn check<E: HeadsBoundary, H: Hasher<E>>(e: &E, native: Native, length: usize, sizes: &[usize]) {
    let bytes = message(length);
    assert_eq!(hash::<E, H>(e, &bytes, sizes), native(&bytes), "{length} bytes in words of {sizes:?}");
}

/// Lengths around the borders of `block` bytes, and some between.
fn lengths(block: usize) -> impl Iterator<Item = usize> {
    (0..=300).filter(move |length| length % 7 == 0 || (length + 10) % block < 12)
}

fn on_rows<E: HeadsBoundary, H: Hasher<E>>(e: &E, native: Native, block: usize) {
    for length in lengths(block) {
        check::<E, H>(e, native, length, &[8]);
        check::<E, H>(e, native, length, &[3, 8, 1, 5, 7, 2, 6, 4]);
    }
}

#[test]
fn sha256_on_rows() {
    on_rows::<_, Sha256<_>>(indexed(), sha256, 64);
    on_rows::<_, Sha256<_>>(relabelled(), sha256, 64);
}

#[test]
fn sha512_on_rows() {
    on_rows::<_, Sha512<_>>(indexed(), sha512, 128);
    on_rows::<_, Sha512<_>>(relabelled(), sha512, 128);
}

#[test]
fn keccak256_on_rows() {
    on_rows::<_, Keccak256<_>>(indexed(), keccak256, 136);
    on_rows::<_, Keccak256<_>>(relabelled(), keccak256, 136);
}

#[test]
fn blake3_on_rows() {
    on_rows::<_, Blake3<_>>(indexed(), blake3, 64);
    on_rows::<_, Blake3<_>>(relabelled(), blake3, 64);
}

/// Chunks have 1024 bytes; subtrees are complete at powers of two of them.
#[test]
fn blake3_builds_trees() {
    for chunks in 1..=9 {
        for length in [1023, 1024, 1025].map(|edge| 1024 * (chunks - 1) + edge) {
            check::<_, Blake3<_>>(indexed(), blake3, length, &[8]);
        }
    }
    check::<_, Blake3<_>>(indexed(), blake3, 40_000, &[7, 8]);
    check::<_, Blake3<_>>(relabelled(), blake3, 5_000, &[8, 1]);
}

#[test]
fn sha256_on_tensors() {
    check::<_, Sha256<_>>(&dense(), sha256, 3, &[8]);
    check::<_, Sha256<_>>(&relabelled_dense(), sha256, 61, &[8]);
}

#[test]
fn sha512_on_tensors() {
    check::<_, Sha512<_>>(&dense(), sha512, 3, &[8]);
    check::<_, Sha512<_>>(&relabelled_dense(), sha512, 111, &[8]);
}

#[test]
fn keccak256_on_tensors() {
    check::<_, Keccak256<_>>(&dense(), keccak256, 3, &[8]);
    check::<_, Keccak256<_>>(&relabelled_dense(), keccak256, 135, &[8]);
}

#[test]
fn blake3_on_tensors() {
    check::<_, Blake3<_>>(&dense(), blake3, 3, &[8]);
    check::<_, Blake3<_>>(&relabelled_dense(), blake3, 65, &[8]);
}

/// Observations of a hash of so many bytes, in words of eight.
fn observed<H: Hasher<Counted<Indexed>>>(e: &Counted<Indexed>, length: usize) -> [u64; 4] {
    e.restart();
    hash::<_, H>(e, &message(length), &[8]);
    let counts = e.counts();
    let at =
        [Site::BlockFull, Site::LengthFits, Site::ChunkFull, Site::SubtreeOpen].map(|site| counts.at(site));
    assert_eq!(counts.observed(), at.iter().sum::<u64>(), "{length} bytes");
    at
}

/// What a driver observes depends on the length alone: one bit a word, one for the padding of SHA-2;
/// in BLAKE3 one a block but the last, and for each complete chunk one for each subtree it completes and
/// one more.
#[test]
fn observations_follow_from_the_length() {
    let e = &Counted::new(Indexed::new(&Weights::generate()).unwrap());
    for length in [0usize, 1, 55, 56, 64, 65, 111, 128, 136, 300, 1024, 1025, 5000, 8193] {
        let words = length.div_ceil(8) as u64;
        let blocks = (length.max(1) as u64 - 1) / 64;
        let chunks = blocks / 16;
        let subtrees = chunks - u64::from(chunks.count_ones());
        assert_eq!(observed::<Sha256<_>>(e, length), [words, 1, 0, 0], "{length} bytes");
        assert_eq!(observed::<Sha512<_>>(e, length), [words, 1, 0, 0], "{length} bytes");
        assert_eq!(observed::<Keccak256<_>>(e, length), [words, 0, 0, 0], "{length} bytes");
        assert_eq!(observed::<Blake3<_>>(e, length), [words, 0, blocks, chunks + subtrees], "{length} bytes");
    }
}
