// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ports and printk alone: post 1's benchmark, post 3.
use bootline_capture::units::{Baud, Dur, Frame, Interval, LineRate};
use bootline_console::{
    Behaviour, ConsoleId, Contention, KernelClock, KernelVersion, Message, ModelledConsole, Op, SimulationSetup, Uart,
    Workload, simulate,
};
use bootline_console::{Registers, TransmitMode};

use super::row::Row;

pub fn rows() -> Vec<Row> {
    server()
}

/// Post 1: 64 records of `N/64` and 80 `#`, printed in a row.
pub fn benchmark(baud: u32, legacy: bool) -> Interval {
    let text = |n: u32| if n < 10 { 4 } else { 5 } + 80;
    let records = (1..=64).map(|n| Op::Print(Message { bytes: text(n) + 17, level: 6 }));
    let start = [Op::Register(ConsoleId(0)), Op::ThreadsReady, Op::Mark(1)];
    let workload = Workload { tasks: vec![start.into_iter().chain(records).chain([Op::Mark(2)]).collect()] };
    let rate = LineRate::of(Baud::new(baud).unwrap(), Frame::default());
    let console = ModelledConsole {
        behaviour: Behaviour::of(Some(KernelVersion::new(6, 12)), false, legacy),
        uart: Uart::ideal(rate),
        boot: false,
        replay: true,
    };
    let setup = SimulationSetup {
        cpus: 4,
        consoles: vec![console],
        loglevel: 7,
        contention: Contention::default(),
        clock: KernelClock::True,
    };
    let outcome = simulate(&workload, &setup);
    Interval::exact(outcome.mark(2).unwrap() - outcome.mark(1).unwrap())
}

/// Post 3's port: register accesses of 1.7 us. Its two times for 2500 bytes determine how late it reports that it is
/// empty, 395.4 us, and its time per byte, 21.2 us (bootline-console's src/uart/tests.rs).
fn server() -> Vec<Row> {
    const BOTH: &str = "the port's lag and its time per byte, from its two times for 2500 bytes";
    let registers = Registers { access: Dur::from_nanos(1_700), slow: Dur::ZERO, slow_every: 0 };
    let rate = LineRate::from_bytes_per_s(1e6 / 21.2).unwrap();
    let port =
        |transmit_mode| Uart { transmit_mode, registers, status_lag: Dur::from_nanos(395_400), ..Uart::ideal(rate) };
    let time = |way, chars| Interval::exact(port(way).time_for(chars));
    let (bytes, bursts) = (TransmitMode::Polled, TransmitMode::Fifo { depth: 16 });
    let row = |what, published, predicted, within| Row { seed: 3, what, published, predicted, inferred: BOTH, within };
    vec![
        row("2500 bytes, polled", 0.997, time(bytes, 2500), Some(0.01)),
        row("one byte", 0.000_411_342, time(bytes, 1), Some(0.05)),
        row("2500 bytes with FIFO writes of 16", 0.112, time(bursts, 2500), Some(0.01)),
        row("11500 bytes with FIFO writes of 16", 3142e-3, time(bursts, 11_500), None),
    ]
}
