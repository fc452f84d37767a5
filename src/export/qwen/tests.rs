use super::{
    BuildError, Checkpoint,
    decode::{decode, read},
    draft::{End, draft},
    files::stops,
    layout::Places,
    machine,
    net::units_of,
    prompt::{Limit, PromptError, Start},
    run::{LoadError, Model},
    shape::Shape,
    tokens::{Token, Vocabulary},
};
use crate::host::{Program, Setup, Version, assemble};

/// A program's prompt and the answer to it.
fn run(model: &Model, program: &Program, setup: &Setup) -> (Vec<u32>, Vec<u32>) {
    let vocabulary = Vocabulary::new(model.shape());
    let start = Start::new(program, setup).unwrap();
    let prompt: Vec<u32> =
        start.prompt(model.shape()).unwrap().into_iter().map(|token| vocabulary.id(token).unwrap()).collect();
    let ends = stops(&vocabulary);
    let answer = model.generate(&prompt, 200, |token| ends.contains(&token));
    (prompt, answer)
}

/// The answer of the small shape, spelt out.
fn answer_to(program: &Program, setup: &Setup) -> String {
    let model = Model::new(&Checkpoint::build(Shape::small()).unwrap()).unwrap();
    let vocabulary = Vocabulary::new(model.shape());
    let answer = run(&model, program, setup).1;
    answer.into_iter().map(|token| vocabulary.spell(token)).collect::<Vec<_>>().join(" ")
}

fn answer(source: &str, setup: &Setup) -> String {
    answer_to(&assemble(source, Version::V0).unwrap(), setup)
}

#[test]
fn programs_give_their_traces() {
    let setup = Setup { input: vec![1, 2, 3, 4, 5, 6, 7, 8, 9, 10], ..Setup::default() };
    // 6 * 7; 0x302 / 5 = 154; bytes 6 to 9 lie across two rows.
    let source = "mov64 r0, 6\nmul64 r0, 7\nldxh r2, [r1+1]\ndiv64 r2, 5\nldxw r3, [r1+6]\n\
                  stxdw [r10-12], r3\nexit";
    let expected = "last0:06 pc:1 last0:2a pc:2 more0:02 last1:03 pc:3 quotient2:0 quotient1:9 quotient0:a last0:9a \
                    pc:4 more0:07 more1:08 more2:09 last3:0a pc:5 <upper> pc:6 last0:2a <end>";
    assert_eq!(answer(source, &setup), expected);
}

#[test]
fn a_return_restores_what_the_callee_changed() {
    let source = "mov64 r6, 1\ncall function_f\nmov64 r0, r6\nexit\nfunction_f:\nmov64 r6, 300\nexit";
    let expected = "last0:01 pc:1 depth:1 pc:4 more0:2c last1:01 pc:5 depth:0 restore:r6 last0:01 pc:2 last0:01 \
                    pc:3 last0:01 <end>";
    assert_eq!(answer(source, &Setup::default()), expected);
}

#[test]
fn faults_are_tokens() {
    for (source, budget, expected) in [
        ("mov64 r0, 1\nexit", 1, "last0:01 pc:1 trap:meter"),
        ("mov64 r0, 1\nexit", 0, "trap:meter"),
        ("mov64 r0, 1", 9, "last0:01 pc:1 trap:overrun"),
        ("ldxb r0, [r2+0]\nexit", 9, "trap:access"),
        // The first byte past a frame is in the gap after it.
        ("ldxb r0, [r10+0]\nexit", 9, "trap:stack"),
        ("div64 r0, r2\nexit", 9, "trap:division"),
        ("callx r2\nexit", 9, "trap:text"),
        ("syscall sol_log_\nexit", 9, "trap:function"),
    ] {
        let setup = Setup { budget, ..Setup::default() };
        assert_eq!(answer(source, &setup), expected, "{source}");
    }
}

/// solana-sbpf looks at the slot after it has found the function.
#[test]
fn a_function_past_the_end_traps() {
    let mut program = assemble("call function_f\nexit\nfunction_f:\nexit", Version::V0).unwrap();
    assert_eq!(answer_to(&program, &Setup::default()), "depth:1 pc:2 depth:0 pc:1 last0:00 <end>");
    program.functions.values_mut().for_each(|pc| *pc = 3);
    assert_eq!(answer_to(&program, &Setup::default()), "trap:text");
}

