// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run's truth, put together from what was observed.
use bootline_boot::is_listed_as_nbcon;
use bootline_capture::units::{Dur, HostTime, LineRate};

use super::guest_report::ModuleReport;
use super::request::BootPlan;
use super::running::QemuEnd;
use super::session::Session;
use super::system_truth::system_truth;
use super::truth::{Guest, LineTruth, ModuleTruth, PrintkLinesTruth, RunVerdict, TRUTH_SCHEMA, Truth};
use super::{BootError, BootRequest, LoaderBoot};
use crate::disk::StorageUse;
use crate::fidelity::{self, Fidelity, FidelityFlaw, RunEvidence};
use crate::host::Host;
use crate::kmsg;
use crate::line::{Pacer, ReaderEnd, RealTime};
use crate::machine::Accel;
use crate::module::{Module, error_name};
use crate::qemu::Qemu;
use crate::registers::RegisterAccesses;

/// What the truth is assembled from, apart from the session.
pub(super) struct TruthParts<'a> {
    pub request: &'a BootRequest,
    pub plan: &'a BootPlan,
    pub host: Host,
    pub qemu_version: String,
    pub started: HostTime,
    pub real_time: RealTime,
    pub no_huge_pages: bool,
    pub waits_alone: bool,
    pub starved: Dur,
    pub line_end: ReaderEnd,
    pub registers: Option<RegisterAccesses>,
    pub storage_use: Option<StorageUse>,
}

impl TruthParts<'_> {
    pub fn truth(self, session: &Session, end: &QemuEnd, qemu: &Qemu) -> Result<Truth, BootError> {
        let report = &session.report;
        let (records, _) = kmsg::parse(&report.kmsg);
        let lateness = self.line_end.lateness.summary();
        let arch = self.plan.machine.arch;
        let fidelity = self.plan.line.map_or_else(Fidelity::default, |line| {
            fidelity::check(&RunEvidence {
                received: &session.received,
                log: &records,
                console_loglevel: report.console_loglevel,
                command_line: report.cmdline.as_deref().unwrap_or(&self.plan.command_line),
                console: arch.console(),
                rate: LineRate::of(line.baud, line.frame),
                translated: self.plan.machine.accel != Accel::Kvm,
                slowed: self.request.trace_registers,
                threaded: self.request.modules.is_empty()
                    && report.consoles.as_deref().is_some_and(|text| is_listed_as_nbcon(text, arch.console())),
                init_at: report.init_at,
                loaded: self.request.loader.is_some(),
                slots: Pacer::new(line.baud, line.frame).slots() as u64,
                lateness,
            })
        });
        let modules = module_truth(&self.request.modules, &report.modules);
        let system = self.request.system.as_ref().map(|boot| system_truth(boot, report, self.storage_use));
        let mut fidelity = fidelity;
        if let Some(system) = system.as_ref().filter(|s| s.storage.is_some() && session.is_done()) {
            fidelity.check_storage(system.storage_rate_ratio);
            if let Some(storage) = &system.storage_use {
                fidelity.check_answers(storage, self.started);
            }
        }
        let machine = &self.plan.machine;
        if let Some(system) = system.as_ref().filter(|_| machine.added_memory_mib > 0 && session.is_done()) {
            fidelity.check_added_memory(machine.memory_mib, machine.added_memory_mib, system.memory_total_kib);
        }
        let verdict = verdict(session, end, qemu, &fidelity, &modules)?;
        let init = report.init_at;
        let paced_init = init.filter(|_| self.plan.line.is_some());
        Ok(Truth {
            schema: TRUTH_SCHEMA.to_owned(),
            verdict,
            line: self.plan.line.map(|line| LineTruth {
                baud: line.baud,
                declared_baud: line.declared,
                frame: line.frame,
                line_bytes_per_s: LineRate::of(line.baud, line.frame),
                transport: line.transport,
                sched_fifo: self.real_time,
                holds_up_all_cpus: Some(self.plan.machine.smp > 1 && arch.port_waits() && !self.waits_alone),
                usage: session.usage.summary(lateness),
            }),
            qemu_started_ns: self.started,
            first_byte_ns: session.first_byte,
            last_byte_ns: session.last_byte,
            log_complete_ns: session.log_complete,
            init_ns: init,
            init_entered_ns: init.zip(report.port_opening).map(|(init, took)| init - took),
            init_guest_ns: report.init_guest,
            loaded_ns: report.loaded_at,
            reported_ns: report.ready_at,
            marker_ns: session.marker_at,
            time_to_init_ns: init.zip(session.first_byte).map(|(init, first)| init - first).filter(|t| *t > Dur::ZERO),
            console_busy_before_init_ns: paced_init.map(|init| session.usage.busy_until(init)),
            bytes_before_init: paced_init.map(|_| session.bytes_before_init),
            starved_before_init_ns: self.starved,
            bytes_total: session.usage.bytes(),
            kmsg_records: (!report.kmsg.is_empty()).then_some(records.len() as u64),
            kmsg_overrun: report.kmsg_overrun,
            modules,
            lines: report.lines.map(|report| PrintkLinesTruth {
                count: report.count,
                bytes: session.line_bytes,
                guest_ns: report.end - report.start,
            }),
            registers: self.registers,
            system,
            guest: Guest {
                arch,
                accel: self.plan.machine.accel,
                smp: self.plan.machine.smp,
                cpu_model: self.plan.machine.cpu_model.clone(),
                instruction_ns: self.plan.machine.counted_instruction_time(),
                memory_mib: self.plan.machine.memory_mib,
                no_huge_pages: self.no_huge_pages,
                added_memory_mib: self.plan.machine.added_memory_mib,
                kernel: self.request.kernel_name(),
                dtb: self.request.dtb.as_ref().map(|path| path.display().to_string()),
                without_initramfs: self.request.no_initramfs,
                loader: self.request.loader.as_ref().map(LoaderBoot::truth),
                command_line: self.plan.command_line.clone(),
                kernel_version: report.version.clone(),
                proc_cmdline: report.cmdline.clone(),
                consoles: report.consoles.clone(),
                uptime: report.uptime.clone(),
                console_loglevel: report.console_loglevel,
            },
            fidelity,
            host: self.host,
            qemu_version: self.qemu_version,
        })
    }
}

