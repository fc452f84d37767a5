//! Answers: tokens back to what each instruction did.

use super::{
    shape::Shape,
    tokens::{Token, Trap, Vocabulary},
};

/// What the tokens say of one instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Its slot.
    pub pc: u64,
    /// The value it wrote to its register, or the result of the program.
    pub value: Option<u64>,
    /// The depth of calls after it.
    pub depth: Option<u8>,
    /// Registers that got their values back.
    pub restored: Vec<(u8, u64)>,
}

/// A whole answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The instructions.
    pub steps: Vec<Step>,
    /// Its last token was the end of the program.
    pub ended: bool,
    /// Its last token was a fault.
    pub trap: Option<Trap>,
}

/// Tokens that are no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// No such token.
    #[error("{0:?} is not a token of this checkpoint")]
    Unknown(String),
    /// A token where it means nothing.
    #[error("token {0} of the answer does not fit those before it")]
    Misplaced(usize),
}

/// Reads spellings, separated by spaces.
///
/// # Errors
/// [`DecodeError::Unknown`].
pub fn read(vocabulary: &Vocabulary, text: &str) -> Result<Vec<u32>, DecodeError> {
    let ids: std::collections::HashMap<String, u32> =
        (0..vocabulary.len() as u32).map(|id| (vocabulary.spell(id), id)).collect();
    text.split_whitespace()
        .map(|word| ids.get(word).copied().ok_or_else(|| DecodeError::Unknown(word.to_owned())))
        .collect()
}

/// Decodes an answer. The head of the first instruction may be that of the prompt, at `entry`.
///
/// # Errors
/// [`DecodeError::Misplaced`].
pub fn decode(shape: &Shape, tokens: &[Token], entry: u64) -> Result<Answer, DecodeError> {
    let mut answer = Answer::default();
    let mut step = Step { pc: entry, ..Step::default() };
    let (mut value, mut limbs) = (0_u64, 0);
    let mut restoring = None;
    for (at, token) in tokens.iter().enumerate() {
        let misplaced = || DecodeError::Misplaced(at);
        match token {
            Token::Pc(pc) => {
                let next = Step { pc: u64::from(*pc), ..Step::default() };
                if at > 0 || u64::from(*pc) != entry {
                    answer.steps.push(std::mem::replace(&mut step, next));
                }
            }
            Token::More(_, limb) | Token::Last(_, limb) => {
                if limbs == shape.limbs() {
                    return Err(misplaced());
                }
                value |= u64::from(*limb) << (limbs * shape.limb_bits);
                limbs += 1;
                if matches!(token, Token::Last(..)) {
                    match restoring.take() {
                        Some(register) => step.restored.push((register, value)),
                        None => step.value = Some(value),
                    }
                    (value, limbs) = (0, 0);
                }
            }
            Token::Depth(depth) => step.depth = Some(*depth),
            Token::Restore(register) => restoring = Some(*register),
            Token::Quotient(..) | Token::Upper => {}
            Token::End => answer.ended = true,
            Token::Trap(trap) => answer.trap = Some(*trap),
            Token::Section(_) | Token::Unused => return Err(misplaced()),
        }
    }
    answer.steps.push(step);
    Ok(answer)
}
