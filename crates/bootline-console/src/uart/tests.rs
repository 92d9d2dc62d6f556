// SPDX-License-Identifier: MIT OR Apache-2.0
//! The port against cases worked by hand, the figures of others, and its laws.
use proptest::prelude::*;

use super::*;

fn rate(bytes_per_s: f64) -> LineRate {
    LineRate::from_bytes_per_s(bytes_per_s).unwrap()
}

fn nanos(us: f64) -> Dur {
    Dur::from_secs_f64(us * 1e-6)
}

fn us(d: Dur) -> f64 {
    d.as_secs_f64() * 1e6
}

/// Registers as on a PC's LPC bus: 1.7 us, never slow.
const LPC: Registers = Registers { access: Dur::from_nanos(1_700), slow: Dur::ZERO, slow_every: 0 };
const BURSTS: TransmitMode = TransmitMode::Fifo { depth: 16 };

fn port(transmit_mode: TransmitMode, bytes_per_s: f64) -> Uart {
    Uart { transmit_mode, registers: LPC, ..Uart::ideal(rate(bytes_per_s)) }
}

#[test]
fn by_hand() {
    let check = |what: &str, got: f64, want: f64| assert!((got - want).abs() < 0.1, "{what}: {got}, not {want}");
    // 100 us a byte, 1.7 us an access, a poll of 2.7 us; ready is seen a read late.
    // One byte: 4 accesses (6.8), 100 on the line, 1.7: the FIFO doesn't matter.
    check("one", us(port(TransmitMode::Polled, 1e4).time_for(1)), 108.5);
    check("one of a burst", us(port(BURSTS, 1e4).time_for(1)), 108.5);
    // Ten: the polls overlap with the transmission: 6.8 + 1000 + 1.7, either way.
    check("ten", us(port(TransmitMode::Polled, 1e4).time_for(10)), 1008.5);
    check("40 in bursts", us(port(BURSTS, 1e4).time_for(40)), 4008.5);
    // A line of 1 us a byte is slower than its registers: each byte costs a read and a write:
    // 6.8 + 10 x 3.4.
    check("fast line", us(port(TransmitMode::Polled, 1e6).time_for(10)), 40.8);
    // In bursts of 16: 6.8 + 2 x 17 x 1.7 for 32 bytes.
    check("fast line in bursts", us(port(BURSTS, 1e6).time_for(32)), 64.6);
    assert_eq!(Uart::ideal(rate(960.0)).time_for(96), Dur::from_millis(100));
}

/// Where the transmitter is always ready, each wait is one read: 16 bytes take IER, 16 + 1 of LSR; in bursts IER, 1 + 2
/// of LSR. Measured in QEMU's port with a lone record of 16 bytes: about 20 and 5, its carriage return included.
#[test]
fn reads_of_a_port_that_is_always_ready() {
    let ready = |transmit_mode| {
        Uart { transmit_mode, registers: Registers::default(), ..Uart::ideal(rate(1e12)) }.transmit_cost(16).reads
    };
    assert_eq!((ready(TransmitMode::Polled), ready(BURSTS)), (18, 4));
}

