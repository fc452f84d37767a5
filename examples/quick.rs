//! quick
use std::{collections::BTreeMap, time::Instant};
use svmllm::{host::*, tables::*};
fn ins(op: u8, dst: u8, src: u8, off: i16, imm: i32) -> u64 {
    (op as u64) | (dst as u64) << 8 | (src as u64) << 12 | (off as u16 as u64) << 16 | (imm as u32 as u64) << 32
}
fn main() {
    let t = Instant::now();
    let w = Weights::generate();
    println!("gen {:?} params {}", t.elapsed(), w.parameters());
    let t = Instant::now();
    let e = Indexed::new(&w).unwrap();
    println!("indexed {:?}", t.elapsed());
    for body in [vec![(0x0f, 0, 1)], vec![(0x0f, 0, 1), (0xaf, 0, 2)], vec![(0x2f,0,1)], vec![(0x3f,0,3)], vec![(0x0c,0,1)], vec![(0x6f,0,3)], vec![(0xbf,0,1)]] {
        let mut v = vec![ins(0xb7, 6, 0, 0, 200000), ins(0xb7, 2, 0, 0, 0x1234567), ins(0xb7,3,0,0,7)];
        for i in 0..8 {
            let b = body[i % body.len()];
            v.push(ins(b.0, b.1, b.2, 0, 0));
        }
        v.push(ins(0x17, 6, 0, 0, 1));
        v.push(ins(0x55, 6, 0, -10, 0));
        v.push(ins(0x95, 0, 0, 0, 0));
        let text: Vec<u8> = v.iter().flat_map(|x| x.to_le_bytes()).collect();
        let p = Program::from_text(Version::V0, text, 0, BTreeMap::new());
        let mut m = Machine::new(&e, &p, &Setup { budget: 100_000_000, ..Default::default() }, Mode::Lazy).unwrap();
        let t = Instant::now();
        let r = m.run().unwrap();
        let d = t.elapsed();
        println!("{body:x?} {r:?} {} ns/insn {:.2}", m.used().unwrap(), d.as_nanos() as f64 / m.used().unwrap() as f64);
    }
}