/// What a DeltaNet of the large shape reads is a little off 0 or 1. Such a column has a place of its own until it is
/// erased, because a sum with something else would lose its last bits.
#[test]
fn activations_are_integers() {
    let source = "mov64 r6, -1\nlsh64 r6, 33\nmov64 r7, r6\nlddw r8, 0x8765432112345678\nmov64 r9, 7\n\
                  call function_f\nmov64 r0, r6\nadd64 r0, r7\nexit\nfunction_f:\nxor64 r6, r8\n\
                  mul64 r7, r6\nmov64 r8, r7\nmod64 r8, r9\nstxdw [r10-12], r8\nldxdw r9, [r10-12]\n\
                  jlt r7, 0, +1\nexit\nmov64 r0, 1\nexit";
    let program = assemble(source, Version::V0).unwrap();
    for shape in [Shape::small(), Shape::large()] {
        let net = machine::describe(&shape);
        let places = Places::find(&net).unwrap();
        let model = Model::new(&Checkpoint::build(shape).unwrap()).unwrap();
        let (prompt, answer) = run(&model, &program, &Setup::default());
        let mut rows = model.embed(&[prompt, answer].concat());
        for (index, layer) in model.layers().iter().enumerate() {
            layer.pass(&mut rows);
            let now = units_of(index);
            let alive = |first: Option<_>, last| first.is_some_and(|first| first <= now) && now < last;
            for (number, column) in net.columns.iter().enumerate() {
                let Some(place) = places.of(number) else { continue };
                if !column.fraction && alive(column.first_write, column.last_read) {
                    let broken = rows.iter().find(|row| row[place].fract() != 0.0);
                    assert_eq!(broken.map(|row| row[place]), None, "{} after layer {index}", column.name);
                }
            }
        }
    }
}

#[test]
fn an_unsent_slot_traps() {
    let program = assemble("mov64 r0, 1\nexit", Version::V0).unwrap();
    let checkpoint = Checkpoint::build(Shape::small()).unwrap();
    let model = Model::new(&checkpoint).unwrap();
    let vocabulary = Vocabulary::new(model.shape());
    let mut start = Start::new(&program, &Setup::default()).unwrap();
    start.slots.remove(&1);
    let prompt: Vec<u32> =
        start.prompt(model.shape()).unwrap().into_iter().map(|token| vocabulary.id(token).unwrap()).collect();
    let expected = read(&vocabulary, "last0:01 pc:1 trap:unsent").unwrap();
    assert_eq!(model.check(&prompt, &expected), []);
}

#[test]
fn numbers_and_spellings_of_tokens_agree() {
    for shape in [Shape::large(), Shape::small()] {
        let vocabulary = Vocabulary::new(&shape);
        assert!(vocabulary.used() < vocabulary.len());
        for id in (0..vocabulary.used() as u32).step_by(7).chain([vocabulary.used() as u32 - 1]) {
            assert_eq!(vocabulary.id(vocabulary.token(id)), Some(id));
        }
        assert_eq!(vocabulary.token(vocabulary.used() as u32), Token::Unused);
    }
}

#[test]
fn drafts_decode_to_what_they_were_made_from() {
    let shape = Shape::large();
    let program = assemble("lddw r1, 0x1122334455667788\nexit", Version::V0).unwrap();
    let mut states = [[0; 12]; 2];
    states[1][1] = 0x1122_3344_5566_7788;
    states[1][11] = 2;
    let tokens = draft(&shape, &program.text, &states, End::Result);
    let answer = decode(&shape, &tokens, 0).unwrap();
    let values: Vec<_> = answer.steps.iter().map(|step| (step.pc, step.value)).collect();
    assert_eq!(values, [(0, Some(0x1122_3344_5566_7788)), (2, Some(0))]);
    assert!(answer.ended);
}

#[test]
fn what_does_not_fit_is_refused() {
    let narrow = Shape { width: 256, pins: 1, ..Shape::small() };
    assert!(matches!(Checkpoint::build(narrow), Err(BuildError::Width { .. })));
    let few = Shape { hidden_units: 64, ..Shape::small() };
    assert!(matches!(Checkpoint::build(few), Err(BuildError::HiddenUnits { .. })));
    let start = Start { budget: 1 << 24, ..Start::default() };
    assert_eq!(start.prompt(&Shape::large()), Err(PromptError::Limit(Limit::Meter)));
    let start = Start { slots: [(5000, [0; 8])].into(), ..Start::default() };
    assert!(matches!(start.prompt(&Shape::small()), Err(PromptError::Index { index: 5000, .. })));
    let mut checkpoint = Checkpoint::build(Shape::small()).unwrap();
    checkpoint.tensors.remove("model.norm.weight");
    assert_eq!(Model::new(&checkpoint).err(), Some(LoadError::Missing("model.norm.weight".to_owned())));
}

#[test]
fn a_folder_gives_back_its_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = Checkpoint::build(Shape::small()).unwrap();
    checkpoint.save(folder.path()).unwrap();
    let loaded = Checkpoint::load(folder.path()).unwrap();
    assert_eq!(loaded.parameters(), checkpoint.parameters());
    for (name, tensor) in &checkpoint.tensors {
        let mut dense = [vec![0.0; tensor.row_len()], vec![0.0; tensor.row_len()]];
        for row in 0..tensor.rows.len() {
            tensor.fill(row, &mut dense[0]);
            loaded.tensors[name].fill(row, &mut dense[1]);
            assert_eq!(dense[0], dense[1], "{name}");
        }
    }
}