#[test]
fn what_is_written_too_early_is_lost() {
    let slow_line =
        |transmit_mode, tx_timeout| port(transmit_mode, 50.0).tx_timeout(tx_timeout, rate(50.0)).transmit_cost(100);
    // 20 ms a byte. 10 000 polls of 2.7 us are 27 ms: slow registers make the driver wait long enough.
    assert_eq!(slow_line(TransmitMode::Polled, TxTimeout::TenMs).lost, 0);
    // With fast ones they are 10 ms: it writes 99 times at 10 ms, the line takes one each 20 ms: 49, and the two that the
    // port holds at the end.
    let fast = Uart { transmit_mode: TransmitMode::Polled, ..Uart::ideal(rate(50.0)) }
        .tx_timeout(TxTimeout::TenMs, rate(50.0));
    assert_eq!((fast.transmit_cost(100).sent, fast.transmit_cost(100).lost), (51, 49));
    // Two frames are always enough for a line of the declared speed, and not where the driver was given a faster one.
    assert_eq!(slow_line(TransmitMode::Polled, TxTimeout::TwoFrames).lost, 0);
    let told = |declared| {
        Uart { transmit_mode: TransmitMode::Polled, ..Uart::ideal(rate(960.0)) }
            .tx_timeout(TxTimeout::TwoFrames, rate(declared))
    };
    assert_eq!(told(960.0).transmit_cost(100).lost, 0);
    assert!(told(11_520.0).transmit_cost(100).lost > 80);
    // Given a slower one, it waits longer: what the lab does (console=ttyS0,300).
    assert_eq!(told(30.0).max_polls, Some(66_666));
    // A burst has a time-out for each byte.
    let told = |transmit_mode| {
        Uart { transmit_mode, ..Uart::ideal(rate(960.0)) }.tx_timeout(TxTimeout::TwoFrames, rate(1_000.0))
    };
    assert_eq!((told(TransmitMode::Polled).transmit_cost(160).lost, told(BURSTS).transmit_cost(160).lost), (0, 0));
}

/// Seed 3: an 8250 of a server at 115200 baud. Published: 2500 bytes in 0.997 s and one in 411 us, byte by byte; with
/// FIFO writes 2500 in 0.112 s and 11500 in 3.142 s; reads of 1.7 us, now and then one of 12.8.
///
/// A frame lasts 86.8 us, so neither 399 us nor (with the FIFO) 45 us a byte can be the line's: no line of that speed
/// is under this port; firmware plays it. Two unknowns, its time for a byte and how late it says that it is empty,
/// follow from the two figures of 2500 bytes:
///     byte by byte:  lag + 1.7 + 1.7                 = 398.8, so lag = 395.4 us
///     in bursts:     15 x byte + lag + 3.4      = 716.8 for 16, so 21.2 us a byte
/// The third figure, one byte in 411 us, is then predicted (4 %).
fn seed_3(transmit_mode: TransmitMode) -> Uart {
    Uart { transmit_mode, registers: LPC, status_lag: nanos(395.4), ..Uart::ideal(rate(1e6 / 21.2)) }
}

#[test]
fn seed_3_by_byte_and_in_bursts() {
    let near = |got: f64, want: f64, share: f64| assert!((got / want - 1.0).abs() < share, "{got} against {want}");
    near(seed_3(TransmitMode::Polled).time_for(2500).as_secs_f64(), 0.997, 0.01);
    near(seed_3(BURSTS).time_for(2500).as_secs_f64(), 0.112, 0.01);
    near(us(seed_3(TransmitMode::Polled).time_for(1)), 411.342, 0.05);
    let rate = 2500.0 / seed_3(TransmitMode::Polled).time_for(2500).as_secs_f64();
    near(rate, 2500.0, 0.01);
    // The trace's 411 us are polls: one in 2.7 us here, in 3.1 us under the tracer.
    let reads = seed_3(TransmitMode::Polled).transmit_cost(1).reads;
    assert!((130..=170).contains(&reads), "{reads}");
}

/// The post attributes the 3.1 s for 11500 bytes to slow reads. They cannot be the cause: a slow read only ends a wait late, once a
/// burst, and 719 bursts x 12.8 us are 9 ms. What remains is the port: after the first 2500 it took 9000 in 3.03 s, 2970 a
/// second, as something does whose buffer (about 2170 bytes) is full and drains at that rate. It fits the rest:
/// byte by byte, at 2500 a second, that buffer never fills, and the steady gain of the FIFO is 2970 / 2500, published
/// as 25 %. A buffer after the port is not modelled; a port in that state is a line of 2970 bytes a second.
#[test]
fn slow_reads_do_not_explain_seed_3() {
    let all_slow = Registers { access: nanos(12.8), ..LPC };
    let time = |registers| Uart { registers, ..seed_3(BURSTS) }.time_for(11_500).as_secs_f64();
    assert!(time(LPC) < 0.55 && time(all_slow) < 0.55, "{} {}", time(LPC), time(all_slow));
    let one_in_three = Registers { slow: nanos(12.8), slow_every: 3, ..LPC };
    assert!(time(one_in_three) > time(LPC) && time(one_in_three) < time(all_slow));
    let drained = 9e6 / (3142.0 - 112.0);
    let full = Uart { status_lag: Dur::ZERO, ..port(BURSTS, drained) };
    let published = 0.112 + full.time_for(9_000).as_secs_f64();
    assert!((published * 1e3 / 3142.0 - 1.0).abs() < 0.01, "{published}");
}

