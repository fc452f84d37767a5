//! `svmllm serve`: what it answers, and that nothing brings it down.

mod common;

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use base64::Engine;
use common::repository;
use serde_json::{Value, json};

/// A server that ends with the test.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_svmllm"))
            .args(["serve", "--listen", "127.0.0.1:0", "--results", &repository("results")])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
        Self { child, address }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// The status and the body of an answer.
    fn send(&self, request: &[u8]) -> (u16, String) {
        let mut stream = self.connect();
        // A server that has seen enough may close before all is sent.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer:?}"));
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    fn get(&self, path: &str) -> (u16, String) {
        self.send(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").as_bytes())
    }

    fn post_text(&self, path: &str, body: &str) -> (u16, Value) {
        let head = post_head(path, body.len());
        let (status, body) = self.send(format!("{head}{body}").as_bytes());
        (status, serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error} in {body:?}")))
    }

    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.post_text(path, &body.to_string())
    }

    fn works(&self) {
        let (status, ran) = self.post("/api/run", &json!({"demo": "gcd", "arguments": ["48", "36"]}));
        assert_eq!((status, &ran["answer"]), (200, &json!("12")), "{ran}");
    }
}

fn post_head(path: &str, length: usize) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n"
    )
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn what_the_page_asks_for() {
    let server = Server::start();
    for (path, text) in [
        ("/", "<title>svmllm</title>"),
        ("/style.css", ":root"),
        ("/app.js", "fetch("),
        ("/draw.js", "canvas"),
    ] {
        let (status, body) = server.get(path);
        assert!(status == 200 && body.contains(text), "{path}: {status}");
        assert!(!body.contains("https://") && !body.contains("http://"), "{path} goes elsewhere");
    }
    assert_eq!(server.get("/nothing").0, 404);
    let info: Value = serde_json::from_str(&server.get("/api/info").1).unwrap();
    assert_eq!(info["digest"].as_str().unwrap(), common::svmllm(&["weights", "digest"]).out.trim());
    assert!(info["parameters"].as_u64() > Some(100_000));
    let results: Value = serde_json::from_str(&server.get("/api/results").1).unwrap();
    let suites = results.as_array().unwrap();
    assert!(suites.iter().any(|suite| suite["suite"] == "opcodes"));
    let references =
        suites.iter().filter(|suite| suite["suite"] == "cpi").map(|suite| &suite["oracle"]["version"]);
    assert_eq!(references.collect::<Vec<_>>(), ["0.16.0", "0.17.0", "4.2.2"]);
}

/// Every preset of every demo, with the answers expected.
#[test]
fn presets() {
    let expected = [
        ("fib", &["2880067194370816120", "55", "12200160415121876738", "817770325994397771"][..]),
        ("factorial", &["2432902008176640000", "120", "7034535277573963776", "1585267068834414592"]),
        ("gcd", &["1", "12", "4294967295", "5"]),
        ("isqrt", &["1414213562", "9", "4294967295"]),
        ("prime", &["prime", "prime", "not prime", "not prime"]),
        ("sort", &["23 26 31 41 53 58 59 84 93 97", "1 2 3 4 5 6 7 8", "0 18446744073709551615"]),
        ("checksum", &["f62a", "5945"]),
        ("collatz", &["111", "524", "16"]),
        (
            "transfer",
            &["70 and 80", "refused, too little (1)", "0 and 100", "refused, the balance would overflow (2)"],
        ),
        (
            "guard",
            &[
                "allowed",
                "refused, the limit of the day (4)",
                "refused, the balance is too small (3)",
                "refused, the vault is closed (2)",
            ],
        ),
        ("crc32", &["cbf43926", "e9913f79"]),
    ];
    let server = Server::start();
    let demos: Value = serde_json::from_str(&server.get("/api/demos").1).unwrap();
    let demos = demos.as_array().unwrap();
    assert_eq!(demos.len(), expected.len());
    for (demo, (name, answers)) in demos.iter().zip(expected) {
        assert_eq!(demo["name"], name);
        let presets = demo["presets"].as_array().unwrap();
        assert_eq!(presets.len(), answers.len(), "{name}");
        for (preset, answer) in presets.iter().zip(answers) {
            let start = json!({"demo": name, "arguments": preset["arguments"]});
            let (status, ran) = server.post("/api/run", &start);
            assert_eq!(
                (status, &ran["status"], &ran["answer"]),
                (200, &json!("ok"), &json!(answer)),
                "{start}"
            );
            let steps = json!({"start": start, "from": 0, "count": 2, "layers": true});
            let (status, stepped) = server.post("/api/steps", &steps);
            assert_eq!((status, stepped["steps"].as_array().map(Vec::len)), (200, Some(2)), "{stepped}");
        }
    }
}

