//! The tokens come in: embedding, and what the first three layers keep of the tokens before.
//!
//! Layer 0 keeps the frame's index, the part of the prompt, the depth of calls and the register that is being
//! restored, and looks back three tokens. Layer 1 collects the limbs of a value, layer 2 the digits of a quotient.

use super::super::{
    expr::{Expr, all, literals, not, number, one, sum, zero},
    net::Net,
    tokens::{FIRST_SAVED, SAVED, Section, Token, Trap, Vocabulary},
};

/// What the read-out sees.
pub(super) struct Output {
    /// Always 1.
    pub always: Expr,
    /// For each byte of the payload and each n of 1..=15: its upper digit is at least n.
    pub high: [Vec<Expr>; 2],
    /// As `high`, of the lower digit.
    pub low: [Vec<Expr>; 2],
    pub pc: Expr,
    pub more: Expr,
    pub last: Expr,
    pub depth: Expr,
    pub quotient: Expr,
    pub upper: Expr,
    pub end: Expr,
    pub restore: Vec<Expr>,
    pub traps: Vec<Expr>,
    /// Which limb, where limbs say so.
    pub index: Vec<Expr>,
}

/// The weight of a trap in the read-out: which of two faults counts.
const fn weight(trap: Trap) -> f64 {
    match trap {
        Trap::Meter => 512.0,
        Trap::Overrun => 256.0,
        Trap::Unsent => 128.0,
        Trap::Function => 96.0,
        Trap::Depth => 64.0,
        _ => 32.0,
    }
}

impl Output {
    pub fn new(net: &mut Net, vocabulary: &Vocabulary) -> Self {
        let mut digits = |name: &str| -> Vec<Expr> {
            (1..16).map(|n| net.output(&format!("out.{name}>={n}"), 1.0)).collect()
        };
        let high = [digits("high0"), digits("high1")];
        let low = [digits("low0"), digits("low1")];
        let mut bit = |name: &str| net.output(&format!("out.{name}"), 1.0);
        let indices = if vocabulary.has_indices() { 8 } else { 0 };
        Self {
            high,
            low,
            always: bit("always"),
            pc: bit("pc"),
            more: bit("more"),
            last: bit("last"),
            depth: bit("depth"),
            quotient: bit("quotient"),
            upper: bit("upper"),
            end: bit("end"),
            restore: (0..SAVED).map(|i| bit(&format!("restore{i}"))).collect(),
            traps: Trap::ALL.iter().map(|trap| bit(&format!("trap.{}", trap.name()))).collect(),
            index: (0..indices).map(|i| bit(&format!("index{i}"))).collect(),
        }
    }

    /// Weights for `count` digits of a value: a digit scores 1 where it is the right one, else 0.
    fn digits(&self, value: u16, count: usize) -> Vec<(Expr, f64)> {
        let mut terms = Vec::new();
        for digit in 0..count {
            let at_least = if digit % 2 == 0 { &self.low[digit / 2] } else { &self.high[digit / 2] };
            let x = usize::from(value >> (4 * digit) & 15);
            if x == 0 {
                terms.push((self.always.clone(), 1.0));
            } else {
                terms.push((at_least[x - 1].clone(), 1.0));
            }
            if x < 15 {
                terms.push((at_least[x].clone(), -1.0));
            }
        }
        terms
    }

    /// The weights of a token.
    fn weights(&self, token: Token, pc_bits: usize, limb_bits: usize) -> Vec<(Expr, f64)> {
        let limb = |kind: &Expr, index: u8, value: u16| {
            let mut terms = self.digits(value, limb_bits / 4);
            terms.push((kind.clone(), 4.0));
            terms.extend(self.index.get(usize::from(index)).map(|expr| (expr.clone(), 1.0)));
            terms
        };
        let with = |mut terms: Vec<(Expr, f64)>, kind: &Expr| {
            terms.push((kind.clone(), 4.0));
            terms
        };
        match token {
            Token::Pc(pc) => with(self.digits(pc, pc_bits / 4), &self.pc),
            Token::More(index, value) => limb(&self.more, index, value),
            Token::Last(index, value) => limb(&self.last, index, value),
            Token::Depth(depth) => with(self.digits(u16::from(depth), 2), &self.depth),
            Token::Quotient(place, digit) => {
                with(self.digits(16 * u16::from(place) + u16::from(digit), 2), &self.quotient)
            }
            Token::Restore(register) => {
                vec![(self.restore[usize::from(register) - FIRST_SAVED].clone(), 16.0)]
            }
            Token::Upper => vec![(self.upper.clone(), 16.0)],
            Token::End => vec![(self.end.clone(), 16.0)],
            Token::Trap(trap) => {
                let at = Trap::ALL.iter().position(|t| *t == trap).unwrap_or(0);
                vec![(self.traps[at].clone(), weight(trap))]
            }
            Token::Section(_) | Token::Unused => Vec::new(),
        }
    }
}

