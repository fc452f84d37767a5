//! The grammar: text to statements.
//!
//! It follows the reference's parser to the letter, including what it does by accident: an operand
//! that starts with `r` must be a register, spaces are optional where a token cannot go on, tabs and
//! line ends separate statements but not operands, and a number too large for its type reads as 0.

use super::{AsmError, AsmErrorKind};

/// An operand of an instruction or a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand<'a> {
    /// `r1`
    Register(i64),
    /// `-0x10`
    Integer(i64),
    /// `[r1+8]`: register, offset.
    Memory(i64, i64),
    /// `loop_start`
    Label(&'a str),
}

/// What a statement says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Statement<'a> {
    /// `name:`
    Label(&'a str),
    /// `.name operand, ...`
    Directive(&'a str, Vec<Operand<'a>>),
    /// `name operand, ...`
    Instruction(&'a str, Vec<Operand<'a>>),
}

/// `source` without its comments; lines stay where they are.
pub(super) fn strip_comments(source: &str) -> String {
    let code = |line: &str| {
        let end = ["#", ";", "//"].iter().filter_map(|mark| line.find(mark)).min();
        line[..end.unwrap_or(line.len())].to_owned()
    };
    source.split('\n').map(code).collect::<Vec<_>>().join("\n")
}

/// All statements of a text without comments, each with its line.
pub(super) fn parse(text: &str) -> Result<Vec<(usize, Statement<'_>)>, AsmError> {
    let mut parser = Parser { rest: text, line: 1 };
    let mut statements = Vec::new();
    parser.take_while(char::is_whitespace);
    while !parser.rest.is_empty() {
        statements.push((parser.line, parser.statement()?));
        parser.take_while(char::is_whitespace);
    }
    Ok(statements)
}

fn is_identifier(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

struct Parser<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Parser<'a> {
    fn statement(&mut self) -> Result<Statement<'a>, AsmError> {
        if let Some(name) = self.label() {
            Ok(Statement::Label(name))
        } else if self.eat(".") {
            let name = self.take_some(char::is_alphanumeric, "the name of a directive")?;
            Ok(Statement::Directive(name, self.operands()?))
        } else {
            let name = self.take_some(char::is_alphanumeric, "a label, a directive or an instruction")?;
            Ok(Statement::Instruction(name, self.operands()?))
        }
    }

    fn label(&mut self) -> Option<&'a str> {
        let (name, _) = self.rest.split_once(|c| !is_identifier(c)).filter(|(name, _)| !name.is_empty())?;
        self.rest = self.rest[name.len()..].strip_prefix(':')?;
        Some(name)
    }

    fn operands(&mut self) -> Result<Vec<Operand<'a>>, AsmError> {
        self.skip_spaces();
        let mut operands = Vec::new();
        let Some(first) = self.operand()? else { return Ok(operands) };
        operands.push(first);
        while self.eat(",") {
            self.skip_spaces();
            let next = self.operand()?;
            operands.push(next.ok_or_else(|| self.unexpected("an operand"))?);
        }
        Ok(operands)
    }

    /// Nothing where no operand begins.
    fn operand(&mut self) -> Result<Option<Operand<'a>>, AsmError> {
        Ok(match self.rest.chars().next() {
            Some('r') => Some(Operand::Register(self.register()?)),
            Some('+' | '-' | '0'..='9') => Some(Operand::Integer(self.integer()?)),
            Some('[') => Some(self.memory()?),
            Some(c) if is_identifier(c) => Some(Operand::Label(self.take_while(is_identifier))),
            _ => None,
        })
    }

    fn memory(&mut self) -> Result<Operand<'a>, AsmError> {
        self.expect("[")?;
        let base = self.register()?;
        self.skip_spaces();
        let offset = if self.rest.starts_with(']') { 0 } else { self.integer()? };
        self.expect("]")?;
        Ok(Operand::Memory(base, offset))
    }

    fn register(&mut self) -> Result<i64, AsmError> {
        self.expect("r")?;
        let digits = self.take_some(|c| c.is_ascii_digit(), "a register number after r")?;
        Ok(digits.parse().unwrap_or(0))
    }

    fn integer(&mut self) -> Result<i64, AsmError> {
        let negative = self.rest.starts_with('-');
        if negative || self.rest.starts_with('+') {
            self.rest = &self.rest[1..];
            self.skip_spaces();
        }
        let magnitude = if let Some(hex) = self.hex_digits() {
            u64::from_str_radix(hex, 16).unwrap_or(0) as i64
        } else {
            self.take_some(|c| c.is_ascii_digit(), "a number")?.parse().unwrap_or(0)
        };
        Ok(if negative { magnitude.wrapping_neg() } else { magnitude })
    }

    /// The digits after `0x`; a `0x` without digits is the number 0 followed by something else.
    fn hex_digits(&mut self) -> Option<&'a str> {
        let rest = self.rest.strip_prefix("0x")?;
        if !rest.starts_with(|c: char| c.is_ascii_hexdigit()) {
            return None;
        }
        self.rest = rest;
        Some(self.take_while(|c| c.is_ascii_hexdigit()))
    }

    fn eat(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, token: &'static str) -> Result<(), AsmError> {
        if self.eat(token) { Ok(()) } else { Err(self.unexpected(token)) }
    }

    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start_matches(' ');
    }

    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        self.line += taken.matches('\n').count();
        taken
    }

    fn take_some(&mut self, belongs: impl Fn(char) -> bool, what: &'static str) -> Result<&'a str, AsmError> {
        let taken = self.take_while(belongs);
        if taken.is_empty() { Err(self.unexpected(what)) } else { Ok(taken) }
    }

    fn unexpected(&self, expected: &'static str) -> AsmError {
        let found = self.rest.chars().next();
        AsmError { line: self.line, kind: AsmErrorKind::Syntax { expected, found } }
    }
}

#[cfg(test)]
mod tests {
    use super::Operand::*;
    use super::*;

    fn operands(text: &str) -> Vec<Operand<'_>> {
        match parse(text).unwrap().pop() {
            Some((_, Statement::Instruction(_, operands))) => operands,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn operand_forms() {
        assert_eq!(
            operands("op r15,[r1],[r2 - 0x30],-7, name_1"),
            [Register(15), Memory(1, 0), Memory(2, -48), Integer(-7), Label("name_1"),]
        );
        assert_eq!(operands("op 0xffffffffffffffff, 0x10000000000000000"), [Integer(-1), Integer(0)]);
    }

    #[test]
    fn comments_and_lines() {
        let text = strip_comments("# first\n a: b r1 ; two\n\n// three\nc");
        let lines: Vec<_> = parse(&text).unwrap().into_iter().map(|(line, _)| line).collect();
        assert_eq!(lines, [2, 2, 5]);
    }

    #[test]
    fn a_label_has_a_name() {
        assert!(parse(": exit").is_err());
        assert!(parse("a : exit").is_err());
        assert!(parse("a:: exit").is_err());
    }

    #[test]
    fn errors_carry_their_line() {
        let error = parse("exit\nmov64 r1,\nexit").unwrap_err();
        assert_eq!(error.to_string(), "line 2: expected an operand, found '\\n'");
        assert_eq!(
            parse("ja return").unwrap_err().to_string(),
            "line 1: expected a register number after r, found 'e'"
        );
    }
}
