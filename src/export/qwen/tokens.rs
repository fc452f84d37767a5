//! The tokens: what each number means and how it is spelt.

use super::shape::Shape;

/// Why a run ended without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trap {
    /// No unit was left for the instruction.
    Meter,
    /// The program counter is past the last slot.
    Overrun,
    /// The slot, or a cell of the program's data, is not in the prompt.
    Unsent,
    /// No such operation.
    Unsupported,
    /// A call of a function that is not in the prompt: a system call or an unknown one.
    Function,
    /// Calls nest too deeply.
    Depth,
    /// A call by register of an address outside the text.
    Text,
    /// A load or store outside the regions.
    Access,
    /// A load or store close to the stack, but not in a frame.
    Stack,
    /// A division by zero.
    Division,
}

impl Trap {
    /// All of them, in the order of their tokens.
    pub const ALL: [Self; 10] = [
        Self::Meter,
        Self::Overrun,
        Self::Unsent,
        Self::Unsupported,
        Self::Function,
        Self::Depth,
        Self::Text,
        Self::Access,
        Self::Stack,
        Self::Division,
    ];

    /// The name in the token.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Meter => "meter",
            Self::Overrun => "overrun",
            Self::Unsent => "unsent",
            Self::Unsupported => "unsupported",
            Self::Function => "function",
            Self::Depth => "depth",
            Self::Text => "text",
            Self::Access => "access",
            Self::Stack => "stack",
            Self::Division => "division",
        }
    }
}

/// What the frames of a part of the prompt say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Section {
    /// Slot `pc` of the program is these 8 bytes. The beginning of the text opens this section.
    Code,
    /// The function at slot `pc` has this key.
    Functions,
    /// The 8 bytes from `8 * pc` of the program's read-only data are these.
    Program,
    /// As `Program`, of the stack without its gaps.
    Stack,
    /// As `Program`, of the heap.
    Heap,
    /// As `Program`, of the input.
    Input,
    /// Register `pc` holds this.
    Registers,
    /// Limit `pc` is this: see [`Limit`](super::prompt::Limit).
    Limits,
    /// The machine runs from here on.
    Run,
}

impl Section {
    /// All of them, in the order of their tokens.
    pub const ALL: [Self; 9] = [
        Self::Code,
        Self::Functions,
        Self::Program,
        Self::Stack,
        Self::Heap,
        Self::Input,
        Self::Registers,
        Self::Limits,
        Self::Run,
    ];

    /// The spelling of its token.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Code => "<bos>",
            Self::Functions => "<functions>",
            Self::Program => "<program>",
            Self::Stack => "<stack>",
            Self::Heap => "<heap>",
            Self::Input => "<input>",
            Self::Registers => "<registers>",
            Self::Limits => "<limits>",
            Self::Run => "<run>",
        }
    }
}

/// Registers that a call saves: r6 to r9.
pub const SAVED: usize = 4;
/// The first of them.
pub const FIRST_SAVED: usize = 6;
/// Frames of calls.
pub const DEPTHS: usize = 64;

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Token {
    /// The head of a frame: an instruction, or an index in the prompt.
    Pc(u16),
    /// A limb of a value that is followed by another. The index is 0 where limbs have 16 bits.
    More(u8, u16),
    /// The last limb of a value that is not 0.
    Last(u8, u16),
    /// The depth of calls after this instruction.
    Depth(u8),
    /// A digit of a quotient: its place, and its value in base 16.
    Quotient(u8, u8),
    /// A register that gets its value back on return from a call.
    Restore(u8),
    /// The upper part of a store that crosses an 8-byte row.
    Upper,
    /// Opens a part of the prompt.
    Section(Section),
    /// The program ended well; the limbs before are r0.
    End,
    /// The program failed at the `pc` before.
    Trap(Trap),
    /// Nothing: fills up the vocabulary.
    Unused,
}

/// The numbering of tokens of a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Vocabulary {
    pcs: usize,
    limb_values: usize,
    indices: usize,
    size: usize,
}

impl Vocabulary {
    /// The vocabulary of a shape.
    pub fn new(shape: &Shape) -> Self {
        Self {
            pcs: 1 << shape.pc_bits,
            limb_values: 1 << shape.limb_bits,
            // A window of four tokens tells apart four limbs; more say themselves which they are.
            indices: if shape.limbs() <= 4 { 1 } else { shape.limbs() },
            size: shape.vocabulary,
        }
    }

    /// Whether a limb says which it is.
    pub const fn has_indices(&self) -> bool {
        self.indices > 1
    }