/// Columns that say what the token is, and what the first layers keep.
pub(super) struct Input {
    /// Index of the frame: the program counter.
    pub pc: Vec<Expr>,
    /// One more.
    pub next_pc: Vec<Expr>,
    /// Payload of a limb, a depth or a digit of a quotient.
    pub data: Vec<Expr>,
    pub is_more: Expr,
    pub is_depth: Expr,
    pub is_quotient: Expr,
    pub is_upper: Expr,
    pub is_restore: Expr,
    /// The first token of all.
    pub first: Expr,
    /// The head of an instruction, the last limb of its result.
    pub head: Expr,
    pub last: Expr,
    pub running: Expr,
    /// The last limb of a frame of the prompt, by part.
    pub slot: Expr,
    pub function: Expr,
    pub cell: Expr,
    pub register: Expr,
    pub limit: Expr,
    /// In a part with cells.
    pub in_cells: Expr,
    /// In the part with registers.
    pub in_registers: Expr,
    /// The region of the cells, four bits.
    pub region: Vec<Expr>,
    /// For each limb: the next limb to send is this one.
    pub after: Vec<Expr>,
    /// Limbs of the value in this frame, 64 bits.
    pub staged: Vec<Expr>,
    /// Digits of the quotient so far, 16 numbers.
    pub quotient: Vec<Expr>,
    /// The depth of calls, six bits.
    pub depth: Vec<Expr>,
    /// The register that is being restored, one bit each.
    pub restoring: Vec<Expr>,
}

/// The key of rows of which there is one.
fn always_row() -> (Vec<Expr>, Vec<Expr>) {
    (vec![one()], vec![one()])
}

