//! Fixtures written from runs of the reference are replayed as they were recorded.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use svmllm::tables::{Indexed, Weights};
use svmllm_replay::{Layout, Replayer};
use svmllm_xcheck::{DEFAULT_SEED, fixtures::Writer};

static REPLAYER: LazyLock<Replayer> =
    LazyLock::new(|| Replayer::new(Arc::new(Indexed::new(&Weights::generate()).expect("they are in order"))));

fn replay_all(layout: Layout, count: usize) {
    let fixtures = Writer::new(DEFAULT_SEED).write(layout, count).unwrap();
    assert_eq!(fixtures.len(), count, "{layout:?}");
    let mut results: BTreeMap<bool, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for fixture in &fixtures {
        match REPLAYER.replay(&fixture.bytes) {
            Ok(replayed) => {
                assert_eq!(replayed.layout, layout);
                *results.entry(replayed.result.starts_with("ok")).or_default() += 1;
                let differences = replayed.differences.expect("it records what it came to");
                if !differences.is_empty() {
                    wrong.push(format!("{} ({}): {differences:#?}", fixture.name, replayed.result));
                }
            }
            Err(error) => wrong.push(format!("{}: {error}", fixture.name)),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count} differ: {}",
        wrong.len(),
        wrong[..wrong.len().min(8)].join("\n")
    );
    assert!(results.len() == 2, "all ended alike: {results:?}");
}

#[test]
fn transactions_in_json() {
    replay_all(Layout::Json, 200);
}

#[test]
fn instructions_of_mollusk() {
    replay_all(Layout::Mollusk, 200);
}

#[test]
fn instructions_of_firedancer() {
    replay_all(Layout::Instr, 200);
}

#[test]
fn programs_of_firedancer() {
    replay_all(Layout::VmInterp, 200);
}

#[test]
fn a_changed_record_is_noticed() {
    for layout in [Layout::Json, Layout::Mollusk, Layout::Instr] {
        let fixture = Writer::new(DEFAULT_SEED).write(layout, 5).unwrap().remove(0);
        let units = REPLAYER.replay(&fixture.bytes).unwrap().units;
        assert!(units > 0);
        let mut other = fixture.bytes.clone();
        match layout {
            Layout::Json => {
                let mut file: svmllm_replay::json::Transaction = serde_json::from_slice(&other).unwrap();
                file.expected.as_mut().unwrap().compute_units = Some(units + 1);
                other = serde_json::to_vec(&file).unwrap();
            }
            Layout::Mollusk => {
                use prost::Message;
                let mut file = svmllm_replay::mollusk::Fixture::decode(other.as_slice()).unwrap();
                file.output.as_mut().unwrap().compute_units_consumed += 1;
                other = file.encode_to_vec();
            }
            _ => {
                use prost::Message;
                let mut file = protosol::protos::InstrFixture::decode(other.as_slice()).unwrap();
                file.output.as_mut().unwrap().cu_avail += 1;
                other = file.encode_to_vec();
            }
        }
        let differences = REPLAYER.replay(&other).unwrap().differences.unwrap();
        assert_eq!(differences.len(), 1, "{differences:?}");
        assert!(differences[0].starts_with("compute units"), "{differences:?}");
    }
}

#[test]
fn nonsense_is_a_typed_error() {
    for file in [&b""[..], b"{}", b"{\"transaction\": 1}", b"\xff\xff", &[8, 1], &[10, 2, 10, 0]] {
        let error = REPLAYER.replay(file).unwrap_err();
        assert!(!error.to_string().is_empty());
    }
}
