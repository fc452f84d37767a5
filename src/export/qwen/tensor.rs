//! Tensors that are nearly all zeros.

/// A tensor: for every index of its first dimension the entries that are not zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// The dimensions.
    pub shape: Vec<usize>,
    /// Place within a row, and value.
    pub rows: Vec<Vec<(u32, f32)>>,
}

impl Tensor {
    /// A tensor of zeros.
    pub fn zeros(shape: &[usize]) -> Self {
        Self { shape: shape.to_vec(), rows: vec![Vec::new(); shape.first().copied().unwrap_or(1)] }
    }

    /// A vector.
    pub fn vector(values: &[f32]) -> Self {
        let row = |value: &f32| if *value == 0.0 { Vec::new() } else { vec![(0, *value)] };
        Self { shape: vec![values.len()], rows: values.iter().map(row).collect() }
    }

    /// Entries of a row.
    pub fn row_len(&self) -> usize {
        self.shape.iter().skip(1).product()
    }

    /// Entries, zeros included.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Entries other than zero.
    pub fn nonzero(&self) -> usize {
        self.rows.iter().map(Vec::len).sum()
    }

    /// Adds to an entry.
    pub fn add(&mut self, row: usize, place: usize, value: f64) {
        let Ok(place) = u32::try_from(place) else { return };
        if value == 0.0 {
            return;
        }
        match self.rows[row].iter_mut().find(|(at, _)| *at == place) {
            Some(entry) => entry.1 += value as f32,
            None => self.rows[row].push((place, value as f32)),
        }
    }

    /// Sets an entry.
    pub fn set(&mut self, row: usize, place: usize, value: f64) {
        self.rows[row].retain(|(at, _)| *at as usize != place);
        self.add(row, place, value);
    }

    /// The values of a vector.
    pub fn values(&self) -> Vec<f32> {
        self.rows.iter().map(|row| row.first().map_or(0.0, |entry| entry.1)).collect()
    }

    /// A row with its zeros, written to `dense`, which has its length.
    pub fn fill(&self, row: usize, dense: &mut [f32]) {
        dense.fill(0.0);
        for (place, value) in &self.rows[row] {
            dense[*place as usize] = *value;
        }
    }
}
