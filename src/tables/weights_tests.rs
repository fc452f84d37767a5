//! Files of weights, and weights that are not sound.

use super::*;
use crate::{
    alu,
    tables::{
        Boundary, Dense, DenseError, Evaluator, Indexed,
        alphabet::{Phase, Size, Unit},
        catalogue,
        decode::UNIT,
        testing::permuted_labels,
    },
};
use proptest::prelude::*;

/// Digest of the generated weights. A change of any tensor changes it; it is pinned so that such a
/// change is made on purpose.
const DIGEST: &str = "b47aba4a8b4c4eb6a9912db7c0e4daf7443529e0413235b293c28501f76a262c";

#[test]
fn generation_is_deterministic() {
    let weights = Weights::generate();
    assert_eq!(weights, Weights::generate());
    assert_eq!(weights.digest(), DIGEST);
    assert_ne!(Weights::generate_labelled(&permuted_labels()).digest(), DIGEST);
}

#[test]
fn parameters_are_few() {
    let weights = Weights::generate();
    assert!(weights.parameters() <= MAX_PARAMETERS, "{}", weights.parameters());
    assert!(weights.non_zeros() < weights.parameters());
}

#[test]
fn files_come_back_the_same() {
    let path = tempfile::tempdir().unwrap().keep().join("weights.safetensors");
    for weights in [Weights::generate(), Weights::generate_labelled(&permuted_labels())] {
        weights.save(&path).unwrap();
        let loaded = Weights::load(&path).unwrap();
        assert_eq!(loaded, weights);
        assert_eq!(loaded.digest(), weights.digest());
    }
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
}

#[test]
fn the_labelling_is_read_from_the_embeddings() {
    let labels = permuted_labels();
    assert_eq!(Weights::generate_labelled(&labels).labels().unwrap(), labels);
    assert!(Weights::generate().labels().unwrap().is_identity());
}

fn reload(change: impl FnOnce(&mut BTreeMap<String, Array>)) -> WeightsError {
    let mut weights = Weights::generate();
    change(&mut weights.tensors);
    Weights::from_bytes(&weights.to_bytes().unwrap()).unwrap_err()
}

#[test]
fn tensors_have_to_be_the_machines() {
    let missing = reload(|tensors| drop(tensors.remove("table.xor.w2")));
    assert!(matches!(missing, WeightsError::Missing(name) if name == "table.xor.w2"));
    let unknown = reload(|tensors| drop(tensors.insert("table.xor.w3".into(), one(1.0))));
    assert!(matches!(unknown, WeightsError::Unknown(name) if name == "table.xor.w3"));
    let turned = reload(|tensors| tensors.get_mut("table.xor.w1").unwrap().shape.reverse());
    assert!(matches!(turned, WeightsError::Shape { name, found, expected }
            if name == "table.xor.w1" && found == [32, 256] && expected == [256, 32]));
}

#[test]
fn entries_have_to_be_32_bit_floats() {
    let bytes = vec![0; 8];
    let view = safetensors::tensor::TensorView::new(safetensors::Dtype::F64, vec![1], &bytes).unwrap();
    let file = safetensors::serialize([("attention.exact", view)], None).unwrap();
    let error = Weights::from_bytes(&file).unwrap_err();
    assert!(matches!(error, WeightsError::Kind(name) if name == "attention.exact"));
}

#[test]
fn a_missing_file_is_an_io_error() {
    let path = std::env::temp_dir().join("there-is-no-such-file.safetensors");
    assert!(matches!(Weights::load(path), Err(WeightsError::Io(_))));
}

