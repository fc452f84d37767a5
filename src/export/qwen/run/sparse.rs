//! Matrices by their columns.

use super::super::tensor::Tensor;

/// A matrix: for each column the rows with an entry.
pub(super) struct Matrix {
    columns: Vec<Vec<(u32, f32)>>,
}

impl Matrix {
    pub fn new(tensor: &Tensor) -> Self {
        let mut columns = vec![Vec::new(); tensor.row_len()];
        for (row, entries) in tensor.rows.iter().enumerate() {
            for (place, value) in entries {
                columns[*place as usize].push((row as u32, *value));
            }
        }
        Self { columns }
    }

    /// Adds the product with `x`.
    pub fn multiply(&self, x: &[f32], out: &mut [f32]) {
        for (column, x) in x.iter().enumerate() {
            if *x != 0.0 {
                self.add_column(column, *x, out);
            }
        }
    }

    /// Adds a multiple of a column.
    pub fn add_column(&self, column: usize, factor: f32, out: &mut [f32]) {
        for (row, value) in &self.columns[column] {
            out[*row as usize] += value * factor;
        }
    }
}

/// Rows of a tensor that are not all zero.
pub(super) fn active(tensor: &Tensor) -> Vec<usize> {
    (0..tensor.rows.len()).filter(|row| !tensor.rows[*row].is_empty()).collect()
}
