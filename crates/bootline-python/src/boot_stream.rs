// SPDX-License-Identifier: MIT OR Apache-2.0
//! The boots of an input, one after the other: a thread reads ahead by one, and whoever waits can be interrupted.
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use bootline_boot::{AppMarker, BootOptions, ConsoleArg};
use bootline_input::unusable::{BootNeeds, UnusableInput};
use bootline_input::{AnalysedBoot, BootReader, Boots, Failure, KernelLog, LogFile, OpenInput, WholeBoot};
use bootline_records::Format;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::boot::BootHandle;
use crate::failure::{failed, internal_error, said, usage_error};

/// Time between looks for a signal.
const PAUSE: Duration = Duration::from_millis(50);

/// What the thread gives.
#[derive(Debug)]
enum Given {
    Boot(Box<BootHandle>),
    Failed(Failure),
    Panicked(String),
}

/// Iterates over the boots of an input.
#[pyclass(frozen, name = "BootStream")]
#[derive(Debug)]
pub struct BootStream(Mutex<Receiver<Given>>);

/// What is to be read, and how.
#[derive(Debug)]
struct Asked {
    file: LogFile,
    with: Vec<PathBuf>,
    kernel_log: Option<PathBuf>,
    reader: BootReader,
}

#[pymethods]
impl BootStream {
    #[new]
    #[pyo3(signature = (path, content=None, *, with_sources=Vec::new(), app=None, marker=None, console=None, input_format=None, kernel_log=None, cpus=None))]
    #[expect(clippy::too_many_arguments, reason = "the options of `bootline explain`, by keyword")]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        content: Option<PyBackedBytes>,
        with_sources: Vec<PathBuf>,
        app: Option<&str>,
        marker: Option<String>,
        console: Option<&str>,
        input_format: Option<&str>,
        kernel_log: Option<PathBuf>,
        cpus: Option<u32>,
    ) -> PyResult<BootStream> {
        let app = app.map(AppMarker::parse).transpose();
        let app = app.map_err(|e| usage_error(py, format!("`app` names no application: {e}")))?;
        let format = input_format.map(str::parse::<Format>).transpose();
        let format = format.map_err(|e| usage_error(py, format!("`input_format`: {e}")))?;
        let options = BootOptions { marker, console: console.map(ConsoleArg::parse), cpus, ..BootOptions::default() };
        let whole = WholeBoot { sources: Vec::new(), app };
        let reader = BootReader { options, format, kernel_log: None, whole, needs: BootNeeds::End };
        let file = match content {
            Some(bytes) => LogFile::held(path.to_string_lossy(), bytes.as_ref()),
            None => LogFile::File(path),
        };
        let asked = Asked { file, with: with_sources, kernel_log, reader };
        let (give, given) = sync_channel(0);
        thread::spawn(move || {
            let read = catch_unwind(AssertUnwindSafe(|| read(asked, &give)));
            let last = match read {
                Ok(Ok(())) => return,
                Ok(Err(failure)) => Given::Failed(failure),
                Err(panic) => Given::Panicked(said(&*panic)),
            };
            // Nobody may wait for it any more.
            _ = give.send(last);
        });
        Ok(BootStream(Mutex::new(given)))
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<BootHandle>> {
        loop {
            let given = py.detach(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(PAUSE));
            match given {
                Ok(Given::Boot(boot)) => return Ok(Some(*boot)),
                Ok(Given::Failed(failure)) => return Err(failed(py, &failure)),
                Ok(Given::Panicked(what)) => return Err(internal_error(py, what)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            }
        }
    }
}

/// Reads until the end, or until nobody waits for more.
fn read(asked: Asked, give: &SyncSender<Given>) -> Result<(), Failure> {
    let Asked { file, with, kernel_log, mut reader } = asked;
    reader.whole.sources = WholeBoot::read(with.iter().map(PathBuf::as_path), None)?.sources;
    if let Some(path) = kernel_log {
        let log = LogFile::new(&path);
        let found = Boots::open(&log, None)?.map(|found| Ok(found?.0.records)).collect::<Result<Vec<_>, Failure>>()?;
        reader.kernel_log = Some(KernelLog::new(log.name(), found));
    }
    let opened = OpenInput::new(&file);
    let nothing = || {
        let what = format!("no kernel log in `{}`", opened.name);
        Failure::new(bootline_input::Exit::INPUT, what)
    };
    let Some(log) = &opened.log else { return Err(opened.damage.clone().unwrap_or_else(nothing)) };
    let mut boots = reader.boots(log)?.with_sources(&opened.sources);
    while let Some(found) = boots.next() {
        let AnalysedBoot { boot, label, unusable } = found?;
        if boot.milestones.first_kernel.is_none() {
            boots.refuse(label, unusable.unwrap_or(UnusableInput::NoTimes));
            continue;
        }
        let problem = unusable.map(UnusableInput::in_words);
        if give.send(Given::Boot(Box::new(BootHandle::new(boot, label, problem)))).is_err() {
            return Ok(());
        }
    }
    let failures = boots.finish().into_iter().map(|(_, failure)| failure);
    opened.damage.clone().into_iter().chain(failures).next().map_or(Ok(()), Err)
}