#[test]
fn truncated_files_are_refused() {
    let bytes = Weights::generate().to_bytes().unwrap();
    for length in [0, 1, 7, 8, 9, 100, bytes.len() / 2, bytes.len() - 1] {
        let error = Weights::from_bytes(&bytes[..length]).unwrap_err();
        assert!(matches!(error, WeightsError::Format(_)), "{length} bytes: {error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn garbage_is_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Weights::from_bytes(&bytes).is_err());
        // A believable header length in front.
        let framed = [&(bytes.len() as u64).to_le_bytes(), bytes.as_slice()].concat();
        prop_assert!(Weights::from_bytes(&framed).is_err());
    }
}

fn spoiled(name: &str, entry: usize, change: impl FnOnce(f32) -> f32) -> Weights {
    let mut weights = Weights::generate();
    let array = weights.get_mut(name).unwrap();
    array.data[entry] = change(array.data[entry]);
    weights
}

#[test]
fn layers_that_could_leave_exact_floats_are_refused() {
    let cases = [
        ("table.add.w1", BOUND as f32),
        ("table.add.b1", -(BOUND as f32)),
        ("table.prefix.w2", BOUND as f32),
        ("table.decode.w2", f32::INFINITY),
        ("table.decode.b1", f32::NAN),
        ("product.w1", f32::NAN),
        // Small enough itself, but sixteen terms of it through a staircase are not.
        ("product.value", 100_000.0),
        ("product.columns", 100_000.0),
        ("product.digits", 1_000_000.0),
        ("stair.high.w1", 8192.0),
        ("stair.high.remainder", -1_000_000.0),
        ("stair.low.w2", 65536.0),
        ("stair.small.b2", BOUND as f32),
    ];
    for (name, value) in cases {
        let weights = spoiled(name, 0, |_| value);
        assert!(matches!(weights.check(), Err(WeightsError::Bound { .. })), "{name} = {value}");
        assert!(matches!(Indexed::new(&weights), Err(WeightsError::Bound { .. })), "{name} = {value}");
        assert!(matches!(Dense::new(&weights), Err(WeightsError::Bound { .. })), "{name} = {value}");
    }
}

/// Every tensor, first, last and a middle entry: a quarter more is never rounded away.
#[test]
fn a_quarter_more_is_refused_by_rows() {
    for (name, array) in Weights::generate().tensors() {
        for entry in [0, array.data.len() / 3, array.data.len() - 1] {
            let weights = spoiled(name, entry, |x| x + 0.25);
            let refused = matches!(Indexed::new(&weights), Err(WeightsError::Structure { .. }));
            assert!(refused, "{name}[{entry}]");
        }
    }
}

/// What reading a circuit's result gives on tensors.
fn not_one_hot<T: std::fmt::Debug>(
    name: &str,
    entry: usize,
    run: impl FnOnce(&Dense) -> Result<T, DenseError>,
) {
    let dense = Dense::new(&spoiled(name, entry, |x| x + 0.25)).unwrap();
    let result = run(&dense);
    assert!(matches!(result, Err(DenseError::NotOneHot { .. })), "{name}[{entry}]: {result:?}");
}

#[test]
fn a_quarter_more_before_a_sum_is_refused() {
    // Summed with a coefficient of 4 or 256 it could become an integer again and go unnoticed.
    let weights = Weights::generate();
    let names: Vec<String> = weights.tensors().map(|(name, _)| name.to_owned()).collect();
    for name in names.iter().filter(|name| name.starts_with("product.") || name.starts_with("stair.")) {
        for entry in [0, 1] {
            let mut spoiled = weights.clone();
            spoiled.get_mut(name).unwrap().data[entry] += 0.25;
            let result = Dense::new(&spoiled).err();
            assert!(matches!(result, Some(WeightsError::Structure { .. })), "{name}[{entry}]: {result:?}");
        }
    }
}

#[test]
fn a_quarter_more_shows_on_tensors() {
    let (a, b) = (0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210);
    let sum = |e: &Dense| e.read_out(&alu::add(e, &e.embed(a), &e.embed(b)));
    // Digits 15 and 0 meet in lane 0: unit 15 of the second layer, input 15 of the first.
    not_one_hot("table.add.w1", 15 * 32 + 15, sum);
    not_one_hot("table.add.b1", 15, sum);
    for output in 0..16 {
        not_one_hot("table.add.w2", output * 256 + 15, sum);
    }
    for output in 0..3 {
        not_one_hot("table.add_carry.w2", output * 256 + 15, sum);
    }
    not_one_hot("constant.one", 7, |e| e.read_out(&e.increment(&e.embed(a))));
    not_one_hot("table.decode.w2", 0, |e| {
        let (phase, zero) = (e.embed_digit::<Phase>(0), e.embed_digit(0));
        e.read_digit::<Unit>(&e.gates(&e.decode(&phase, &zero, &zero), UNIT))
    });
    not_one_hot("table.swap_size.w2", 0, |e| {
        e.read_digit::<Size>(&e.apply1(catalogue::SWAP_SIZE, &e.embed_digit(0)))
    });
}
