// SPDX-License-Identifier: MIT OR Apache-2.0
//! Captures, as `bootline capture` makes them.
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use bootline_capture::ChunkTime;
use bootline_capture::units::{Baud, Dur, Frame, HostTime};
use bootline_input::{Exit, Failure};
use bootline_port::recorder::{Recorder, RecorderError};
use bootline_port::{
    CaptureEnd, CaptureFault, CaptureNotice, CaptureObserver, CapturePlan, CaptureSource, CaptureSummary, LineSettings,
    MarkRequest, POWER_WAIT, PortError, Recording, StopRequest,
};
use bootline_report::{CaptureEndWord, CaptureGap, CaptureJson, CaptureMark, Emitter, JsonLine, LineErrorCounts};
use pyo3::prelude::*;
use regex::bytes::Regex;

use crate::failure::{failed, internal_error, port_error, said, usage_error};

/// Time between looks for a signal.
const PAUSE: Duration = Duration::from_millis(50);
/// The program that a capture's header names.
pub const TOOL: &str = concat!("bootline ", env!("CARGO_PKG_VERSION"));

/// Shows nothing.
struct Unseen;

impl CaptureObserver for Unseen {
    fn bytes(&mut self, _time: ChunkTime, _bytes: &[u8]) {}
    fn notice(&mut self, _at: HostTime, _notice: &CaptureNotice) {}
}

/// What ended a capture without a result.
#[derive(Debug)]
enum Problem {
    Port(PortError),
    Recorder(RecorderError),
    Panicked(String),
}

/// Records until the plan is fulfilled, the source ends, or a signal comes, whose exception is then raised with the file complete.
/// Gives the document `bootline-capture/1`.
#[pyfunction]
#[pyo3(signature = (source, file, *, baud=None, frame=None, dtr=None, rts=None, marks=Vec::new(), until=None, timeout=None, idle=None, power=None, wait=false, reconnect=true))]
#[expect(clippy::too_many_arguments, reason = "the options of `bootline capture`, by keyword")]
pub fn capture_source(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    file: PathBuf,
    baud: Option<u32>,
    frame: Option<&str>,
    dtr: Option<bool>,
    rts: Option<bool>,
    marks: Vec<String>,
    until: Option<&str>,
    timeout: Option<f64>,
    idle: Option<f64>,
    power: Option<String>,
    wait: bool,
    reconnect: bool,
) -> PyResult<String> {
    let wrong = |what: String| usage_error(py, what);
    let source = match source.extract::<Vec<String>>() {
        Ok(command) if !command.is_empty() && !source.is_instance_of::<pyo3::types::PyString>() => {
            CaptureSource::Command(command)
        }
        _ => {
            source.extract::<String>()?.parse().map_err(|e: bootline_port::CaptureSourceError| wrong(e.to_string()))?
        }
    };
    let bridged_baud = match baud {
        Some(baud) => Some(Baud::new(baud).ok_or_else(|| wrong("`baud` is above 0".to_owned()))?),
        None => None,
    };
    let frame = frame.map(str::parse::<Frame>).transpose().map_err(|e| wrong(format!("`frame`: {e}")))?;
    let marks = marks.iter().map(|text| text.parse::<MarkRequest>()).collect::<Result<Vec<_>, _>>();
    let marks = marks.map_err(|e| wrong(e.to_string()))?;
    if marks.iter().any(|mark| mark.input.modem().is_some()) && !source.is_serial() {
        return Err(wrong(format!(
            "`marks` need a serial device or GPIO lines: `{source}` has no modem control inputs"
        )));
    }
    let until =
        until.map(Regex::new).transpose().map_err(|e| wrong(format!("`until` is no regular expression: {e}")))?;
    let time = |name: &str, seconds: Option<f64>| match seconds {
        None => Ok(None),
        Some(s) if s.is_finite() && s > 0.0 => Ok(Some(Dur::from_secs_f64(s))),
        Some(_) => Err(wrong(format!("`{name}` is a time above 0, in seconds"))),
    };
    let plan = CapturePlan {
        line: LineSettings {
            baud: bridged_baud.unwrap_or(Baud::new(115_200).expect("above 0")),
            frame: frame.unwrap_or_default(),
            dtr,
            rts,
        },
        bridged_baud,
        source: source.clone(),
        wait,
        reconnect,
        power,
        power_wait: POWER_WAIT,
        marks,
        until: until.clone(),
        timeout: time("timeout", timeout)?,
        idle: time("idle", idle)?,
    };
    if file.exists() {
        return Err(wrong(format!("`{}` already exists; a capture is never overwritten", file.display())));
    }
    let stop = StopRequest::new().map_err(|e| port_error(py, e.to_string(), None))?;
    let shown = file.display().to_string();
    let (ended, mut interrupted) = py.detach(|| {
        thread::scope(|scope| {
            let (tell, told) = channel();
            let stop = &stop;
            scope.spawn(move || {
                let work = std::panic::AssertUnwindSafe(|| record(plan, &file, stop));
                let ended = std::panic::catch_unwind(work);
                _ = tell.send(ended.unwrap_or_else(|panic| Err(Problem::Panicked(said(&*panic)))));
            });
            let mut interrupted = None;
            loop {
                match told.recv_timeout(PAUSE) {
                    Ok(ended) => return (ended, interrupted),
                    Err(RecvTimeoutError::Disconnected) => {
                        return (Err(Problem::Panicked("the capture ended without a result".to_owned())), interrupted);
                    }
                    Err(RecvTimeoutError::Timeout) => {
                        let signalled = Python::attach(|py| py.check_signals());
                        if let (Err(e), None) = (signalled, &interrupted) {
                            interrupted = Some(e);
                            stop.request();
                        }
                    }
                }
            }
        })
    });
    if let Some(signal) = interrupted.take() {
        return Err(signal);
    }
    match ended {
        Ok(summary) => {
            if let Some(fault) = summary.fault(&source, until.as_ref(), reconnect && source.comes_back()) {
                return Err(faulty(py, &fault, &shown));
            }
            Ok(JsonLine(to_json(&summary, &source, shown)).to_text())
        }
        Err(Problem::Port(e)) => Err(port_error(py, e.to_string(), e.hint().map(|hint| hint.to_string()).as_deref())),
        Err(Problem::Recorder(e)) => Err(port_error(py, e.to_string(), None)),
        Err(Problem::Panicked(what)) => Err(internal_error(py, what)),
    }
}