/// The requested modules with init's reports on them, in the same order.
fn module_truth(asked: &[Module], report: &[ModuleReport]) -> Vec<ModuleTruth> {
    let pairs = asked.iter().zip(report);
    let truth = pairs.map(|(module, report)| ModuleTruth {
        name: module.name().to_owned(),
        parameters: module.parameters.clone(),
        error: (report.errno != 0).then(|| module_error(report.errno)),
        done_ns: report.at,
        guest_ns: report.end - report.start,
    });
    truth.collect()
}

fn module_error(errno: i32) -> String {
    let (name, meaning) = error_name(errno);
    format!("{name}: {meaning}")
}

fn verdict(
    session: &Session,
    end: &QemuEnd,
    qemu: &Qemu,
    fidelity: &Fidelity,
    modules: &[ModuleTruth],
) -> Result<RunVerdict, BootError> {
    if let QemuEnd::Interrupted = end {
        return Ok(RunVerdict::Interrupted);
    }
    if fidelity.flaws.contains(&FidelityFlaw::EmulatorBreakpoint) {
        return Ok(RunVerdict::Invalid);
    }
    if let Some(errno) = session.report.no_system {
        return Ok(RunVerdict::NoSystem { error: std::io::Error::from_raw_os_error(errno).to_string() });
    }
    if let Some(line) = &session.panic_line {
        return Ok(RunVerdict::Panicked { line: line.clone() });
    }
    let refused = modules.iter().find_map(|m| Some((&m.name, m.error.as_ref()?)));
    if let Some((module, error)) = refused.filter(|_| session.is_done()) {
        return Ok(RunVerdict::ModuleFailed { module: module.clone(), error: error.clone() });
    }
    Ok(match *end {
        QemuEnd::ByItself(status) if !status.success() => return Err(qemu.died(status).into()),
        QemuEnd::TimedOut { silent } => RunVerdict::TimedOut { silent_ns: silent },
        _ if !session.is_done() => RunVerdict::Stopped,
        _ if !fidelity.flaws.is_empty() => RunVerdict::Invalid,
        _ if session.report.init_at.is_none() => RunVerdict::Unchecked,
        _ => RunVerdict::Valid,
    })
}
