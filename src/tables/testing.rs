//! What the tests of circuits share: evaluators, inputs, and one body run on every evaluator.

use super::{Dense, Indexed, Labels, Weights, alphabet::AlphabetId};
use proptest::{
    prelude::*,
    sample::select,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use std::{fmt::Debug, sync::LazyLock};

/// How many cases a test body goes through: all it enumerates, or every so manieth.
#[derive(Clone, Copy)]
pub struct Effort {
    stride: usize,
    cases: u32,
}

impl Effort {
    pub const ALL: Self = Self { stride: 1, cases: 10_000 };
    pub const SOME: Self = Self { stride: 29, cases: 1024 };
    pub const FEW: Self = Self { stride: 1_009, cases: 128 };

    /// The part of an enumeration this effort covers.
    pub fn of<T>(self, all: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        all.step_by(self.stride)
    }

    /// Like [`of`](Self::of), for expensive cases: a part of that part.
    pub fn less(self, factor: usize) -> Self {
        Self { stride: self.stride * factor, cases: (self.cases / factor as u32).max(8) }
    }

    /// For cases that take very long on tensors: so many of them there, and so many elsewhere.
    pub fn costly(self, dense: u32, elsewhere: u32) -> Self {
        let cases = if self.is_few() { dense } else { elsewhere };
        Self { stride: self.stride, cases }
    }

    /// Whether this is the effort for tensors.
    pub fn is_few(self) -> bool {
        self.stride == Self::FEW.stride
    }

    /// Runs a property on values of a strategy, the same ones every time.
    pub fn check<S: Strategy>(self, strategy: S, property: impl Fn(S::Value))
    where
        S::Value: Debug,
    {
        let config = Config { cases: self.cases, failure_persistence: None, ..Config::default() };
        let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
        let outcome = TestRunner::new_with_rng(config, rng).run(&strategy, |value| {
            property(value);
            Ok(())
        });
        if let Err(failure) = outcome {
            panic!("{failure}");
        }
    }
}

/// Words with structure at the ends, around the middle and inside digits.
pub const EDGES: [u64; 20] = [
    0,
    1,
    2,
    9,
    0xf,
    0x10,
    0xff,
    0x100,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x0f0f_0f0f_0f0f_0f0f,
    0x0123_4567_89ab_cdef,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0x8000_0000_0000_0001,
    0xaaaa_aaaa_aaaa_aaaa,
    0xffff_ffff_ffff_fffe,
    u64::MAX,
];

/// Any word, edges, runs of ones and short numbers among them.
pub fn word() -> impl Strategy<Value = u64> + Clone {
    prop_oneof![
        2 => any::<u64>(),
        1 => select(EDGES.to_vec()),
        1 => (0u32..64, any::<bool>()).prop_map(|(n, not)| if not { u64::MAX << n } else { !(u64::MAX << n) }),
        1 => (any::<u64>(), 0u32..64).prop_map(|(x, n)| x >> n),
    ]
}

/// Every pair of bytes at the low end, across the middle and at the high end, between zeros and below
/// digits that let a carry or a borrow through.
pub fn byte_pairs() -> impl Iterator<Item = (u64, u64)> {
    (0..=u16::MAX).flat_map(|pair| {
        let (a, b) = (u64::from(pair & 255), u64::from(pair >> 8));
        let above = |shift: u32| (u64::MAX << 8).checked_shl(shift).unwrap_or(0);
        [0, 28, 56].into_iter().flat_map(move |shift| {
            [(0, 0), (above(shift), 0), (0, above(shift))].map(|(x, y)| (a << shift | x, b << shift | y))
        })
    })
}

/// Every pair of edges.
pub fn edge_pairs() -> impl Iterator<Item = (u64, u64)> {
    EDGES.into_iter().flat_map(|a| EDGES.map(|b| (a, b)))
}

/// The machine's weights on rows.
pub fn indexed() -> &'static Indexed {
    static INDEXED: LazyLock<Indexed> = LazyLock::new(|| build(&Weights::generate()));
    &INDEXED
}

/// Weights with every alphabet's positions permuted, on rows.
pub fn relabelled() -> &'static Indexed {
    static RELABELLED: LazyLock<Indexed> =
        LazyLock::new(|| build(&Weights::generate_labelled(&permuted_labels())));
    &RELABELLED
}

fn build(weights: &Weights) -> Indexed {
    Indexed::new(weights).expect("generated weights are sound")
}

/// The machine's weights on tensors.
pub fn dense() -> Dense {
    Dense::new(&Weights::generate()).expect("generated weights are sound")
}

/// The permuted weights on tensors.
pub fn relabelled_dense() -> Dense {
    Dense::new(&Weights::generate_labelled(&permuted_labels())).expect("generated weights are sound")
}

/// One value of a strategy, the same every time.
pub fn one<S: Strategy>(strategy: S) -> S::Value {
    strategy.new_tree(&mut TestRunner::deterministic()).expect("nothing is filtered").current()
}

/// A labelling that leaves hardly any letter at its own number.
pub fn permuted_labels() -> Labels {
    let identity = |id: AlphabetId| Just((0..id.radix()).collect::<Vec<_>>()).prop_shuffle();
    let all = AlphabetId::ALL.map(|id| one(identity(id)));
    Labels::from_positions(|id| all[id as usize].clone()).expect("permutations")
}

/// Makes a test of each generic function `name(&evaluator, effort)` on every evaluator.
macro_rules! on_every_evaluator {
    ($($name:ident),+ $(,)?) => {
        mod indexed {
            $(#[test] fn $name() { super::$name($crate::tables::testing::indexed(), super::Effort::ALL) })+
        }
        mod relabelled {
            $(#[test] fn $name() { super::$name($crate::tables::testing::relabelled(), super::Effort::SOME) })+
        }
        mod dense {
            $(#[test] fn $name() { super::$name(&$crate::tables::testing::dense(), super::Effort::FEW) })+
        }
    };
}
pub(crate) use on_every_evaluator;
