//! The graph, run by a small interpreter of its own, against the machine.

use std::collections::BTreeMap;

use super::{
    FUNCTIONS, SLOTS, WORD,
    evaluator::{Tracer, value},
    graph::{Finished, Name, Operation},
    trace,
};
use crate::{
    alu::field::CURVE25519,
    host::{Environment, Machine, Mode, Program, Setup, Version, assemble},
    tables::{
        Array, Boundary, Evaluator, Indexed, Labels, Weights, Word,
        alphabet::{AlphabetId, Halt},
    },
};

/// Values of tensors on their way through the graph.
type Values = BTreeMap<Name, Array>;

fn matrix(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> f32) -> Array {
    let data = (0..rows * columns).map(|at| entry(at / columns, at % columns)).collect();
    Array { shape: vec![rows, columns], data }
}

fn product(a: &Array, b: &Array, turned: bool) -> Array {
    let width = if turned { b.shape[0] } else { b.shape[1] };
    let mut out = Array::zeros(&[a.shape[0], width]);
    for row in 0..a.shape[0] {
        for (k, factor) in a.row(row).iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
            for column in 0..width {
                let entry = if turned { b.row(column)[k] } else { b.row(k)[column] };
                *out.at_mut(row, column) += factor * entry;
            }
        }
    }
    out
}

fn run(operation: &Operation, inputs: &[&Array]) -> Array {
    let a = inputs[0];
    let (rows, columns) = (a.shape[0], a.shape.get(1).copied().unwrap_or(1));
    let entrywise = |f: fn(f32, f32) -> f32| {
        let b = inputs[1];
        let at = |row: usize, column: usize| match b.data.len() {
            1 => b.data[0],
            _ => b.data[row * columns + column],
        };
        matrix(rows, columns, |row, column| f(a.data[row * columns + column], at(row, column)))
    };
    match operation {
        Operation::Gemm => {
            let (sum, bias) = (product(a, inputs[1], true), &inputs[2].data);
            let bias_of = |column: usize| if bias.len() == 1 { bias[0] } else { bias[column] };
            matrix(rows, sum.shape[1], |row, column| sum.row(row)[column] + bias_of(column))
        }
        Operation::MatMul => product(a, inputs[1], false),
        Operation::Add => entrywise(|a, b| a + b),
        Operation::Sub => entrywise(|a, b| a - b),
        Operation::Mul => entrywise(|a, b| a * b),
        Operation::Relu => matrix(rows, columns, |row, column| a.row(row)[column].max(0.0)),
        Operation::Concat(0) => {
            let data = inputs.iter().flat_map(|part| part.data.iter().copied()).collect();
            Array { shape: vec![inputs.iter().map(|part| part.shape[0]).sum(), columns], data }
        }
        Operation::Concat(_) => {
            let data = (0..rows).flat_map(|row| inputs.iter().flat_map(move |part| part.row(row).to_vec()));
            Array { data: data.collect(), shape: vec![rows, inputs.iter().map(|part| part.shape[1]).sum()] }
        }
        Operation::Slice { axis: 0, start, end } => {
            matrix(end - start, columns, |row, column| a.row(start + row)[column])
        }
        Operation::Slice { start, end, .. } => {
            matrix(rows, end - start, |row, column| a.row(row)[start + column])
        }
        Operation::Gather(picked) => matrix(picked.len(), columns, |row, column| a.row(picked[row])[column]),
        Operation::Reshape(shape) => {
            assert_eq!(a.data.len(), shape[0] * shape[1]);
            Array { shape: shape.to_vec(), data: a.data.clone() }
        }
        Operation::Transpose => matrix(columns, rows, |row, column| a.row(column)[row]),
    }
}

/// The outputs for some inputs.
fn evaluate(graph: &Finished, inputs: &Values) -> BTreeMap<&'static str, Array> {
    let mut values = inputs.clone();
    for (name, shape) in &graph.inputs {
        assert_eq!(values[name].shape, shape, "{name}");
    }
    for (name, node) in &graph.nodes {
        let inputs: Vec<&Array> = node
            .inputs
            .iter()
            .map(|name| graph.constants.get(name).unwrap_or_else(|| &values[name]))
            .collect();
        let output = run(&node.operation, &inputs);
        values.insert(name.clone(), output);
    }
    let outputs = graph.outputs.iter();
    outputs
        .map(|(output, shape, name)| {
            assert_eq!(values[name].shape, shape, "{output}");
            (*output, values[name].clone())
        })
        .collect()
}

/// Numbers to one-hot digits and back.
struct Code<'a>(&'a Labels);

