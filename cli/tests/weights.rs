//! `svmllm weights`, and weights from a file.

mod common;

use common::{Folder, svmllm};
use svmllm::tables::Weights;

#[test]
fn count() {
    let call = svmllm(&["weights", "count"]);
    let weights = Weights::generate();
    let total = format!("{} {}", weights.parameters(), weights.non_zeros());
    assert_eq!(call.field("total").split_whitespace().collect::<Vec<_>>().join(" "), total);
    let rows = call.out.lines().skip(1).filter(|line| !line.starts_with("total"));
    let sum: usize = rows.map(|line| line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap()).sum();
    assert_eq!(sum, weights.parameters());
    assert!(call.out.contains("table.decode "));
}

#[test]
fn export_digest_verify_and_use() {
    let folder = Folder::new();
    let file = folder.path("weights.safetensors");
    let file = file.to_str().unwrap();
    assert_eq!(svmllm(&["weights", "export", file]).code, 0);
    let digest = svmllm(&["weights", "digest"]);
    assert_eq!(digest.out.trim(), Weights::generate().digest());
    assert_eq!(svmllm(&["weights", "digest", file]).out, digest.out);
    let verified = svmllm(&["weights", "verify", file]);
    assert_eq!(verified.code, 0, "{verified:?}");
    assert!(verified.field("total").ends_with("no difference"), "{verified:?}");
    assert_eq!(svmllm(&["demo", "fib", "10", "--weights", file]).field("result"), "55");
}

#[test]
fn spoiled_weights_do_not_verify() {
    let folder = Folder::new();
    let mut weights = Weights::generate();
    weights.get_mut("table.add.w1").unwrap().data[0] += 0.25;
    let file = folder.path("spoiled.safetensors");
    weights.save(&file).unwrap();
    let call = svmllm(&["weights", "verify", file.to_str().unwrap()]);
    assert_eq!(call.code, 1, "{call:?}");
    assert!(call.err.contains("table.add"), "{call:?}");
    assert_eq!(svmllm(&["demo", "fib", "--weights", file.to_str().unwrap()]).code, 2);
}

#[test]
fn files_that_are_no_weights() {
    let folder = Folder::new();
    for bytes in [&b""[..], b"{}", &[0xff; 100], b"\x02\0\0\0\0\0\0\0{}"] {
        let file = folder.write("bad", bytes);
        let unreadable = svmllm(&["weights", "verify", &file]);
        // An empty set of tensors can be read, and lacks them all.
        assert_eq!(unreadable.code, if bytes.len() == 10 { 1 } else { 2 }, "{unreadable:?}");
        assert_eq!(svmllm(&["weights", "digest", &file]).code, 2);
        assert_eq!(svmllm(&["weights", "count", &file]).code, 2);
    }
    assert_eq!(svmllm(&["weights", "verify", "/nowhere"]).code, 2);
    assert_eq!(svmllm(&["weights", "export", "/nowhere/at/all"]).code, 2);
}