impl Input {
    pub fn new(net: &mut Net, vocabulary: &Vocabulary, output: &Output) -> Self {
        let (pc_bits, limb_bits, limbs) = (net.shape.pc_bits, net.shape.limb_bits, net.shape.limbs());
        // ---- Embedding
        let payload = net.bits("in.pc", pc_bits);
        let data = net.bits("in.data", limb_bits.max(8));
        let mut kind = |name: &str| net.bit(&format!("in.{name}"));
        let [is_pc, is_more, is_last] = ["is_pc", "is_more", "is_last"].map(&mut kind);
        let [is_depth, is_quotient, is_upper, first] = ["depth", "quotient", "upper", "first"].map(&mut kind);
        let restores = net.bits("in.restore", SAVED);
        let opens = net.bit("in.opens");
        // Code, functions, cells, registers, limits, running, and three bits of a region.
        let modes_in = net.bits("in.mode", 9);
        let indices = net.bits("in.index", if vocabulary.has_indices() { limbs } else { 0 });
        for id in 0..vocabulary.used() {
            let token = vocabulary.token(id as u32);
            let set = |bits: &[Expr], value: usize| -> Vec<(Expr, f64)> {
                let on = bits.iter().enumerate().filter(|(i, _)| value >> i & 1 == 1);
                on.map(|(_, bit)| (bit.clone(), 1.0)).collect()
            };
            let mut terms = Vec::new();
            match token {
                Token::Pc(pc) => {
                    terms.extend(set(&payload, usize::from(pc)));
                    terms.push((is_pc.clone(), 1.0));
                }
                Token::More(index, value) | Token::Last(index, value) => {
                    terms.extend(set(&data, usize::from(value)));
                    let more = matches!(token, Token::More(..));
                    terms.push((if more { is_more.clone() } else { is_last.clone() }, 1.0));
                    terms.extend(indices.get(usize::from(index)).map(|bit| (bit.clone(), 1.0)));
                }
                Token::Depth(depth) => {
                    terms.extend(set(&data, usize::from(depth)));
                    terms.push((is_depth.clone(), 1.0));
                }
                Token::Quotient(place, digit) => {
                    terms.extend(set(&data, 16 * usize::from(place) + usize::from(digit)));
                    terms.push((is_quotient.clone(), 1.0));
                }
                Token::Restore(register) => {
                    terms.push((restores[usize::from(register) - FIRST_SAVED].clone(), 1.0));
                }
                Token::Upper => terms.push((is_upper.clone(), 1.0)),
                Token::Section(section) => {
                    let (mode, region) = match section {
                        Section::Code => (0, 0),
                        Section::Functions => (1, 0),
                        Section::Program => (2, 1),
                        Section::Stack => (2, 2),
                        Section::Heap => (2, 3),
                        Section::Input => (2, 4),
                        Section::Registers => (3, 0),
                        Section::Limits => (4, 0),
                        Section::Run => (5, 0),
                    };
                    terms.push((opens.clone(), 1.0));
                    terms.push((modes_in[mode].clone(), 1.0));
                    terms.extend(set(&modes_in[6..], region));
                    if section == Section::Code {
                        terms.push((first.clone(), 1.0));
                    }
                }
                Token::End | Token::Trap(_) | Token::Unused => {}
            }
            net.embed(id, terms);
            net.read_out(id, output.weights(token, pc_bits, limb_bits));
        }

        // ---- Layer 0
        let is_restore = sum(&restores);
        let now = |count: usize| vec![0; count];
        let mut parts = vec![
            (payload.clone(), is_pc.clone(), now(pc_bits)),
            (modes_in.clone(), opens.clone(), now(9)),
            (data[..6].to_vec(), is_depth.clone(), now(6)),
            (restores.clone(), &is_pc + &is_restore, now(SAVED)),
        ];
        let mut state = net.rows(0, 0, "state", always_row(), std::mem::take(&mut parts)).into_iter();
        let mut settled = || state.next().unwrap_or_default();
        let (pc, mode, depth, restoring) = (settled(), settled(), settled(), settled());
        let [pc, mode, depth, restoring] = [pc, mode, depth, restoring].map(|raw| net.settle(0, raw));
        // For each limb: 1 if this token is that limb, and an integer below 1 if not.
        let limb: Vec<Expr> = if vocabulary.has_indices() {
            indices
        } else {
            let window = (1..limbs).flat_map(|_| [is_more.clone(), zero()]).collect();
            let lags = (1..limbs).flat_map(|lag| [lag, lag]).collect();
            let part = (window, one(), lags);
            let read = net.rows(0, 1, "before", always_row(), vec![part]).pop().unwrap_or_default();
            let before = net.settle(0, read.into_iter().step_by(2).collect());
            // The k tokens before are limbs that others follow, and the one before those is not.
            let is_limb = |k: usize| {
                let mut conditions = before[..k].to_vec();
                conditions.extend(before.get(k).map(not));
                all(&conditions)
            };
            (0..limbs).map(is_limb).collect()
        };

        // ---- Layer 1
        let heads = &is_pc + &is_restore;
        let parts: Vec<_> = (0..limbs)
            .map(|k| {
                let write = &is_more + &is_last + &limb[k] - 1.0 + &heads * 8.0;
                (data[..limb_bits].to_vec(), write, now(limb_bits))
            })
            .collect();
        let mut raw = Vec::new();
        for (slot, group) in parts.chunks(4).enumerate() {
            raw.extend(net.rows(1, slot, "staged", always_row(), group.to_vec()).concat());
        }
        let staged = net.settle(1, raw);
        let running = mode[5].clone();
        let next_pc = net.bits("pc+1", pc_bits);
        for (k, bit) in next_pc.iter().enumerate() {
            let low = number(&pc[..=k]) + 1.0;
            net.step(1, &low, f64::from(1_u32 << k), &[(bit, 1.0)]);
            net.step(1, &low, f64::from(2_u32 << k), &[(bit, -1.0)]);
        }
        let mut both = |name: &str, a: &Expr, b: &Expr| {
            let column = net.bit(name);
            net.relu(1, &all([a, b]), &[(&column, 1.0)]);
            column
        };
        let head = both("head", &is_pc, &running);
        let last = both("last", &is_last, &running);
        let slot = both("slot", &is_last, &mode[0]);
        let function = both("function", &is_last, &mode[1]);
        let cell = both("cell", &is_last, &mode[2]);
        let register = both("register", &is_last, &mode[3]);
        let limit = both("limit", &is_last, &mode[4]);
        let after: Vec<Expr> = (1..limbs).map(|k| both("after", &is_more, &limb[k - 1])).collect();

        // ---- Layer 2
        let mut digits = Vec::new();
        for slot in 0..4 {
            let parts = (4 * slot..4 * slot + 4)
                .map(|place| {
                    let mut conditions = literals(&data[4..8], place);
                    conditions.push(is_quotient.clone());
                    (data[..4].to_vec(), all(&conditions) + &is_pc * 6.0, now(4))
                })
                .collect();
            digits.extend(net.rows(2, slot, "quotient", always_row(), parts).concat());
        }
        let digits = net.settle(2, digits);
        let quotient = net.combine(net.settled_at(2), "quotient digit", &digits, 4);
        let mut region = mode[6..9].to_vec();
        region.push(zero());
        Self {
            pc,
            next_pc,
            data,
            is_more,
            is_depth,
            is_quotient,
            is_upper,
            is_restore,
            first,
            head,
            last,
            running,
            slot,
            function,
            cell,
            register,
            limit,
            in_cells: mode[2].clone(),
            in_registers: mode[3].clone(),
            region,
            after,
            staged,
            quotient,
            depth,
            restoring,
        }
    }
}