impl Code<'_> {
    fn digits(&self, value: u64, count: usize) -> Vec<f32> {
        let digit = |lane: usize| value.checked_shr(4 * lane as u32).unwrap_or(0) as usize & 15;
        let hot = |lane: usize| self.0.position(AlphabetId::Nibble, digit(lane));
        (0..count).flat_map(|lane| (0..16).map(move |at| f32::from(at == hot(lane)))).collect()
    }

    fn word(&self, value: u64) -> Array {
        Array { shape: vec![16, 16], data: self.digits(value, 16) }
    }

    /// The row of a register: a digit's own code is the key.
    fn row_of(&self, register: usize) -> usize {
        self.0.position(AlphabetId::Nibble, register)
    }

    fn register_at(&self, row: usize) -> usize {
        (0..16).find(|register| self.row_of(*register) == row).unwrap()
    }

    /// A word and whether it is there.
    fn found(&self, value: Option<u64>) -> Vec<f32> {
        let bit = self.0.position(AlphabetId::Bit, usize::from(value.is_some()));
        let mut row = self.digits(value.unwrap_or(0), 16);
        row.extend((0..2).map(|at| f32::from(at == bit)));
        row
    }

    fn letter(&self, id: AlphabetId, digit: &[f32]) -> usize {
        let hot: Vec<usize> = (0..digit.len()).filter(|at| digit[*at] != 0.0).collect();
        assert!(hot.len() == 1 && digit[hot[0]] == 1.0, "{digit:?}");
        (0..id.radix()).find(|letter| self.0.position(id, *letter) == hot[0]).unwrap()
    }

    fn value(&self, word: &[f32]) -> u64 {
        let digits = word.chunks(16).map(|digit| self.letter(AlphabetId::Nibble, digit) as u64);
        digits.enumerate().fold(0, |value, (lane, digit)| value | digit << (4 * lane))
    }
}

fn start(code: &Code, program: &Program, budget: u64) -> Values {
    let slots: Vec<u64> =
        program.text.as_chunks::<8>().0.iter().map(|slot| u64::from_le_bytes(*slot)).collect();
    let rows = |count: usize, width: usize, row: &dyn Fn(usize) -> Vec<f32>| Array {
        shape: vec![count, width],
        data: (0..count).flat_map(row).collect(),
    };
    let functions: Vec<(u32, usize)> = program.functions.iter().map(|(key, pc)| (*key, *pc)).collect();
    let nothing = code.found(None);
    let values = [
        ("slots", rows(SLOTS, WORD + 2, &|row| code.found(slots.get(row).copied()))),
        ("slot_count", code.word(slots.len() as u64)),
        (
            "function_keys",
            rows(FUNCTIONS, WORD / 2, &|row| match functions.get(row) {
                Some((key, _)) => code.digits((*key).into(), 8),
                None => vec![0.0; WORD / 2],
            }),
        ),
        (
            "function_values",
            rows(FUNCTIONS, WORD + 2, &|row| {
                let found = functions.get(row).map(|(_, pc)| code.found(Some(*pc as u64)));
                let found = found.unwrap_or_else(|| nothing.clone());
                found.iter().zip(&nothing).map(|(found, nothing)| found - nothing).collect()
            }),
        ),
        (
            "registers",
            rows(16, WORD, &|row| match code.register_at(row) {
                1 => code.digits(0x4_0000_0000, 16),
                10 => code.digits(0x2_0000_1000, 16),
                _ => code.digits(0, 16),
            }),
        ),
        ("pc", code.word(program.entry_pc as u64)),
        ("meter", code.word(budget)),
        ("depth", code.word(0)),
        ("frames", rows(SLOTS, 6 * WORD, &|_| code.digits(0, 96))),
    ];
    values.into_iter().map(|(name, array)| (Name::from(name), array)).collect()
}

/// Runs a program on the graph and on the machine, and compares after each step.
fn compare(graph: &Finished, labels: &Labels, source: &str, budget: u64) -> Halt {
    let code = Code(labels);
    let program = assemble(source, Version::V0).unwrap();
    let indexed = Indexed::new(&Weights::generate()).unwrap();
    let setup = Setup { budget, ..Setup::default() };
    let mut machine = Machine::new(&indexed, &program, &setup, &Environment::default(), Mode::Lazy).unwrap();
    let mut values = start(&code, &program, budget);
    loop {
        let outputs = evaluate(graph, &values);
        let halt = Halt::LETTERS[code.letter(AlphabetId::Halt, &outputs["halt"].data)];
        let ended = machine.step().unwrap().is_some();
        assert_eq!(ended, halt != Halt::Continue, "{source}");
        let registers = machine.registers().unwrap();
        for (number, register) in registers[..11].iter().enumerate() {
            assert_eq!(
                code.value(outputs["registers_next"].row(code.row_of(number))),
                *register,
                "r{number}: {source}"
            );
        }
        assert_eq!(code.value(&outputs["pc_next"].data), registers[11], "{source}");
        assert_eq!(code.value(&outputs["meter_next"].data), machine.remaining().unwrap(), "{source}");
        if ended {
            return halt;
        }
        for name in ["registers", "pc", "meter", "depth", "frames"] {
            values.insert(Name::from(name), outputs[format!("{name}_next").as_str()].clone());
        }
    }
}

