//! How long each stage of a step takes on its own.
//!
//! The stages are those of [`svmllm::machine::lazy_step`] for an addition or exclusive or of two registers,
//! each run alone over the slots of such a program. In a step they overlap, so they add up to more than it.

use std::{hint::black_box, time::Instant};

use svmllm::{
    alu,
    deltanet::HeadsBoundary,
    tables::{
        Site, Word,
        alphabet::{Bit, Nibble, Version},
        catalogue::PHASE,
        decode::{EXTEND, NARROW, REGISTER, UNIT, WRITES},
    },
};

/// Slots that the stages go through, as `slot` of an instruction makes them: eight additions and
/// exclusive ors between r1, r2 and r3.
const SLOTS: [u64; 8] = [0x210f, 0x12af, 0x320f, 0x23af, 0x130f, 0x31af, 0x310f, 0x13af];
/// Times each stage goes through all slots in a round.
const TURNS: u32 = 2_000;
/// Rounds a median is taken of.
const ROUNDS: usize = 7;

/// A stage and the nanoseconds it takes.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// What it does.
    pub name: &'static str,
    /// Nanoseconds, the median of several rounds.
    pub ns: f64,
}

/// Measures each stage.
///
/// # Errors
/// An activation was not exactly one-hot.
pub fn measure<E: HeadsBoundary>(e: &E) -> Result<Vec<Stage>, E::Error> {
    let slots = e.slots(&SLOTS);
    let places: Vec<Word<E>> = (0..SLOTS.len() as u64).map(|pc| e.embed(pc)).collect();
    let words: Vec<Word<E>> = SLOTS.iter().map(|slot| e.embed(*slot)).collect();
    let version = e.embed_digit::<Version>(0);
    let off = e.digit::<Bit, 0>();
    let phase = e.apply3(PHASE, &version, &e.digit::<Bit, 1>(), &off);
    let controls: Vec<E::Control> =
        words.iter().map(|slot| e.decode(&phase, &e.lane(slot, 0), &e.lane(slot, 1))).collect();
    let mut bank = e.bank();
    let mut meter = e.embed(u64::MAX >> 1);
    let mut value = e.embed(0x9e37_79b9_7f4a_7c15);
    let other = e.embed(0x0123_4567_89ab_cdef);
    let count = SLOTS.len();
    Ok(vec![
        time("meter", count, |_| {
            meter = e.decrement(&meter).0;
            Ok(())
        })?,
        time("fetch", count, |i| {
            black_box(e.fetch(&slots, black_box(&places[i])));
            Ok(())
        })?,
        time("decode", count, |i| {
            let slot = black_box(&words[i]);
            let phase = e.apply3(PHASE, &version, &e.digit::<Bit, 1>(), &off);
            let control = e.decode(&phase, &e.lane(slot, 0), &e.lane(slot, 1));
            black_box(e.observe_gate(&e.gates(&control, UNIT), Site::Unit)?);
            Ok(())
        })?,
        time("next slot", count, |i| {
            black_box(e.increment(black_box(&places[i])));
            Ok(())
        })?,
        time("operands", count, |i| {
            let (slot, control) = (black_box(&words[i]), &controls[i]);
            let narrow = e.gates(control, NARROW);
            let left = e.bank_read(&bank, &e.lane(slot, 2));
            let register = e.bank_read(&bank, &e.lane(slot, 3));
            let immediate = e.shift_down(slot, 8, &e.digit::<Nibble, 0>());
            let right = e.attend(&e.gates(control, REGISTER), [&immediate, &register]);
            black_box((e.extend(&narrow, &left), e.extend(&narrow, &right)));
            Ok(())
        })?,
        time("execute: add", count, |_| {
            value = alu::add(e, &value, &other);
            Ok(())
        })?,
        time("execute: xor", count, |_| {
            value = alu::bitwise_xor(e, &value, &other);
            Ok(())
        })?,
        time("write", count, |i| {
            let (slot, control) = (black_box(&words[i]), &controls[i]);
            let value = e.extend(&e.gates(control, EXTEND), black_box(&other));
            e.bank_write(&mut bank, &e.lane(slot, 2), &e.gates(control, WRITES), &value);
            Ok(())
        })?,
    ])
}

/// The time of one `run`, which goes through the slots by number.
fn time<X>(
    name: &'static str,
    count: usize,
    mut run: impl FnMut(usize) -> Result<(), X>,
) -> Result<Stage, X> {
    let mut rounds = [0.0; ROUNDS];
    for round in &mut rounds {
        let started = Instant::now();
        for _ in 0..TURNS {
            (0..count).try_for_each(&mut run)?;
        }
        *round = started.elapsed().as_nanos() as f64 / (f64::from(TURNS) * count as f64);
    }
    rounds.sort_by(f64::total_cmp);
    Ok(Stage { name, ns: rounds[ROUNDS / 2] })
}
