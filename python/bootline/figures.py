# SPDX-License-Identifier: MIT OR Apache-2.0
"""What boots consist of. Times are in seconds; each names its clock, and what is an estimate has bounds."""

from dataclasses import dataclass
from typing import Any

__all__ = ["Finding", "Interval", "Phase", "Prediction", "Problem", "Record", "Remedy", "Span", "Stage", "TimeToInit"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A time known between bounds, in seconds: low <= best <= high.

    >>> print(Interval(1.5, 2.0, 2.25, "arrival"))
    2.000000 s (1.500000..2.250000 s, arrival clock)
    >>> float(Interval(1.5, 2.0, 2.25, "arrival"))
    2.0
    """

    low: float
    best: float
    high: float
    clock: str
    """`arrival` (the host's) or `kernel`. Times by different clocks don't compare."""

    def __float__(self) -> float:
        return self.best

    def __str__(self) -> str:
        return f"{self.best:.6f} s ({self.low:.6f}..{self.high:.6f} s, {self.clock} clock)"


@dataclass(frozen=True, slots=True)
class TimeToInit:
    """How long a boot took until its end: init's start, or the marker that was asked for."""

    elapsed: Interval
    since: str
    """What it counts from: `kernel-first-byte`, `kernel-start`, `power-on`."""
    by: str
    """What shows the end: `init-record`, `freeing-unused`, `init-banner`, `marker`."""
    record: int
    """The record that shows it."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of the whole boot: firmware, boot loader, kernel, user space."""

    name: str
    start: float
    """On the boot's axis."""
    length: float
    clock: str
    start_by: str
    """What shows its start."""


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase of the kernel's boot."""

    name: str
    start: float
    """On the boot's axis."""
    length: float
    console: float
    """Waits for the console within it."""
    clock: str


@dataclass(frozen=True, slots=True)
class Span:
    """An initcall, a probe or an asynchronous call, as `initcall_debug` logs them."""

    kind: str
    name: str
    module: str | None
    start: float
    """On the boot's axis."""
    end: float | None
    """None if it never returned."""
    gross: float
    """Length, including waits for the console."""
    net: float
    """Length without waits for the console."""
    own: float
    """Length without the waits and without nested spans."""
    returned: int | None
    task: int | None
    depth: int
    clock: str
    records: tuple[int, int | None]
    """Its first and its last record."""


@dataclass(frozen=True, slots=True)
class Record:
    """A record of the log. Its text is as logged: escape control characters before you show it on a terminal."""

    id: int
    text: str
    origin: str
    """`kernel`, or another program's line."""
    level: int | None
    kernel_time: float | None
    """The kernel's own stamp."""
    arrival_time: float | None
    """When its first byte arrived, by the host's clock, from the capture's origin."""
    stored: Interval | None
    """When the kernel stored it, on the boot's axis."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """Something to do about a finding."""

    action: str
    setting: str | None
    applicable: bool
    price: str
    effort: str
    risk: str
    saves: Interval | None
    """What it is predicted to save."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A cause of lost time."""

    code: str
    """`con003`"""
    name: str
    """`console-lock`"""
    title: str
    cost: Interval
    why: str
    part_of: tuple[str, ...]
    """Rules whose findings contain this cost: it does not add to theirs."""
    records: tuple[int, ...]
    """The records that show it."""
    remedies: tuple[Remedy, ...]
    """The best first."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is wrong with the log."""

    kind: str
    detail: str
    count: int
    spoils: bool
    """Whether figures can't be trusted because of it."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """The boot with a change applied."""

    title: str
    change: tuple[str, ...]
    time_to_init: Interval
    saves: Interval
    price: str
    assumptions: tuple[str, ...]


def seconds(nanoseconds: int) -> float:
    return nanoseconds / 1e9


def optional_seconds(nanoseconds: int | None) -> float | None:
    return None if nanoseconds is None else nanoseconds / 1e9


def interval(of: dict[str, int], clock: str) -> Interval:
    """From the contract's form."""
    return Interval(seconds(of["low"]), seconds(of["best"]), seconds(of["high"]), clock)


def stage(of: dict[str, Any], clock: str) -> Stage:
    return Stage(of["name"], seconds(of["start_ns"]), seconds(of["length_ns"]), clock, of["start_by"])


def phase(of: dict[str, Any], clock: str) -> Phase:
    return Phase(of["name"], seconds(of["start_ns"]), seconds(of["length_ns"]), seconds(of["console_ns"]), clock)


def span(of: dict[str, Any], clock: str) -> Span:
    return Span(
        kind=of["kind"],
        name=of["name"],
        module=of["module"],
        start=seconds(of["start_ns"]),
        end=optional_seconds(of["end_ns"]),
        gross=seconds(of["gross_ns"]),
        net=seconds(of["net_ns"]),
        own=seconds(of["self_ns"]),
        returned=of["returned"],
        task=of["task"],
        depth=of["depth"],
        clock=clock,
        records=(of["first"], of["last"]),
    )


def record(of: dict[str, Any], clock: str) -> Record:
    stored, error = of["stored_ns"], of["stored_error_ns"]
    return Record(
        id=of["id"],
        text=of["text"],
        origin=of["origin"],
        level=of["level"],
        kernel_time=optional_seconds(of["kernel_ns"]),
        arrival_time=optional_seconds(of["arrival_ns"] and of["arrival_ns"][0]),
        stored=None if stored is None else interval({"low": stored - error, "best": stored, "high": stored + error}, clock),
    )


def finding(of: dict[str, Any], clock: str) -> Finding:
    code, _, name = of["rule"].partition(" ")
    return Finding(
        code=code,
        name=name,
        title=of["title"],
        cost=interval(of["cost_ns"], clock),
        why=of["why"],
        part_of=tuple(of.get("part_of", ())),
        records=tuple(cited["id"] for cited in of["records"]),
        remedies=tuple(
            Remedy(
                action=remedy["action"],
                setting=remedy.get("setting"),
                applicable=remedy["applicable"],
                price=remedy["price"],
                effort=remedy["effort"],
                risk=remedy["risk"],
                saves=interval(remedy["saves_ns"], clock) if remedy.get("saves_ns") else None,
            )
            for remedy in of["remedies"]
        ),
    )


def prediction(of: dict[str, Any], clock: str) -> Prediction:
    return Prediction(
        title=of["title"],
        change=tuple(of["change"]),
        time_to_init=interval(of["time_to_init_ns"], clock),
        saves=interval(of["saved_ns"], clock),
        price=of["price"],
        assumptions=tuple(assumption["text"] for assumption in of["assumptions"]),
    )
