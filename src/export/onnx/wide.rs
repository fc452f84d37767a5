//! Wide numbers: columns of shape \[count, 1\].

use super::{
    evaluator::{Tracer, Value, value},
    graph::{Name, Operation},
};
use crate::tables::{
    Array, ModulusId, ModulusNumber, RESIDUE_DIGITS, Stair, Word, alphabet::Nibble, numbers::NumberConst,
};

/// Columns of `wide.terms`.
const TERMS: usize = 96;

/// Integers to be, one a column: a tensor of the graph, and how many there are.
#[derive(Clone)]
pub struct Sums {
    columns: Name,
    count: usize,
}

impl Tracer<'_> {
    pub(super) fn zeros(&self, rows: usize, columns: usize) -> Name {
        self.graph.constant(&format!("nothing.{rows}.{columns}"), || Array::zeros(&[rows, columns]))
    }

    /// All digits of a number, shape \[16 N, 16\].
    fn digit_rows<const N: usize>(&self, a: &[Word<Self>; N]) -> Name {
        self.concat(0, &a.each_ref().map(|word| &word.0))
    }

    /// The values of digits at a place, shape \[digits, 1\].
    fn values(&self, digits: &Name, place: usize) -> Name {
        let row = self.rows(&self.tensor("wide.digits"), place, place + 1);
        self.node(Operation::MatMul, &[digits, &self.node(Operation::Transpose, &[&row])])
    }

    /// `count` columns from column `from` on, zeros where there are none.
    fn window(&self, sums: &Sums, from: usize, count: usize) -> Name {
        let there = sums.count.saturating_sub(from).min(count);
        let kept = match there {
            0 => return self.zeros(count, 1),
            _ if there == sums.count => sums.columns.clone(),
            _ => self.rows(&sums.columns, from, from + there),
        };
        if there == count { kept } else { self.concat(0, &[&kept, &self.zeros(count - there, 1)]) }
    }

    pub(super) fn wide_product<const N: usize>(&self, a: &[Word<Self>; N], b: &[Word<Self>; N]) -> Sums {
        let count = 16 * N;
        // The head: for each digit a key may show, the multiples of every digit of a.
        let multiples = self.reshape(&self.tensor("wide.multiples"), [1, 16]);
        let held = self.node(Operation::MatMul, &[&self.values(&self.digit_rows(a), 0), &multiples]);
        let held = self.node(Operation::Transpose, &[&held]);
        let read = self.node(Operation::MatMul, &[&self.digit_rows(b), &held]);
        // Row j moves j columns up: rows of 2 D numbers, read again as rows of 2 D - 1.
        let padded = self.concat(1, &[&read, &self.zeros(count, count)]);
        let flat = self.reshape(&padded, [1, 2 * count * count]);
        let moved = self.reshape(&self.columns(&flat, 0, count * (2 * count - 1)), [count, 2 * count - 1]);
        let terms = self.columns(&self.reshape(&self.tensor("wide.terms"), [1, TERMS]), 0, count);
        let columns = self.node(Operation::Transpose, &[&self.node(Operation::MatMul, &[&terms, &moved])]);
        let sums = Sums { columns, count: 2 * count - 1 };
        Sums { columns: self.window(&sums, 0, 2 * count), count: 2 * count }
    }

    pub(super) fn wide_digits<const N: usize>(&self, a: &[Word<Self>; N], place: usize) -> Sums {
        Sums { columns: self.values(&self.digit_rows(a), place), count: 16 * N }
    }

    /// A row of a tensor as columns.
    fn row_columns(&self, tensor: &str, row: usize, count: usize) -> Sums {
        let row = self.rows(&self.tensor(tensor), row, row + 1);
        Sums { columns: self.node(Operation::Transpose, &[&row]), count }
    }

    pub(super) fn wide_modulus(&self, id: ModulusId, number: ModulusNumber) -> Sums {
        self.row_columns(&format!("modulus.{}.numbers", id.name()), number.row(), id.digits())
    }

    pub(super) fn wide_number(&self, number: NumberConst) -> Sums {
        let name = format!("number.{}", number.set.name());
        self.row_columns(&name, number.row, 16 * number.set.words())
    }

    pub(super) fn wide_join(&self, a: &Sums, b: &Sums) -> Sums {
        let count = a.count.max(b.count);
        let parts = [a, b].map(|sums| self.window(sums, 0, count));
        Sums { columns: self.node(Operation::Add, &parts.each_ref()), count }
    }

    pub(super) fn wide_part(&self, sums: &Sums, from: usize, count: usize) -> Sums {
        Sums { columns: self.window(sums, from, count), count }
    }

    pub(super) fn wide_spread(&self, sums: &Sums, count: usize) -> Sums {
        let away = |digit: &Name, remainder: &str, from: &Name| {
            let coefficients = self.reshape(&self.tensor(remainder), [16, 1]);
            self.node(Operation::Add, &[from, &self.node(Operation::MatMul, &[digit, &coefficients])])
        };
        let top = self.stair(Stair::Top, &sums.columns);
        let rest = away(&top, "stair.top.remainder", &sums.columns);
        let high = self.stair(Stair::High, &rest);
        let low = self.stair(Stair::Low, &away(&high, "stair.high.remainder", &rest));
        let digits = [self.columns(&low, 0, 16), self.columns(&low, 16, 32), high, top];
        let mut sum = self.zeros(count, 1);
        for (place, digit) in digits.iter().enumerate() {
            let values = self.values(digit, place);
            let moved = if place == 0 { values } else { self.concat(0, &[&self.zeros(place, 1), &values]) };
            let moved = Sums { columns: moved, count: sums.count + place };
            sum = self.node(Operation::Add, &[&sum, &self.window(&moved, 0, count)]);
        }
        Sums { columns: sum, count }
    }

    pub(super) fn wide_fold(&self, id: ModulusId, sums: &Sums) -> Sums {
        let (fold, count) = (self.tensor(&format!("modulus.{}.fold", id.name())), id.digits());
        Sums { columns: self.node(Operation::MatMul, &[&fold, &self.window(sums, 0, count + 1)]), count }
    }

    pub(super) fn wide_residue(&self, id: ModulusId, top: &Word<Self>) -> Sums {
        let digits = self.reshape(&self.rows(&top.0, 0, RESIDUE_DIGITS), [16 * RESIDUE_DIGITS, 1]);
        let residue = self.tensor(&format!("modulus.{}.residue", id.name()));
        Sums { columns: self.node(Operation::MatMul, &[&residue, &digits]), count: id.digits() }
    }

    pub(super) fn wide_settle(&self, sums: &Sums, word: usize) -> [Value<Nibble>; 2] {
        let digits = self.stair(Stair::Small, &self.window(sums, 16 * word, 16));
        [self.columns(&digits, 0, 16), self.columns(&digits, 16, 32)].map(value)
    }
}
