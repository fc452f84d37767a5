//! Drops weights of the checkpoint one at a time: where one is exercised, a token has to change.

use std::{
    sync::atomic::{AtomicU8, AtomicUsize, Ordering},
    thread,
};

use anyhow::Context;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use svmllm::export::qwen::{
    Checkpoint,
    run::{Layer, Model},
    shape::Shape,
};

use super::examples::Example;
use crate::suites::progress_bar;

/// The tensors of weights; the others hold the same constant everywhere.
const KINDS: [&str; 11] = [
    "gate_proj",
    "up_proj",
    "down_proj",
    "in_proj_qkv",
    "in_proj_b",
    "in_proj_z",
    "out_proj",
    "q_proj",
    "k_proj",
    "v_proj",
    "o_proj",
];

/// What became of dropped weights.
#[derive(Default)]
pub(super) struct Count {
    examples: usize,
    /// A token changes.
    noticed: usize,
    /// No token changes, but one is not found by exact arithmetic any more.
    inexact: usize,
    /// The logit of a token of an answer changes, but neither happens.
    unnoticed: Vec<String>,
    /// Some layer gives something else for some token, but nothing of it reaches the logit of a token of an answer.
    masked: Vec<String>,
    /// Their layer gives the same for every token of every example.
    idle: Vec<String>,
}

impl Count {
    pub fn to_json(&self) -> Value {
        let noticed = self.noticed + self.inexact;
        json!({
            "weights": noticed + self.unnoticed.len() + self.masked.len() + self.idle.len(),
            "examples": self.examples, "noticed": noticed, "a_token_changes": self.noticed,
            "a_token_is_not_exact": self.inexact, "exercised_but_not_noticed": self.unnoticed,
            "only_values_that_no_answer_needs_change": self.masked, "nothing_changes": self.idle,
        })
    }
}

/// How far the loss of a weight has been seen to reach.
const IDLE: u8 = 0;
const FELT: u8 = 1;
const READ: u8 = 2;
const INEXACT: u8 = 3;
const NOTICED: u8 = 4;

/// A layer without one of its weights.
struct Spoiled {
    name: String,
    index: usize,
    layer: Layer,
    reach: AtomicU8,
}

/// Drops `count` weights.
pub(super) fn run(
    shape: &Shape,
    examples: &[Example],
    seed: u64,
    count: usize,
    progress: bool,
) -> anyhow::Result<Count> {
    let checkpoint = Checkpoint::build(shape.clone())?;
    let model = Model::new(&checkpoint)?;
    let spoiled = spoil(checkpoint, seed, count)?;
    let bar = progress_bar("sabotage", examples.len() as u64, progress);
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, Into::into) {
            scope.spawn(|| {
                while let Some(example) = examples.get(next.fetch_add(1, Ordering::Relaxed)) {
                    try_all(&model, &spoiled, example);
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    let mut result = Count { examples: examples.len(), ..Count::default() };
    for weight in spoiled {
        match weight.reach.into_inner() {
            NOTICED => result.noticed += 1,
            INEXACT => result.inexact += 1,
            READ => result.unnoticed.push(weight.name),
            FELT => result.masked.push(weight.name),
            _ => result.idle.push(weight.name),
        }
    }
    Ok(result)
}

/// Layers that each lack one weight, drawn from all.
fn spoil(mut checkpoint: Checkpoint, seed: u64, count: usize) -> anyhow::Result<Vec<Spoiled>> {
    let mut places = Vec::new();
    for (name, tensor) in &checkpoint.tensors {
        if KINDS.iter().any(|kind| name.contains(kind)) {
            for (row, entries) in tensor.rows.iter().enumerate() {
                places.extend((0..entries.len()).map(|entry| (name.clone(), row, entry)));
            }
        }
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut spoiled = Vec::new();
    for _ in 0..count {
        let (name, row, entry) = &places[rng.random_range(0..places.len())];
        let index = name.split('.').nth(2).and_then(|index| index.parse().ok()).context("a layer")?;
        let rows = |checkpoint: &mut Checkpoint, value| {
            let weight = &mut checkpoint.tensors.get_mut(name)?.rows[*row][*entry];
            Some((weight.0, std::mem::replace(&mut weight.1, value)))
        };
        let (column, kept) = rows(&mut checkpoint, 0.0).context("a weight")?;
        let layer = Layer::new(&checkpoint, index)?;
        rows(&mut checkpoint, kept);
        let name = format!("{name}[{row}, {column}]");
        spoiled.push(Spoiled { name, index, layer, reach: AtomicU8::new(IDLE) });
    }
    Ok(spoiled)
}

/// Tries the weights that no example has noticed yet.
fn try_all(model: &Model, spoiled: &[Spoiled], example: &Example) {
    let tokens = [&example.prompt[..], &example.draft].concat();
    // The residual streams before each layer, and after the last.
    let mut intact = vec![model.embed(&tokens[..tokens.len() - 1])];
    for (index, layer) in model.layers().iter().enumerate() {
        let mut rows = intact[index].clone();
        layer.pass(&mut rows);
        intact.push(rows);
    }
    let last = &intact[model.layers().len()];
    for weight in spoiled {
        if weight.reach.load(Ordering::Relaxed) == NOTICED {
            continue;
        }
        let mut rows = intact[weight.index].clone();
        weight.layer.pass(&mut rows);
        if rows == intact[weight.index + 1] {
            continue;
        }
        weight.reach.fetch_max(FELT, Ordering::Relaxed);
        for index in weight.index + 1..model.layers().len() {
            model.layers()[index].pass(&mut rows);
            if rows == intact[index + 1] {
                break;
            }
        }
        let first = example.prompt.len() - 1;
        for ((row, intact), token) in rows[first..].iter().zip(&last[first..]).zip(&example.draft) {
            if model.seen(row) == model.seen(intact) {
                continue;
            }
            let (now, before) = (model.read(row), model.read(intact));
            let reach = match now {
                _ if now.token != *token => NOTICED,
                _ if !now.confirms(*token) => INEXACT,
                _ if now != before => READ,
                _ => FELT,
            };
            weight.reach.fetch_max(reach, Ordering::Relaxed);
        }
    }
}
