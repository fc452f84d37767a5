//! How a caller describes its call, with something wrong in the description.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use svmllm::host::{HEAP_ADDRESS, INPUT_ADDRESS};

use super::{Call, GROWTH, Place, faults::Change};
use crate::generate::spl::{chance, one};

/// How the call is described.
pub const CALLS: [(&str, Change<Call>); 25] = [
    ("signer byte", |call, rng| {
        let i = rng.random_range(0..call.metas.len());
        call.metas[i].signer = one(rng, &[2, 255, 0x80]);
    }),
    ("writable byte", |call, rng| {
        let i = rng.random_range(0..call.metas.len());
        call.metas[i].writable = one(rng, &[2, 255, 0x80]);
    }),
    ("many signers", |call, rng| {
        let seeds = call.signers[0].clone();
        call.signers = vec![seeds; one(rng, &[2, 16, 17])];
    }),
    ("many seeds", |call, rng| {
        let mut seeds = vec![vec![]; one(rng, &[13, 14, 15, 16, 20])];
        seeds.extend(call.signers[0].clone());
        call.signers[0] = seeds;
    }),
    ("long seed", |call, rng| call.signers[0][0].resize(one(rng, &[31, 32, 33, 100]), b'x')),
    ("other bump", |call, rng| call.signers[0][1] = vec![rng.random()]),
    ("no signers", |call, _| call.signers.clear()),
    ("no seeds", |call, rng| {
        call.signers[0].clear();
        if chance(rng, 50) {
            call.signers.push(vec![vec![]]);
        }
    }),
    ("signer that is not needed", |call, rng| {
        call.signers.push(vec![b"some other".to_vec(), vec![rng.random()]]);
    }),
    ("account not described", |call, rng| {
        call.infos.remove(rng.random_range(0..call.infos.len().min(6)));
    }),
    ("account described twice", |call, rng| {
        let i = rng.random_range(0..call.infos.len().min(6));
        let mut info = call.infos[i].clone();
        info.place.length = one(rng, &[0, info.place.length + 8, 1 << 40]);
        let at = one(rng, &[0, call.infos.len()]);
        call.infos.insert(at, info);
    }),
    ("rubbish described", |call, rng| {
        let mut info = call.infos[0].clone();
        info.place.key = one(rng, &[info.place.owner, call.infos[1].place.owner, INPUT_ADDRESS, 8]);
        [info.place.data, info.place.lamports, info.place.owner] = [7, 9, 11];
        let at = one(rng, &[0, call.infos.len()]);
        call.infos.insert(at, info);
    }),
    ("many described", |call, rng| {
        let info = call.infos[0].clone();
        call.infos.resize(one(rng, &[64, 254, 255, 256]), info);
    }),
    ("many listed", |call, rng| {
        let meta = call.metas[0].clone();
        call.metas.resize(one(rng, &[64, 254, 255, 256]), meta);
    }),
    ("none listed", |call, _| call.metas.clear()),
    ("key elsewhere", |call, rng| {
        let place = call.infos[0].place;
        pick(call, rng).key = one(rng, &[place.key, place.key + 1, place.key - 1, place.owner, HEAP_ADDRESS]);
    }),
    ("owner elsewhere", |call, rng| {
        let place = call.infos[0].place;
        pick(call, rng).owner = one(rng, &[place.owner, place.owner + 8, place.key, HEAP_ADDRESS, 0]);
    }),
    ("lamports elsewhere", |call, rng| {
        let place = call.infos[0].place;
        pick(call, rng).lamports =
            one(rng, &[place.lamports, place.lamports + 1, place.data - 8, HEAP_ADDRESS, 0]);
    }),
    ("data elsewhere", |call, rng| {
        let place = call.infos[0].place;
        pick(call, rng).data = one(rng, &[place.data, place.data + 1, place.key, HEAP_ADDRESS, 0]);
    }),
    ("other length", |call, rng| {
        let place = pick(call, rng);
        let length = place.length;
        let lengths = [0, 1, length + 1, length + GROWTH, length + GROWTH + 1, u64::MAX, 1 << 63, 10 << 20];
        place.length = one(rng, &lengths);
    }),
    ("lamports cell in the input", |call, rng| {
        let i = rng.random_range(0..call.infos.len().min(6));
        let place = call.infos[i].place;
        call.infos[i].lamports_cell =
            Some(one(rng, &[place.lamports, INPUT_ADDRESS - 8, place.data, place.data - 32]));
    }),
    ("data cell in the input", |call, rng| {
        let i = rng.random_range(0..call.infos.len().min(6));
        let place = call.infos[i].place;
        call.infos[i].data_cell =
            Some(one(rng, &[place.data, INPUT_ADDRESS - 32, INPUT_ADDRESS - 24, place.lamports]));
    }),
    ("listed key elsewhere", |call, rng| {
        let place = call.infos[0].place;
        let i = rng.random_range(0..call.metas.len());
        call.metas[i].at = Some(one(rng, &[place.owner, place.key + 1, 0, HEAP_ADDRESS, INPUT_ADDRESS + 8]));
    }),
    ("described in read-only memory", |call, rng| {
        call.constant = true;
        if chance(rng, 70) {
            let mine = call.infos[0].place.key;
            call.metas.retain(|meta| meta.at == Some(mine));
        }
    }),
    ("infos' flags", |call, rng| {
        let i = rng.random_range(0..call.infos.len());
        call.infos[i].signer = one(rng, &[0, 1, 2]);
        call.infos[i].writable = one(rng, &[0, 1, 2]);
    }),
];

fn pick<'a>(call: &'a mut Call, rng: &mut ChaCha8Rng) -> &'a mut Place {
    let some = rng.random_range(0..call.infos.len().min(6));
    &mut call.infos[some].place
}
