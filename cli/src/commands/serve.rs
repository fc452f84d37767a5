//! `svmllm serve`: a page in the browser.

use std::{
    io::{self, Write},
    net::SocketAddr,
    path::PathBuf,
    process::ExitCode,
};

use anyhow::Context;
use clap::Args;
use tokio::net::TcpListener;

use super::load_weights;
use crate::serve::{App, listen};

/// Options of `svmllm serve`.
#[derive(Args)]
pub struct Serve {
    /// Where to listen; port 0 is any that is free. Whoever reaches it may run programs
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8000")]
    listen: SocketAddr,
    /// The folder with the results of the suites
    #[arg(long, value_name = "FOLDER", default_value = "results")]
    results: PathBuf,
    /// Weights to use instead of generated ones
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
}

impl Serve {
    /// Serves until it is interrupted.
    pub fn execute(self) -> anyhow::Result<ExitCode> {
        let weights = load_weights(self.weights.as_ref())?;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(async {
            let listener = TcpListener::bind(self.listen).await.context(self.listen)?;
            let address = listener.local_addr()?;
            let app = App::new(&weights, self.results, &address)?;
            writeln!(io::stdout(), "http://{address}/ (stop with Ctrl-C)")?;
            tokio::select! {
                ended = listen(listener, app) => ended?,
                interrupted = tokio::signal::ctrl_c() => interrupted?,
            }
            anyhow::Ok(())
        })?;
        // Runs still under way are not waited for.
        runtime.shutdown_background();
        Ok(ExitCode::SUCCESS)
    }
}