/// A capture that is not what was asked for; its file is kept.
fn faulty(py: Python<'_>, fault: &CaptureFault, file: &str) -> PyErr {
    let exit = if fault.is_of_the_source() { Exit::LAB } else { Exit::INPUT };
    let failure = Failure::new(exit, fault.to_string()).evidence(format!("the capture is in `{file}`"));
    failed(py, &fault.hint().into_iter().fold(failure, Failure::hint))
}

fn record(plan: CapturePlan, file: &std::path::Path, stop: &StopRequest) -> Result<CaptureSummary, Problem> {
    let source = plan.source.clone();
    let Some(recording) = Recording::open(plan, stop, &mut Unseen).map_err(Problem::Port)? else {
        return Err(Problem::Panicked(format!("stopped while waiting for `{source}`")));
    };
    let recorder = Recorder::create(file, &recording.header(TOOL)).map_err(Problem::Recorder)?;
    recording.record(recorder, stop, &mut Unseen).map_err(Problem::Port)
}

fn to_json(summary: &CaptureSummary, source: &CaptureSource, file: String) -> CaptureJson {
    CaptureJson {
        schema: "bootline-capture/1",
        file,
        source: source.to_string(),
        bytes: summary.bytes,
        lines: summary.lines,
        span_ns: summary.span.as_nanos(),
        largest_gap: summary.largest_gap.map(|(at, gap)| CaptureGap { at_ns: at.as_nanos(), ns: gap.as_nanos() }),
        worst_uncertainty_ns: summary.worst_uncertainty.as_nanos(),
        losses: summary.losses,
        holes: summary.holes,
        line_errors: summary.line_errors.map(|e| LineErrorCounts {
            frame: e.frame,
            parity: e.parity,
            overrun: e.overrun,
            buffer_overrun: e.buffer_overrun,
        }),
        marks: summary
            .marks
            .iter()
            .map(|mark| CaptureMark {
                name: mark.request.name.clone(),
                input: mark.request.input.word(),
                asserted: mark.request.asserted,
                at_ns: mark.first.map(|(at, _)| at.as_nanos()),
                uncertainty_ns: mark.first.map(|(_, uncertainty)| uncertainty.as_nanos()),
                count: mark.count,
            })
            .collect(),
        ended: match &summary.ended {
            CaptureEnd::Until(_) => CaptureEndWord::Until,
            CaptureEnd::Timeout(_) => CaptureEndWord::Timeout,
            CaptureEnd::Idle(_) => CaptureEndWord::Idle,
            CaptureEnd::Stopped(_) => CaptureEndWord::Stopped,
            CaptureEnd::Source(_) => CaptureEndWord::Source,
        },
        detail: summary.ended.to_string(),
    }
}