#[test]
fn programs_of_ones_own() {
    let server = Server::start();
    let (_, ran) =
        server.post("/api/run", &json!({"asm": "ldxdw r0, [r1+0]\nexit", "input": "2a00000000000000"}));
    assert_eq!((&ran["status"], &ran["r0"]), (&json!("ok"), &json!("0x2a")), "{ran}");
    let elf = std::fs::read(repository("programs/crc32/crc32.so")).unwrap();
    let elf = base64::engine::general_purpose::STANDARD.encode(elf);
    let (_, ran) = server.post("/api/run", &json!({"elf": elf, "input": "0100000000000000ff"}));
    assert_eq!(ran["r0"], "0xff000000", "{ran}");
    let (status, ran) = server.post("/api/run", &json!({"asm": "ldxb r0, [r0+0]\nexit"}));
    assert_eq!((status, &ran["error"]), (200, &json!("AccessViolation")), "{ran}");
    for (body, status, text) in [
        (json!({"asm": "nonsense"}), 422, "assembly"),
        (json!({"asm": ""}), 422, ""),
        (json!({"elf": "AAAA"}), 422, "ELF"),
        (json!({"elf": "*"}), 422, "base64"),
        (json!({"asm": "exit", "demo": "fib"}), 422, "exactly one"),
        (json!({"demo": "fob"}), 422, "no demo"),
        (json!({"demo": "fib", "arguments": ["1", "2"]}), 422, "expected"),
        (json!({"asm": "exit", "compute_units": 10_000_001}), 413, "at most 10000000"),
        (json!({"asm": "exit", "input": "00".repeat(1_048_577)}), 413, "at most 1048576"),
        (json!({"asm": "exit", "more": 1}), 422, "unknown field"),
        (json!([]), 422, ""),
        (json!({"asm": 7}), 422, "string"),
    ] {
        let (found, answer) = server.post("/api/run", &body);
        let said = answer["error"].as_str().unwrap_or_else(|| panic!("no error in {answer}"));
        assert_eq!(found, status, "{said}");
        assert!(said.contains(text) && !said.is_empty(), "{said:?} lacks {text:?}");
    }
    for text in ["", "{", "nul", "\u{0}", &"[".repeat(10_000)] {
        let (status, answer) = server.post_text("/api/run", text);
        assert!((400..500).contains(&status) && answer["error"].is_string(), "{status} {answer}");
    }
    server.works();
}

#[test]
fn steps() {
    let server = Server::start();
    let ask = |from: u64, count: u64, layers: bool| {
        let start = json!({"demo": "fib", "arguments": ["10"]});
        server.post("/api/steps", &json!({"start": start, "from": from, "count": count, "layers": layers}))
    };
    let (_, all) = ask(0, 256, false);
    let steps = all["steps"].as_array().unwrap();
    assert_eq!((steps.len(), &all["instructions"], &all["ended"]["status"]), (65, &json!(65), &json!("ok")));
    let (_, one) = ask(5, 1, true);
    assert_eq!(one["steps"][0]["writes"], steps[5]["writes"]);
    assert_eq!(one["ended"], Value::Null);
    assert!(one["steps"][0]["layers"].as_array().unwrap().len() > 10);
    let (_, beyond) = ask(1_000_000, 1, true);
    assert_eq!((beyond["steps"].as_array().unwrap().len(), &beyond["instructions"]), (0, &json!(65)));
    assert_eq!(ask(u64::MAX, 1, true).0, 200);
    assert_eq!(ask(0, 257, false).0, 413);
    assert_eq!(ask(0, 5, true).0, 413);
    assert_eq!(ask(0, 0, true).0, 200);
}