fn registers() -> impl Strategy<Value = Registers> {
    (0i64..20_000, 0i64..50_000, 0u32..1000).prop_map(|(access, slow, slow_every)| Registers {
        access: Dur::from_nanos(access),
        slow: Dur::from_nanos(slow),
        slow_every,
    })
}

fn transmit_mode() -> impl Strategy<Value = TransmitMode> {
    prop_oneof![
        Just(TransmitMode::Ideal),
        Just(TransmitMode::Polled),
        (1u32..=128).prop_map(|depth| TransmitMode::Fifo { depth })
    ]
}

prop_compose! {
    fn uart()(
        baud in 30.0f64..1e6,
        transmit_mode in transmit_mode(),
        registers in registers(),
        lag in 0i64..1_000_000,
        polls in prop::option::of(1u32..20_000),
    ) -> Uart {
        Uart { rate: rate(baud), transmit_mode, registers, status_lag: Dur::from_nanos(lag), max_polls: polls }
    }
}

proptest! {
    #[test]
    fn a_faster_line_is_never_slower(uart in uart(), bytes in 0u32..5000, factor in 1.0f64..100.0) {
        let faster = Uart { rate: rate(uart.rate.bytes_per_s() * factor), ..uart };
        prop_assert!(faster.time_for(bytes) <= uart.time_for(bytes) + Dur::from_nanos(1));
        prop_assert!(faster.transmit_cost(bytes).lost <= uart.transmit_cost(bytes).lost);
    }

    #[test]
    fn characters_are_conserved(uart in uart(), bytes in 0u32..100_000) {
        let cost = uart.transmit_cost(bytes);
        prop_assert_eq!(cost.sent + cost.lost, bytes);
        prop_assert!(uart.max_polls.is_some() || cost.lost == 0);
        prop_assert!(cost.lost == 0 || uart.transmit_mode != TransmitMode::Ideal);
    }

    #[test]
    fn more_register_time_is_never_faster(uart in uart(), bytes in 0u32..5000, more in 0i64..20_000) {
        let access = uart.registers.access + Dur::from_nanos(more);
        let slower = Uart { registers: Registers { access, ..uart.registers }, ..uart };
        prop_assert!(slower.time_for(bytes) + Dur::from_nanos(1) >= uart.time_for(bytes));
    }

    #[test]
    fn patient_bursts_are_never_slower_than_bytes(uart in uart(), bytes in 0u32..5000, depth in 1u32..=128) {
        let patient = Uart { max_polls: None, ..uart };
        let cost = |transmit_mode| Uart { transmit_mode, ..patient }.transmit_cost(bytes);
        let (bursts, bytes) = (cost(TransmitMode::Fifo { depth }), cost(TransmitMode::Polled));
        prop_assert!(bursts.time <= bytes.time + Dur::from_nanos(1));
        prop_assert!(bursts.reads <= bytes.reads + 2);
    }

    #[test]
    fn a_longer_record_takes_longer(uart in uart(), bytes in 0u32..5000, more in 0u32..100) {
        prop_assert!(uart.time_for(bytes + more) + Dur::from_nanos(1) >= uart.time_for(bytes));
        // The line is the least that it can take, but for what was written over.
        let cost = uart.transmit_cost(bytes);
        prop_assert!(cost.lost > 0 || uart.max_polls.is_some() || cost.time + Dur::from_nanos(1)
            >= uart.rate.time_for(u64::from(bytes)).as_dur());
    }
}
