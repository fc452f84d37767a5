//! One program on the machine, as the current instruction asks for it.

use solana_account::ReadableAccount;
use solana_instruction_error::InstructionError;
use solana_sdk_ids::bpf_loader_deprecated;
use std::sync::Arc;

use super::{
    cpi::Abort,
    invoke::{Failure, InvokeContext},
    recording::ProgramRun,
    serialization::{AccountPlace, Input, deserialize, serialize},
};
use crate::{
    deltanet::HeadsBoundary,
    host::{Ended, Environment, Machine, Program, ReturnData, RunError, Setup, SetupError, Sibling},
    tables::alphabet::Region,
    types::TransactionReturnData,
};

/// Bytes of heap that cost [`HEAP_PAGE_UNITS`]; the first page is free.
const HEAP_PAGE: u64 = 32 * 1024;
/// Compute units of a page of heap.
const HEAP_PAGE_UNITS: u64 = 8;

/// Compute units of a heap of this many bytes.
fn heap_cost(heap: u32) -> u64 {
    u64::from(heap).div_ceil(HEAP_PAGE).saturating_sub(1) * HEAP_PAGE_UNITS
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Instruction(error) => Self::Instruction(error),
            other => Self::Other(other.to_string()),
        }
    }
}

/// How a program ended.
enum Outcome {
    /// It returned this.
    Returned(u64),
    /// An instruction failed, which costs all units that are left.
    Fault(Failure),
    /// A syscall failed.
    Failed(Failure),
}

impl<E: HeadsBoundary> InvokeContext<'_, E> {
    /// Runs a program with the accounts and the data of the current instruction, and takes over what it did.
    /// The log calls it `name`.
    ///
    /// # Errors
    /// An activation was not exactly one-hot.
    pub(super) fn execute(
        &mut self,
        program: &Arc<Program>,
        name: &str,
    ) -> Result<Result<(), Failure>, E::Error> {
        match self.try_execute(program, name) {
            Ok(()) => Ok(Ok(())),
            Err(Abort::Failure(failure)) => Ok(Err(failure)),
            Err(Abort::Evaluator(error)) => Err(error),
        }
    }

    fn try_execute(&mut self, program: &Arc<Program>, name: &str) -> Result<(), Abort<E::Error>> {
        let frame = self.context.current()?;
        let aligned = *self.context.account(frame.program).owner() != bpf_loader_deprecated::ID;
        let Input { bytes, places, data_address } = serialize(&self.context, aligned)?;
        let before = self.meter;
        if let Err(error) = self.charge(heap_cost(self.heap)) {
            self.remark(format_args!("Failed to create SBF VM: {error}"));
            return Err(InstructionError::ProgramEnvironmentSetupFailure.into());
        }
        let paid = self.meter;
        let setup = Setup {
            input: bytes,
            heap: self.heap as usize,
            budget: paid,
            registers: vec![(2, data_address)],
            memory: Vec::new(),
        };
        let environment = self.environment(aligned)?;
        let id = environment.program_id.into();
        let sysvars = self.cache.sysvars(self.evaluator, &environment.sysvars);
        let setup_failure = |error: SetupError| Abort::Failure(Failure::Other(error.to_string()));
        let loaded =
            (self.cache.program(self.evaluator, &id, program, self.syscalls)).map_err(setup_failure)?;
        let mut machine = Machine::start(self.evaluator, &loaded, &sysvars, &setup, &environment, self.mode)
            .map_err(setup_failure)?;
        let run = self.begin_run(program)?;
        let outcome = self.drive(&mut machine, aligned, &places, run)?;
        self.meter = machine.remaining().map_err(Abort::Evaluator)?;
        self.logs.consumed(name, paid - self.meter, before);
        self.logs.return_data(name, &self.context.return_data.data);
        let bytes = match outcome {
            Outcome::Returned(0) => machine.bytes(Region::Input).map_err(Abort::Evaluator)?,
            _ => Vec::new(),
        };
        machine.finish(&loaded);
        match outcome {
            Outcome::Returned(0) => {
                deserialize(&mut self.context, aligned, &bytes, &places).map_err(Abort::from)
            }
            Outcome::Returned(code) => Err(InstructionError::from(code).into()),
            Outcome::Failed(failure) => Err(Abort::Failure(failure)),
            Outcome::Fault(failure) => {
                self.meter = 0;
                Err(Abort::Failure(failure))
            }
        }
    }

    /// What the current instruction's program sees besides its memory.
    fn environment(&self, aligned: bool) -> Result<Environment, InstructionError> {
        let siblings = self.context.siblings().map(|frame| Sibling {
            program_id: self.context.key(frame.program).to_bytes(),
            data: frame.data.clone(),
            accounts: (frame.accounts.iter())
                .map(|account| (self.context.key(account.index).to_bytes(), account.signer, account.writable))
                .collect(),
        });
        Ok(Environment {
            program_id: self.context.program()?.to_bytes(),
            aligned,
            stack_height: self.context.height() as u64,
            syscalls: Arc::clone(self.syscalls),
            sysvars: Arc::clone(&self.accounts.sysvars.shared),
            return_data: self.return_data(),
            epoch_stake: Arc::clone(self.epoch_stake),
            siblings: siblings.collect(),
        })
    }

    fn return_data(&self) -> ReturnData {
        let TransactionReturnData { program_id, data } = &self.context.return_data;
        ReturnData { program_id: program_id.to_bytes(), data: data.clone() }
    }

    /// Takes over the log and the return data of a machine that has stopped.
    fn collect(&mut self, machine: &mut Machine<'_, E>) -> Result<(), E::Error> {
        for line in machine.take_logs()? {
            self.logs.line(line);
        }
        let ReturnData { program_id, data } = machine.return_data()?;
        self.context.return_data = TransactionReturnData { program_id: program_id.into(), data };
        Ok(())
    }

    /// Notes that a program begins, if that is to be noted; gives the number of the note.
    fn begin_run(&mut self, program: &Arc<Program>) -> Result<Option<usize>, InstructionError> {
        let (instruction, address) = (self.context.current_index()?, *self.context.program()?);
        let Some(recording) = &mut self.recording else { return Ok(None) };
        recording.runs.push(ProgramRun { instruction, address, program: Arc::clone(program) });
        Ok(Some(recording.runs.len() - 1))
    }

    /// Runs a program to its end, doing its calls. `run` is the number of the note of what it does.
    fn drive(
        &mut self,
        machine: &mut Machine<'_, E>,
        aligned: bool,
        places: &[AccountPlace],
        run: Option<usize>,
    ) -> Result<Outcome, Abort<E::Error>> {
        loop {
            let ended = match (run, &mut self.recording) {
                (Some(run), Some(recording)) => recording.run(machine, run),
                _ => machine.run(),
            };
            let ended = ended.map_err(Abort::Evaluator)?;
            self.collect(machine).map_err(Abort::Evaluator)?;
            let abi = match ended {
                Ended::Exit(r0) => return Ok(Outcome::Returned(r0)),
                Ended::Error(error @ RunError::Vm(_)) => return Ok(Outcome::Fault(error.into())),
                Ended::Error(error) => return Ok(Outcome::Failed(error.into())),
                Ended::Invoke(abi) => abi,
            };
            match self.invoke(machine, abi, aligned, places) {
                Ok(()) => {
                    machine.set_return_data(&self.return_data());
                    machine.resume(0).map_err(Abort::Evaluator)?;
                }
                Err(Abort::Failure(failure)) => return Ok(Outcome::Failed(failure)),
                Err(Abort::Evaluator(error)) => return Err(Abort::Evaluator(error)),
            }
        }
    }
}
