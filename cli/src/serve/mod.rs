//! `svmllm serve`: the machine behind a page in the browser.

mod api;
mod http;
mod work;

use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::{Arc, atomic::AtomicBool},
};

use svmllm::tables::{Indexed, Weights, WeightsError};
use tokio::sync::Semaphore;

pub use http::listen;

/// Longest request, in bytes.
const MAX_BODY: usize = 4 << 20;
/// Longest input region, in bytes.
const MAX_INPUT: usize = 1 << 20;
/// Most compute units for one run.
const MAX_UNITS: u64 = 10_000_000;
/// Longest run, in milliseconds.
const MAX_MILLISECONDS: u64 = 5_000;
/// Most steps described at once.
const MAX_STEPS: u64 = 256;
/// Most steps described at once with their layers.
const MAX_LAYERED: u64 = 4;
/// Most layers described of a step.
const MAX_LAYERS: usize = 1000;

/// What every request sees.
pub struct App {
    indexed: Indexed,
    info: api::Info,
    results: PathBuf,
    /// One for each run that may be under way.
    running: Arc<Semaphore>,
    /// Whether requests must name this machine: a page elsewhere could otherwise lead a browser here.
    is_local: bool,
}

impl App {
    /// The machine on these weights, with the results in a folder, for requests to `address`.
    pub fn new(weights: &Weights, results: PathBuf, address: &SocketAddr) -> Result<Arc<Self>, WeightsError> {
        let runs = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Arc::new(Self {
            indexed: Indexed::new(weights)?,
            info: api::Info::new(weights),
            results,
            running: Arc::new(Semaphore::new(runs)),
            is_local: address.ip().is_loopback(),
        }))
    }
}

/// Sets its flag when nobody waits for an answer any more.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}
