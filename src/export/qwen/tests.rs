use super::{
    BuildError, Checkpoint,
    decode::{decode, read},
    draft::{End, draft},
    files::stops,
    prompt::{Limit, PromptError, Start},
    run::{LoadError, Model},
    shape::Shape,
    tokens::{Token, Vocabulary},
};
use crate::host::{Setup, Version, assemble};

/// The answer of the small shape to a program, spelt out.
fn answer(source: &str, setup: &Setup) -> String {
    let checkpoint = Checkpoint::build(Shape::small()).unwrap();
    let model = Model::new(&checkpoint).unwrap();
    let vocabulary = Vocabulary::new(model.shape());
    let start = Start::new(&assemble(source, Version::V0).unwrap(), setup).unwrap();
    let prompt: Vec<u32> =
        start.prompt(model.shape()).unwrap().into_iter().map(|token| vocabulary.id(token).unwrap()).collect();
    let ends = stops(&vocabulary);
    let tokens = model.generate(&prompt, 200, |token| ends.contains(&token));
    tokens.into_iter().map(|token| vocabulary.spell(token)).collect::<Vec<_>>().join(" ")
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
