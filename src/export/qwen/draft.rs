//! Drafts: the tokens of a run that something else made, for the model to be checked against.

use super::{
    prompt::limbs,
    shape::Shape,
    tokens::{FIRST_SAVED, SAVED, Token, Trap, Vocabulary},
};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At the end of the program, with r0.
    Result,
    /// With a fault of the last instruction.
    Trap(Trap),
    /// It did not: the trace stops before its last state's instruction.
    Open,
}

/// r0 to r10 and the program counter.
pub type Registers = [u64; 12];

/// The tokens after a prompt: `trace` has the registers before each instruction, the first of which the prompt names.
///
/// `text` is the program's. An ill-formed trace gives a draft that no model would make.
pub fn draft(shape: &Shape, text: &[u8], trace: &[Registers], end: End) -> Vec<Token> {
    let vocabulary = Vocabulary::new(shape);
    let mut tokens = Vec::new();
    let mut depth: u8 = 0;
    for (at, state) in trace.iter().enumerate() {
        if at > 0 {
            tokens.push(Token::Pc(state[11] as u16));
        }
        let next = trace.get(at + 1);
        let start = usize::try_from(state[11]).unwrap_or(usize::MAX).saturating_mul(8);
        let slot = text.get(start..).and_then(|rest| rest.first_chunk::<8>());
        match (next, slot, end) {
            (None, _, End::Trap(trap)) => tokens.push(Token::Trap(trap)),
            (None, _, End::Result) => {
                tokens.extend(limbs(shape, &vocabulary, state[0]));
                tokens.push(Token::End);
            }
            (None, _, End::Open) | (_, None, _) => {}
            (Some(next), Some(slot), _) => {
                instruction(shape, &vocabulary, slot, (state, next), &mut depth, &mut tokens)
            }
        }
    }
    tokens
}

fn instruction(
    shape: &Shape,
    vocabulary: &Vocabulary,
    slot: &[u8; 8],
    (state, next): (&Registers, &Registers),
    depth: &mut u8,
    tokens: &mut Vec<Token>,
) {
    let destination = usize::from(slot[1] & 15).min(10);
    let source = usize::from(slot[1] >> 4).min(10);
    match (slot[0], slot[0] & 7) {
        (0x85 | 0x8d, _) => {
            *depth += 1;
            tokens.push(Token::Depth(*depth));
        }
        (0x95, _) => {
            *depth = depth.saturating_sub(1);
            tokens.push(Token::Depth(*depth));
            for register in (FIRST_SAVED..FIRST_SAVED + SAVED).filter(|r| state[*r] != next[*r]) {
                tokens.push(Token::Restore(register as u8));
                tokens.extend(limbs(shape, vocabulary, next[register]));
            }
        }
        (_, 5) => {}
        (opcode, 2 | 3) => {
            let offset = i16::from_le_bytes([slot[2], slot[3]]);
            let address = state[destination].wrapping_add_signed(offset.into());
            let size = [4, 2, 1, 8][usize::from(opcode >> 3 & 3)];
            if address % 8 + size > 8 {
                tokens.push(Token::Upper);
            }
        }
        (opcode, class) => {
            if matches!((opcode >> 4, class), (3 | 9, 4 | 7)) {
                let immediate = i32::from_le_bytes([slot[4], slot[5], slot[6], slot[7]]);
                let second = if opcode & 8 == 0 { i64::from(immediate) as u64 } else { state[source] };
                let low = |value: u64| if class == 4 { value & 0xffff_ffff } else { value };
                tokens.extend(quotient(low(state[destination]), low(second)));
            }
            tokens.extend(limbs(shape, vocabulary, next[destination]));
        }
    }
}

/// The digits of a quotient that are sent: from the difference of the lengths down.
fn quotient(dividend: u64, divisor: u64) -> impl Iterator<Item = Token> {
    let digits = |value: u64| (67 - value.leading_zeros()) / 4;
    let places = if divisor == 0 || dividend == 0 {
        0
    } else {
        (digits(dividend) + 1).saturating_sub(digits(divisor))
    };
    let quotient = dividend.checked_div(divisor).unwrap_or(0);
    (0..places).rev().map(move |place| Token::Quotient(place as u8, (quotient >> (4 * place) & 15) as u8))
}