#[test]
fn verdicts() {
    let server = Server::start();
    let ask = |amount: u64, time: u64| {
        let withdrawal = json!({"time": 1_000_000, "amount": amount, "destination": "a"});
        let transaction = json!({
            "program": "guard", "input": ["balance", "amount", 1000, 0, "time", 0], "balance": 1000,
            "withdrawal": withdrawal,
        });
        let history = json!({"withdrawals": [{"time": time, "amount": 10, "destination": "a"}]});
        server.post("/api/judge", &json!({"transaction": transaction, "history": history}))
    };
    assert_eq!(ask(10, 0).1["verdict"], "allow");
    assert_eq!(ask(100, 0).1["verdict"], "hold");
    assert_eq!((&ask(1001, 0).1["rule"], &ask(1001, 0).1["r0"]), (&json!("code"), &json!(3)));
    assert_eq!(ask(10, 2_000_000).0, 422);
    // Files are for the command line.
    let transaction = json!({
        "program": repository("programs/guard/guard.s"), "input": [], "balance": 1,
        "withdrawal": {"time": 1, "amount": 1, "destination": ""},
    });
    let (status, answer) = server.post("/api/judge", &json!({"transaction": transaction}));
    assert!(status == 422 && answer["error"].as_str().unwrap().contains("no demo"), "{answer}");
}

#[test]
fn bodies_that_are_too_long() {
    let server = Server::start();
    let (status, _) =
        server.send(format!("{}{}", post_head("/api/run", 5 << 20), "x".repeat(5 << 20)).as_bytes());
    assert_eq!(status, 413);
    // One that lies about its length, and one that never comes.
    assert_eq!(server.send(post_head("/api/run", usize::MAX / 4).as_bytes()).0, 413);
    drop(server.connect().write_all(post_head("/api/run", 1000).as_bytes()));
    let (status, _) = server.send(b"nonsense\r\n\r\n");
    assert_eq!(status, 400);
    let long = format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "x".repeat(1 << 20));
    assert!((400..500).contains(&server.send(long.as_bytes()).0));
    server.works();
}

#[test]
fn other_hosts_and_forms() {
    let server = Server::start();
    let get =
        |host: &str| server.send(format!("GET / HTTP/1.1\r\n{host}Connection: close\r\n\r\n").as_bytes()).0;
    assert_eq!(get("Host: example.com\r\n"), 403);
    assert_eq!(get("Host: 127.0.0.1:1\r\n"), 200);
    assert_eq!(get(""), 403);
    // What a form on another page could send without asking.
    let body = json!({"demo": "fib"}).to_string();
    let head = post_head("/api/run", body.len()).replace("application/json", "text/plain");
    assert_eq!(server.send(format!("{head}{body}").as_bytes()).0, 422);
}

#[test]
fn many_at_once_and_some_go_away() {
    let server = Server::start();
    let endless = json!({"asm": "ja -1", "compute_units": 10_000_000}).to_string();
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for number in 0..24 {
            let (server, endless) = (&server, &endless);
            scope.spawn(move || match number % 3 {
                0 => server.works(),
                1 => {
                    let (status, ran) = server.post_text("/api/run", endless);
                    let ended = ran["error"].as_str().unwrap();
                    assert!(ended == "ExceededMaxInstructions" || status != 200, "{ran}");
                }
                _ => {
                    let request = format!("{}{endless}", post_head("/api/run", endless.len()));
                    let mut stream = server.connect();
                    stream.write_all(request.as_bytes()).unwrap();
                    std::thread::sleep(Duration::from_millis(50));
                }
            });
        }
    });
    server.works();
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}

#[test]
fn an_address_that_is_taken() {
    let server = Server::start();
    let call = common::svmllm(&["serve", "--listen", &server.address]);
    assert_eq!(call.code, 2, "{call:?}");
    assert!(call.err.contains(&server.address), "{call:?}");
}
