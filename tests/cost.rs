//! What a step costs: the same whatever the size of the program and its memory.

use std::time::{Duration, Instant};
use svmllm::{
    host::{Ended, Environment, Machine, Mode, Program, Setup, Version, assemble},
    tables::{Counted, Counts, Indexed, Weights, alphabet::Region},
};

/// A loop over loads, stores, arithmetic and a call, followed by slots that are never reached.
fn looping(rounds: u32, padding: usize) -> Program {
    let text = format!(
        "mov64 r6, {rounds}
        lddw r7, 0x300000000
        again:
        ldxdw r2, [r7+16]
        add64 r2, r6
        stxdw [r7+16], r2
        stxdw [r10-8], r2
        call function_leaf
        sub64 r6, 1
        jne r6, 0, again
        ldxdw r0, [r7+16]
        exit
        function_leaf:
        xor64 r3, r2
        exit
        .fill {padding}, 0x95"
    );
    assemble(&text, Version::V0).unwrap()
}

fn indexed() -> Indexed {
    Indexed::new(&Weights::generate()).unwrap()
}

fn setup(heap: usize, input: usize) -> Setup {
    Setup { heap, input: vec![0x5a; input], ..Setup::default() }
}

const SMALL: (usize, usize, usize) = (1, 32 << 10, 0);
const LARGE: (usize, usize, usize) = (200_000, 256 << 10, 10 << 20);

#[test]
fn operations_do_not_depend_on_sizes() {
    let evaluator = Counted::new(indexed());
    let count = |mode, (padding, heap, input)| -> Counts {
        let mut machine = Machine::new(
            &evaluator,
            &looping(5, padding),
            &setup(heap, input),
            &Environment::default(),
            mode,
        )
        .unwrap();
        evaluator.restart();
        assert_eq!(machine.run().unwrap(), Ended::Exit(15));
        evaluator.counts()
    };
    for mode in [Mode::Lazy, Mode::Full] {
        assert_eq!(count(mode, SMALL), count(mode, LARGE), "{mode:?}");
    }
}

/// The best time of several.
fn best(mut run: impl FnMut() -> Duration) -> Duration {
    (0..7).map(|_| run()).min().unwrap_or_default()
}

/// The same by the clock: operations of the same number could still be slower on larger memories.
/// Generous, because other work may run beside it.
#[test]
fn time_does_not_depend_on_sizes() {
    let evaluator = indexed();
    let time = |(padding, heap, input)| {
        let (program, setup) = (looping(2000, padding), setup(heap, input));
        best(|| {
            let mut machine =
                Machine::new(&evaluator, &program, &setup, &Environment::default(), Mode::Lazy).unwrap();
            let start = Instant::now();
            assert_eq!(machine.run().unwrap(), Ended::Exit(2001 * 1000));
            start.elapsed()
        })
    };
    let (small, large) = (time(SMALL), time(LARGE));
    assert!(large < small * 5 / 2, "{small:?} and {large:?}");
}

#[test]
fn the_machine_is_built_quickly() {
    let weights = Weights::generate();
    let time = best(|| {
        let start = Instant::now();
        let evaluator = Indexed::new(&weights).unwrap();
        Machine::new(&evaluator, &looping(1, 0), &Setup::default(), &Environment::default(), Mode::Lazy)
            .unwrap();
        start.elapsed()
    });
    assert!(time < Duration::from_millis(100), "{time:?}");
}

/// The largest heap a transaction can ask for and a full input, touched at both ends.
#[test]
fn large_regions_are_reached_to_their_last_byte() {
    let (heap, input) = (256 << 10, 10 << 20);
    let text = format!(
        "lddw r2, {:#x}
        lddw r3, {:#x}
        ldxdw r4, [r3+0]
        stxdw [r2+0], r4
        stxdw [r3+0], r1
        ldxdw r0, [r2+0]
        ldxb r5, [r3+8]
        exit",
        (3u64 << 32) + heap as u64 - 8,
        (4u64 << 32) + input as u64 - 8,
    );
    let evaluator = indexed();
    let mut machine = Machine::new(
        &evaluator,
        &assemble(&text, Version::V0).unwrap(),
        &setup(heap, input),
        &Environment::default(),
        Mode::Lazy,
    )
    .unwrap();
    let Ended::Error(error) = machine.run().unwrap() else { panic!("one byte more is outside") };
    assert_eq!(error.name(), "AccessViolation");
    assert_eq!(machine.register(0).unwrap(), 0x5a5a_5a5a_5a5a_5a5a);
    let (heap, input) = (machine.bytes(Region::Heap).unwrap(), machine.bytes(Region::Input).unwrap());
    assert_eq!(heap[heap.len() - 9..], [0, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a]);
    assert_eq!(input[input.len() - 9..], [0x5a, 0, 0, 0, 0, 4, 0, 0, 0]);
}
