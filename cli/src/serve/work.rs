//! Runs for requests, within bounds.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::time::timeout;

use super::{App, MAX_MILLISECONDS, StopOnDrop, api::Refusal};
use crate::session::RunError;

/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(20);

/// When a run has to stop: after some time, or once nobody waits for it.
pub struct Bounds {
    begun: Instant,
    forsaken: Arc<AtomicBool>,
}

impl Bounds {
    /// Lets a run of so many instructions go on, or stops it.
    pub fn check(&self, instructions: u64) -> Result<(), RunError> {
        if self.forsaken.load(Ordering::Relaxed) {
            return Err(RunError::Stopped("nobody waits for the answer".into()));
        }
        if self.begun.elapsed() > Duration::from_millis(MAX_MILLISECONDS) {
            let seconds = MAX_MILLISECONDS / 1000;
            let text = format!("stopped after {seconds} seconds and {instructions} instructions");
            return Err(RunError::Stopped(text));
        }
        Ok(())
    }
}

/// Does some work on another thread when its turn has come.
pub async fn run<T: Send + 'static>(
    app: Arc<App>,
    work: impl FnOnce(&App, &Bounds) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let forsaken = Arc::new(AtomicBool::new(false));
    let _stop = StopOnDrop(forsaken.clone());
    let turn = timeout(PATIENCE, app.running.clone().acquire_owned());
    let Ok(Ok(turn)) = turn.await else { return Err(Refusal::Busy) };
    let bounds = Bounds { begun: Instant::now(), forsaken };
    let job = move || {
        // Held by the run itself, which may outlive its request for a moment.
        let _turn = turn;
        work(&app, &bounds)
    };
    tokio::task::spawn_blocking(job).await.unwrap_or(Err(Refusal::Internal))
}