#[test]
fn programs_run_on_the_graph_as_on_the_machine() {
    let weights = Weights::generate();
    let graph = trace(&weights).unwrap();
    let sums = "lddw r1, 0xfedcba9876543210\nmov64 r2, -3\nadd64 r1, r2\nsub32 r1, 7\nxor64 r2, r1\n\
                jeq r1, r2, +1\njsgt r1, r2, +0\nmov64 r0, 2\nagain:\nsub64 r0, 1\njne r0, 0, again\nexit";
    let units = "mov64 r1, 1000003\nmov64 r2, r1\nmul64 r2, r1\ndiv64 r2, 17\nlsh64 r2, 5\narsh32 r2, 3\n\
                 be32 r2\ncall function_f\nexit\nfunction_f:\nmov64 r6, r2\nmod64 r6, 10\nexit";
    assert_eq!(compare(&graph, &Labels::identity(), sums, 100), Halt::Exit);
    assert_eq!(compare(&graph, &Labels::identity(), units, 100), Halt::Exit);
    for (failing, budget) in
        [("ldxb r0, [r1+0]\nexit", 9), ("div64 r1, r0", 9), ("mov64 r0, 1", 9), ("ja -1", 3), ("callx r1", 9)]
    {
        assert_eq!(compare(&graph, &Labels::identity(), failing, budget), Halt::Fault, "{failing}");
    }
}

/// Nothing in the graph relies on which position shows which letter.
#[test]
fn other_labels_give_the_same_results() {
    let turned = |id: AlphabetId| (0..id.radix()).map(|letter| (letter + 1) % id.radix()).collect();
    let labels = Labels::from_positions(turned).unwrap();
    let graph = trace(&Weights::generate_labelled(&labels)).unwrap();
    let source = "mov64 r1, 9\nadd64 r1, 8\njne r1, 17, +1\nmul64 r1, r1\nexit";
    assert_eq!(compare(&graph, &labels, source, 10), Halt::Exit);
}

/// The constants are the weights, and a spoilt one shows.
#[test]
fn constants_are_the_weights() {
    let weights = Weights::generate();
    let graph = trace(&weights).unwrap();
    let mut from_weights = 0;
    for (name, array) in &graph.constants {
        if let Ok(tensor) = weights.get(name) {
            assert_eq!(array, tensor, "{name}");
            from_weights += 1;
        } else {
            let kinds = ["letter.", "word.", "nothing"];
            assert!(kinds.iter().any(|kind| name.starts_with(kind)), "{name}");
        }
    }
    assert!(from_weights > 80, "{from_weights}");
    let mut spoilt = weights.clone();
    let sum = spoilt.get_mut("table.add.w2").unwrap();
    sum.data.rotate_right(256);
    let graph = trace(&spoilt).unwrap();
    let result = std::panic::catch_unwind(|| {
        compare(&graph, &Labels::identity(), "mov64 r0, 9\nadd64 r0, 8\nexit", 10);
    });
    assert!(result.is_err());
}

/// a b + a - b modulo 2^255 - 19.
fn field_product<E: Evaluator>(e: &E, a: &[Word<E>; 4], b: &[Word<E>; 4]) -> [Word<E>; 4] {
    let product = CURVE25519.multiply(e, a, b);
    CURVE25519.sum(e, &[&product, a], &[b])
}

/// Circuits of wide numbers trace too.
#[test]
fn a_field_product() {
    let weights = Weights::generate();
    let (e, indexed) = (Tracer::new(&weights).unwrap(), Indexed::new(&weights).unwrap());
    let code = Code(&Labels::identity());
    let numbers = [[0xffff_ffff_ffff_ffec, u64::MAX, u64::MAX, u64::MAX >> 1], [3, 0x1234_5678, 0, 1 << 60]];
    let inputs = numbers.iter().enumerate().flat_map(|(number, words)| {
        words.iter().enumerate().map(move |(word, value)| (format!("{number}.{word}"), *value))
    });
    let values: Values = inputs.map(|(name, value)| (Name::from(name), code.word(value))).collect();
    let word = |number: usize, word: usize| value(e.graph.input(&format!("{number}.{word}"), [16, 16]));
    let [a, b] = [0, 1].map(|number| std::array::from_fn::<_, 4, _>(|at| word(number, at)));
    let product = field_product(&e, &a, &b);
    let names = ["a", "b", "c", "d"];
    let outputs = names.into_iter().zip(product).map(|(name, word)| (name, [16, 16], word.0)).collect();
    let found = evaluate(&e.graph.finish(outputs), &values);
    let [a, b] = numbers.map(|number| number.map(|word| indexed.embed(word)));
    for (name, word) in names.into_iter().zip(field_product(&indexed, &a, &b)) {
        assert_eq!(code.value(&found[name].data), indexed.read_out(&word).unwrap());
    }
}