    /// Rows of the embedding.
    pub const fn len(&self) -> usize {
        self.size
    }

    /// Whether there are no tokens: never.
    pub const fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// Tokens that mean something.
    pub const fn used(&self) -> usize {
        self.specials() + DEPTHS + 256 + SAVED + 2 + Section::ALL.len() + Trap::ALL.len()
    }

    const fn specials(&self) -> usize {
        self.pcs + 2 * self.indices * self.limb_values
    }

    /// The number of a token. An index beyond the shape has none.
    pub fn id(&self, token: Token) -> Option<u32> {
        let limb = |kind: usize, index: u8, value: u16| {
            let (index, value) = (usize::from(index), usize::from(value));
            (index < self.indices && value < self.limb_values)
                .then(|| self.pcs + (kind * self.indices + index) * self.limb_values + value)
        };
        let depth = self.specials();
        let quotient = depth + DEPTHS;
        let restore = quotient + 256;
        let upper = restore + SAVED;
        let section = upper + 2;
        let trap = section + Section::ALL.len();
        let position = match token {
            Token::Pc(pc) => (usize::from(pc) < self.pcs).then_some(usize::from(pc)),
            Token::More(index, value) => limb(0, index, value),
            Token::Last(index, value) => limb(1, index, value),
            Token::Depth(level) => (usize::from(level) < DEPTHS).then_some(depth + usize::from(level)),
            Token::Quotient(place, digit) => {
                (place < 16 && digit < 16).then_some(quotient + 16 * usize::from(place) + usize::from(digit))
            }
            Token::Restore(register) => usize::from(register)
                .checked_sub(FIRST_SAVED)
                .filter(|saved| *saved < SAVED)
                .map(|saved| restore + saved),
            Token::Upper => Some(upper),
            Token::End => Some(upper + 1),
            Token::Section(s) => Section::ALL.iter().position(|x| *x == s).map(|i| section + i),
            Token::Trap(t) => Trap::ALL.iter().position(|x| *x == t).map(|i| trap + i),
            Token::Unused => None,
        };
        position.and_then(|position| u32::try_from(position).ok())
    }

    /// The token of a number.
    pub fn token(&self, id: u32) -> Token {
        let mut rest = id as usize;
        // Takes the next `count` numbers.
        let mut within = |count: usize| match rest.checked_sub(count) {
            Some(left) => {
                rest = left;
                None
            }
            None => Some(rest),
        };
        let limbs = self.indices * self.limb_values;
        let split = |at: usize| ((at / self.limb_values) as u8, (at % self.limb_values) as u16);
        if let Some(pc) = within(self.pcs) {
            Token::Pc(pc as u16)
        } else if let Some(at) = within(limbs) {
            Token::More(split(at).0, split(at).1)
        } else if let Some(at) = within(limbs) {
            Token::Last(split(at).0, split(at).1)
        } else if let Some(depth) = within(DEPTHS) {
            Token::Depth(depth as u8)
        } else if let Some(at) = within(256) {
            Token::Quotient((at / 16) as u8, (at % 16) as u8)
        } else if let Some(saved) = within(SAVED) {
            Token::Restore((FIRST_SAVED + saved) as u8)
        } else if within(1).is_some() {
            Token::Upper
        } else if within(1).is_some() {
            Token::End
        } else if let Some(at) = within(Section::ALL.len()) {
            Token::Section(Section::ALL[at])
        } else if let Some(at) = within(Trap::ALL.len()) {
            Token::Trap(Trap::ALL[at])
        } else {
            Token::Unused
        }
    }

    /// The spelling of a number. Spellings hold no space, so a text of tokens separates them by spaces.
    pub fn spell(&self, id: u32) -> String {
        let limb = |word: &str, index: u8, value: u16| {
            if self.has_indices() {
                format!("{word}{index}:{value:02x}")
            } else {
                format!("{word}:{value:04x}")
            }
        };
        match self.token(id) {
            Token::Pc(pc) => format!("pc:{pc}"),
            Token::More(index, value) => limb("more", index, value),
            Token::Last(index, value) => limb("last", index, value),
            Token::Depth(depth) => format!("depth:{depth}"),
            Token::Quotient(place, digit) => format!("quotient{place}:{digit:x}"),
            Token::Restore(register) => format!("restore:r{register}"),
            Token::Upper => "<upper>".to_owned(),
            Token::Section(section) => section.text().to_owned(),
            Token::End => "<end>".to_owned(),
            Token::Trap(trap) => format!("trap:{}", trap.name()),
            Token::Unused => format!("<unused{id}>"),
        }
    }
}
