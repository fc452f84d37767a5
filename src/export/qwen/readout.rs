//! The largest logit, without computing each.
//!
//! The logits are a matrix times a vector. Rows of the matrix agree in most parts with others, so they are kept as
//! paths through a graph whose edges are the different parts of rows, and the largest sum along a path is found from
//! the end.

use std::collections::HashMap;

use super::tensor::Tensor;

/// Columns of a part.
const PART: usize = 15;

/// Rows, split into parts.
pub(super) struct ReadOut {
    /// For each part its different contents: columns and weights.
    contents: Vec<Vec<Vec<(u32, f32)>>>,
    /// For each part but the first node of all: nodes, of which each has edges: content and next node.
    levels: Vec<Vec<Vec<(usize, usize)>>>,
    /// The first token with a row of these contents.
    tokens: HashMap<Vec<usize>, u32>,
}

impl ReadOut {
    /// Of the rows of `matrix`, the columns for which `seen` is true.
    pub fn new(matrix: &Tensor, seen: &[bool]) -> Self {
        let columns: Vec<usize> = (0..seen.len()).filter(|column| seen[*column]).collect();
        let parts = columns.len().div_ceil(PART).max(1);
        let mut part_of = vec![None; seen.len()];
        for (index, column) in columns.iter().enumerate() {
            part_of[*column] = Some(index / PART);
        }
        let mut contents: Vec<Vec<Vec<(u32, f32)>>> = vec![Vec::new(); parts];
        let mut known: Vec<HashMap<Vec<(u32, u32)>, usize>> = vec![HashMap::new(); parts];
        let mut tokens = HashMap::new();
        for (token, row) in matrix.rows.iter().enumerate() {
            let mut split: Vec<Vec<(u32, f32)>> = vec![Vec::new(); parts];
            for (column, weight) in row {
                if let Some(part) = part_of[*column as usize] {
                    split[part].push((*column, *weight));
                }
            }
            let mut path = Vec::with_capacity(parts);
            for (part, mut content) in split.into_iter().enumerate() {
                content.sort_by_key(|entry| entry.0);
                let key = content.iter().map(|(column, weight)| (*column, weight.to_bits())).collect();
                let next = contents[part].len();
                let index = *known[part].entry(key).or_insert(next);
                if index == next {
                    contents[part].push(content);
                }
                path.push(index);
            }
            tokens.entry(path).or_insert(token as u32);
        }
        let mut paths: Vec<&Vec<usize>> = tokens.keys().collect();
        paths.sort();
        let mut levels = vec![Vec::new(); parts];
        let mut nodes = vec![HashMap::new(); parts];
        add(&paths, 0, parts, &mut levels, &mut nodes);
        Self { contents, levels, tokens }
    }

    /// The token with the largest logit, and the logit.
    pub fn largest(&self, x: &[f32]) -> (u32, f32) {
        let mut best: Vec<(f32, Vec<usize>)> = vec![(0.0, Vec::new())];
        for (contents, nodes) in self.contents.iter().zip(&self.levels).rev() {
            let scores: Vec<f32> = contents
                .iter()
                .map(|content| content.iter().map(|(column, weight)| x[*column as usize] * weight).sum())
                .collect();
            best = nodes
                .iter()
                .map(|edges| {
                    let mut top = (f32::NEG_INFINITY, 0, 0);
                    for (content, next) in edges {
                        let score = scores[*content] + best[*next].0;
                        if score > top.0 {
                            top = (score, *content, *next);
                        }
                    }
                    let mut path = vec![top.1];
                    path.extend(best.get(top.2).map_or(&[][..], |rest| &rest.1));
                    (top.0, path)
                })
                .collect();
        }
        let (score, path) = best.pop().unwrap_or_default();
        (self.tokens.get(&path).copied().unwrap_or(0), score)
    }
}

type Edges = Vec<(usize, usize)>;

/// The node from which these sorted paths go on at this level.
fn add(
    paths: &[&Vec<usize>],
    level: usize,
    parts: usize,
    levels: &mut [Vec<Edges>],
    nodes: &mut [HashMap<Edges, usize>],
) -> usize {
    if level == parts {
        return 0;
    }
    let edges: Edges = paths
        .chunk_by(|a, b| a[level] == b[level])
        .map(|same| (same[0][level], add(same, level + 1, parts, levels, nodes)))
        .collect();
    let next = levels[level].len();
    let index = *nodes[level].entry(edges.clone()).or_insert(next);
    if index == next {
        levels[level].push(edges);
    }
    index
}
