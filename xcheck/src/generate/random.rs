//! Random programs: several functions, loops, calls and recursion, with a drawn end.

use rand::{Rng, seq::IndexedRandom, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

use super::{
    body::{Body, Callee, Layout},
    bytes,
    code::{Anchor, Code, link},
    fault::{self, Fate},
    rng, value,
};
use crate::{
    case::{Case, CaseId, FRAME_SIZE, HEAP_ADDRESS, STACK_ADDRESS},
    isa::named,
};

/// The program with the given number, with its memory, registers and budget.
pub fn case(id: CaseId) -> Case {
    let mut rng = rng(id.suite, id.seed, id.index);
    let rng = &mut rng;
    let layout = Layout {
        input: *[1, 7, 8, 64, rng.random_range(1..400)].choose(rng).expect("input sizes"),
        heap: *[32 << 10, 32 << 10, 256 << 10, rng.random_range(64..4096)].choose(rng).expect("heap sizes"),
    };
    let fate = Fate::draw(rng);

    let (mut functions, callees) = library(rng, layout);
    let helper = functions.len();
    functions.push(fault::helper(&mut Body::new(rng, layout, &[]), fate, helper));

    let target = if rng.random_ratio(1, 10) { rng.random_range(5..150) } else { rng.random_range(250..700) };
    let mut main = Code::default();
    let preset = rng.random_ratio(1, 3);
    let mut body = Body::new(rng, layout, &callees);
    if !preset {
        main = body.prologue();
    }
    let before = body.fill(target);
    main.append(before, 1);
    let ending = fault::code(&mut body, fate, helper);
    place(&mut body, &mut main, ending, &mut functions);
    let after = body.fill(if fate == Fate::Exit { 0 } else { 10 });
    main.append(after, 1);
    main.exit();
    let budget = match fate {
        Fate::OutOfUnits => rng.random_range(100..main.cost.max(200) * 3 / 2),
        _ => rng.random_range(10_000..=20_000),
    };

    let entry = functions.len();
    functions.push(main);
    let mut order: Vec<usize> = (0..functions.len()).filter(|&function| function != helper).collect();
    order.shuffle(rng);
    order.push(helper);
    let mut registers = Vec::new();
    if preset {
        registers = (0..10).map(|register| (register, value(rng))).collect();
        registers.retain(|_| rng.random());
    }
    Case {
        id,
        program: link(&functions, &order, entry),
        input: bytes(rng, layout.input as usize),
        heap: layout.heap as usize,
        budget,
        registers,
        memory: presets(rng, layout),
    }
}

/// Functions to call: each may call those before it, the last one may recurse.
fn library(rng: &mut ChaCha8Rng, layout: Layout) -> (Vec<Code>, Vec<Callee>) {
    let mut functions = Vec::new();
    let mut callees: Vec<Callee> = Vec::new();
    for function in 0..rng.random_range(1..=4) {
        let target = rng.random_range(1..60);
        let mut code = Body::new(rng, layout, &callees).fill(target);
        code.exit();
        callees.push(Callee { function, cost: code.cost, recursive: false });
        functions.push(code);
    }
    if rng.random() {
        let function = functions.len();
        let code = recursive(&mut Body::new(rng, layout, &[]), function);
        callees.push(Callee { function, cost: code.cost, recursive: true });
        functions.push(code);
    }
    (functions, callees)
}

/// A function that calls itself as many times as r1 says.
fn recursive(body: &mut Body, this: usize) -> Code {
    let left = body.counter();
    let mut code = Code::default();
    code.op("jne_imm", 1, 0, 1, 0);
    code.exit();
    code.op("mov64_reg", left, 1, 0, 0);
    let before = body.run(0);
    code.append(before, 1);
    code.op("mov64_reg", 1, left, 0, 0);
    code.op("sub64_imm", 1, 0, 0, 1);
    code.call(Anchor::Start(this), 0);
    if body.rng.random() {
        let after = body.run(0);
        code.append(after, 1);
    }
    code.exit();
    code
}

/// Puts the end of the story into the main function, into one it calls, or into one turn of a loop.
fn place(body: &mut Body, main: &mut Code, ending: Code, functions: &mut Vec<Code>) {
    match body.rng.random_range(0..4) {
        0 => {
            let function = functions.len();
            let mut code = body.run(0);
            code.append(ending, 1);
            code.exit();
            main.call(Anchor::Start(function), code.cost);
            functions.push(code);
        }
        1 => {
            let times = body.rng.random_range(2..10);
            let mut turn = body.run(0);
            let which = body.rng.random_range(1..times) as i32;
            let guard = named(if body.rng.random() { "jne_imm" } else { "jlt_imm" });
            turn.push(guard.code, body.counter(), 0, ending.len() as i16, which);
            turn.append(ending, 1);
            let looped = body.repeat(body.counter(), times, turn);
            main.append(looped, 1);
        }
        _ => main.append(ending, 1),
    }
}

/// Bytes to find in heap and stack, in one case of two.
fn presets(rng: &mut ChaCha8Rng, layout: Layout) -> Vec<(u64, Vec<u8>)> {
    if rng.random() {
        return Vec::new();
    }
    let len = rng.random_range(1..64);
    vec![
        (HEAP_ADDRESS + rng.random_range(0..=layout.heap - len), bytes(rng, len as usize)),
        (STACK_ADDRESS + FRAME_SIZE - 64, bytes(rng, 64)),
    ]
}
