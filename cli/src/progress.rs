//! Progress on the terminal, for what takes longer than a moment.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::session::RunError;

/// How long to wait before showing anything.
const PATIENCE: Duration = Duration::from_secs(1);

/// A line on standard error that appears once the work has taken a second.
pub struct Progress {
    begun: Instant,
    total: Option<u64>,
    unit: &'static str,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Nothing to be seen.
    pub fn hidden() -> Self {
        let mut hidden = Self::new("", None);
        hidden.bar = Some(ProgressBar::hidden());
        hidden
    }

    /// Progress through `total` units, or through nobody knows how many.
    pub fn new(unit: &'static str, total: Option<u64>) -> Self {
        Self { begun: Instant::now(), total, unit, bar: None }
    }

    /// Shows that `done` units are done.
    pub fn show(&mut self, done: u64) {
        if self.bar.is_none() && self.begun.elapsed() > PATIENCE {
            self.bar = Some(self.start());
        }
        if let Some(bar) = &self.bar {
            bar.set_position(done);
        }
    }

    /// Shows that `done` units are done, and lets the run go on.
    pub fn report(&mut self, done: u64) -> Result<(), RunError> {
        self.show(done);
        Ok(())
    }

    fn start(&self) -> ProgressBar {
        let (bar, place) = match self.total {
            Some(total) => (ProgressBar::new(total), "[{bar:40}] {percent}%, {eta} left,"),
            None => (ProgressBar::new_spinner(), "{spinner}"),
        };
        let template = format!("{place} {{human_pos}} {} in {{elapsed}}", self.unit);
        // A template that is wrong only costs the looks.
        let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.with_style(style).with_elapsed(self.begun.elapsed())
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
