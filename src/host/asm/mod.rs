//! An assembler for solana-sbpf's assembly dialect, with comments.
//!
//! ```
//! use svmllm::host::{Version, assemble};
//!
//! let program = assemble("mov64 r0, 42  # the answer\nexit", Version::V0)?;
//! assert_eq!(program.text, [0xb7, 0, 0, 0, 42, 0, 0, 0, 0x95, 0, 0, 0, 0, 0, 0, 0]);
//! # Ok::<(), svmllm::host::AsmError>(())
//! ```

mod encode;
mod parser;

use std::collections::{BTreeMap, HashMap};

use super::{Program, Version, isa, symbol_key};
use parser::{Operand, Statement};

/// Why a text is not a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {kind}")]
pub struct AsmError {
    /// Line of the text, from 1.
    pub line: usize,
    /// What is wrong there.
    pub kind: AsmErrorKind,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AsmErrorKind {
    /// The text does not follow the grammar.
    #[error("expected {expected}, found {}", found.map_or("the end".to_owned(), |c| format!("{c:?}")))]
    Syntax {
        /// What would have been right.
        expected: &'static str,
        /// The character in its place; nothing at the end of the text.
        found: Option<char>,
    },
    /// A directive other than `.fill COUNT, SLOT`.
    #[error("unknown directive .{0}")]
    UnknownDirective(String),
    /// No instruction has this name.
    #[error("unknown instruction {0}")]
    UnknownInstruction(String),
    /// The instruction exists, but does not take these operands.
    #[error("unexpected operands for {0}")]
    Operands(String),
    /// A label that the text does not define.
    #[error("label {0} not found")]
    LabelNotFound(String),
    /// A register that the encoding has no room for.
    #[error("no register r{0}")]
    Register(i64),
    /// An offset of more than 16 bits.
    #[error("offset {0} does not fit in 16 bits")]
    Offset(i64),
    /// An immediate of more than 32 bits.
    #[error("immediate {0} does not fit in 32 bits")]
    Immediate(i64),
    /// Two functions would have the same key.
    #[error("two functions share the key {0:#x}")]
    FunctionCollision(u32),
    /// A `.fill` by a negative count, or to more slots than [`MAX_SLOTS`].
    #[error("cannot fill {0} slots")]
    Fill(i64),
}

/// The most slots a text may be filled up to: more than fits in any account.
pub const MAX_SLOTS: usize = 1 << 21;

/// Assembles a text as solana-sbpf does for a loader whose newest version is `version`.
///
/// The program, its entry and its functions are those of the reference: a function is registered,
/// under its slot number, by a label `entrypoint` or `function_*` and by `call` with a number;
/// without a label `entrypoint` the program starts at slot 0, registered under the hash of that name.
///
/// As in the reference, the name of a label that is an operand cannot start with `r`, and `call` takes
/// only labels and numbers: a syscall is called by `syscall NAME`.
///
/// Beyond the reference, `#`, `;` and `//` start comments. Instructions are not checked against the
/// version; [`verify`](super::verify) does that.
pub fn assemble(source: &str, version: Version) -> Result<Program, AsmError> {
    let text = parser::strip_comments(source);
    let statements = parser::parse(&text)?;
    let mut assembler = Assembler::new(version, &statements)?;
    let mut last = 1;
    for (line, statement) in &statements {
        last = *line;
        assembler.emit(statement).map_err(|kind| AsmError { line: *line, kind })?;
    }
    assembler.finish().map_err(|kind| AsmError { line: last, kind })
}

/// Slots and functions as far as they are known.
struct Assembler<'a> {
    version: Version,
    slots: Vec<[u8; 8]>,
    labels: HashMap<&'a str, usize>,
    functions: BTreeMap<u32, Function>,
}

struct Function {
    pc: usize,
    is_entry: bool,
}

impl<'a> Assembler<'a> {
    /// Places the labels, so that they can be used ahead of their definition.
    fn new(version: Version, statements: &[(usize, Statement<'a>)]) -> Result<Self, AsmError> {
        let labels = HashMap::from([("entrypoint", 0)]);
        let mut assembler = Self { version, slots: Vec::new(), labels, functions: BTreeMap::new() };
        let mut pc = 0;
        for (line, statement) in statements {
            let at_line = |kind| AsmError { line: *line, kind };
            match statement {
                Statement::Label(name) => {
                    assembler.labels.insert(name, pc);
                    let is_entry = *name == "entrypoint";
                    if is_entry || name.starts_with("function_") {
                        assembler.register(pc as u32, pc, is_entry).map_err(at_line)?;
                    }
                }
                Statement::Directive(name, operands) => pc += fill(name, operands, pc).map_err(at_line)?.0,
                Statement::Instruction(name, _) => pc += if *name == "lddw" { 2 } else { 1 },
            }
        }
        Ok(assembler)
    }

    fn emit(&mut self, statement: &Statement<'_>) -> Result<(), AsmErrorKind> {
        match statement {
            Statement::Label(_) => {}
            Statement::Directive(name, operands) => {
                let (count, slot) = fill(name, operands, self.slots.len())?;
                self.slots.resize(self.slots.len() + count, slot);
            }
            Statement::Instruction(name, operands) => self.instruction(name, operands)?,
        }
        Ok(())
    }

    /// The first registration names the function; a repeated one must agree on the slot.
    fn register(&mut self, key: u32, pc: usize, is_entry: bool) -> Result<(), AsmErrorKind> {
        let function = self.functions.entry(key).or_insert(Function { pc, is_entry });
        if function.pc == pc { Ok(()) } else { Err(AsmErrorKind::FunctionCollision(key)) }
    }

    fn finish(mut self) -> Result<Program, AsmErrorKind> {
        let named = self.functions.values().find(|function| function.is_entry).map(|function| function.pc);
        let entry_pc = match named {
            Some(pc) => pc,
            None => {
                let key = if isa::has_static_calls(self.version) { 0 } else { symbol_key(b"entrypoint") };
                self.register(key, 0, true)?;
                0
            }
        };
        let functions = self.functions.into_iter().map(|(key, function)| (key, function.pc)).collect();
        Ok(Program::from_text(self.version, self.slots.into_flattened(), entry_pc, functions))
    }
}

/// What the directive adds at slot `pc`: how many slots, of what bytes.
fn fill(name: &str, operands: &[Operand<'_>], pc: usize) -> Result<(usize, [u8; 8]), AsmErrorKind> {
    let ("fill", &[Operand::Integer(count), Operand::Integer(slot)]) = (name, operands) else {
        return Err(AsmErrorKind::UnknownDirective(name.to_owned()));
    };
    let fits = usize::try_from(count).ok().filter(|&count| count <= MAX_SLOTS.saturating_sub(pc));
    Ok((fits.ok_or(AsmErrorKind::Fill(count))?, slot.to_le_bytes()))
}
