//! Whole transactions against LiteSVM: the same calls on both, and everything observable compared.

mod agave;
mod both;
mod cpi;
mod programs;
mod state;
mod system;
mod transactions;
