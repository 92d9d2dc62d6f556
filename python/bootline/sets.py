# SPDX-License-Identifier: MIT OR Apache-2.0
"""Sets of boots: compared with each other, and with a budget (docs/gate.md)."""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from weakref import WeakSet

from ._bootline import Budget, RunSet, check_set, compare_sets
from .boots import Boot
from .boots import open as open_boots
from .errors import InputError, UsageError

__all__ = ["Budget", "CheckedLimit", "Input", "RunSet", "Verdict", "boot_set", "check", "compare", "read_budget"]

Input = str | os.PathLike[str] | Boot

_LOGS = (".cap", ".log", ".txt", ".dmesg", ".kmsg", ".tar")
_BASELINE = b'"bootline-baseline/'
# How runs of the lab end (docs/schema/truth-1.schema.json). In the words of `bootline compare`, why one is left out, and whether the fault
# is the lab's and not the boot's.
_VERDICTS: dict[str, tuple[str, bool] | None] = {
    "valid": None,
    "unchecked": None,
    "invalid": ("the lab found the run invalid", True),
    "interrupted": ("the run was interrupted", True),
    "panicked": ("the kernel panicked", False),
    "module-failed": ("the kernel refused a module", False),
    "no-system": ("the system could not be started", False),
    "timed-out": ("the boot hung", False),
    "stopped": ("the guest stopped before its end", False),
}


def boot_set(name: str, inputs: Iterable[Input], *, budget: Budget | None = None, app: str | None = None, **options: Any) -> RunSet:
    """The measures of boots: of logs and captures, folders of them, stored baselines, or boots that were opened before.

    Each boot counts once: to give one twice is a `UsageError`. What can't be used is listed in `RunSet.excluded`, with why; so is a run
    that the lab itself found invalid, if its folder is given or the one above. `RunSet.failed` lists those that are no fault of the lab.
    Options as for `bootline.open`.

    >>> runs = boot_set("two", ["corpus/x86-6.18-rt-9600/boot.cap", "corpus/x86-6.19-rt-9600/boot.cap"])
    >>> len(runs), runs.excluded
    (2, [])
    """
    if app is None and budget is not None:
        app = budget.app
    if budget is not None and budget.end is not None:
        options.setdefault("marker", budget.end)
    runs = RunSet(name, budget, app)
    files: set[str] = set()
    # Weak, so that boots that a generator gives are not kept.
    boots: WeakSet[Boot] = WeakSet()
    for given in inputs:
        if isinstance(given, Boot):
            if given in boots:
                raise _twice(given.name)
            boots.add(given)
            runs.add(given.handle)
            continue
        for path, truth in _files(Path(given)):
            real = os.path.realpath(path)
            if real in files:
                raise _twice(str(path))
            files.add(real)
            if truth is not None and (verdict := _unbelievable(truth)):
                runs.exclude(str(path), *verdict)
                continue
            if _is_baseline(path):
                runs.add_baseline(path.read_bytes(), str(path))
                continue
            try:
                for boot in open_boots(path, app=app, **options):
                    runs.add(boot.handle)
            except InputError as e:
                runs.exclude(str(path), e.what)
    return runs


def _twice(name: str) -> UsageError:
    return UsageError(f"`{name}` is named twice", "each boot counts once: name the folder, or the files in it")


def _files(path: Path) -> list[tuple[Path, Path | None]]:
    """The file, or the captures in a folder, as `bootline compare` takes them: those of runs, else logs, else collections.

    Each with what the lab knows of it, if it is the run in a folder that the lab wrote."""
    if not path.is_dir():
        return [(path, None)]
    if run := _run(path):
        return [run]
    entries = sorted(path.iterdir())
    files = {ending: [e for e in entries if e.is_file() and e.suffix.lower() == ending] for ending in _LOGS}
    runs = [run for e in entries if (run := _run(e))]
    alone = files[".cap"]
    if not alone and not runs:
        alone = sorted(path for ending in _LOGS[1:-1] for path in files[ending]) or files[".tar"]
        if not alone:
            raise InputError(f"no captures and no logs in `{path}`", "captures end in .cap, logs in .log, .txt, .dmesg or .kmsg")
    return [*((path, None) for path in alone), *runs]


def _run(folder: Path) -> tuple[Path, Path | None] | None:
    """The run in a folder that `bootline boot` wrote."""
    log, truth = folder / "boot.cap", folder / "truth.json"
    return (log, truth if truth.is_file() else None) if log.is_file() else None


def _unbelievable(truth: Path) -> tuple[str, bool] | None:
    """Why the lab found a run unusable, and whether the fault is the lab's and not the boot's."""
    try:
        return _VERDICTS[json.loads(truth.read_bytes())["verdict"]["verdict"]]
    except (OSError, ValueError, LookupError, TypeError):
        return "its `truth.json` can't be read", True


def _is_baseline(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return _BASELINE in file.read(4096)
    except OSError:
        # Whoever reads it says what is wrong.
        return False


def _runs(given: RunSet | Input | Iterable[Input], options: dict[str, Any]) -> RunSet:
    if isinstance(given, RunSet):
        return given
    inputs: Iterable[Input] = [given] if isinstance(given, (str, os.PathLike, Boot)) else given
    inputs = list(inputs)
    name = str(inputs[0]) if len(inputs) == 1 and not isinstance(inputs[0], Boot) else f"{len(inputs)} inputs"
    return boot_set(name, inputs, **options)


def _without_runs(runs: RunSet) -> InputError:
    why = "".join(f"\n  at: {name}: {why}" for name, why in runs.excluded[:5])
    return InputError(f"no usable run in `{runs.name}`{why}")


def compare(
    base: RunSet | Input | Iterable[Input],
    new: RunSet | Input | Iterable[Input],
    *,
    effect: float = 0.001,
    noise: float = 0.01,
    **options: Any,
) -> dict[str, Any]:
    """The document that `bootline compare --json` writes: docs/schema/compare-1.schema.json.

    `effect` is the smallest difference of a time that matters, in seconds; `noise` the machine's own, as a share of the earlier median.

    >>> document = compare("corpus/x86-6.18-rt-9600/boot.cap", "corpus/x86-6.19-rt-9600/boot.cap")
    >>> document["schema"], [one["runs"] for one in (document["from"], document["to"])]
    ('bootline-compare/1', [1, 1])
    """
    earlier, later = _runs(base, options), _runs(new, options)
    text = compare_sets(earlier, later, effect, noise)
    if text is None:
        raise _without_runs(earlier if len(earlier) == 0 else later)
    document: dict[str, Any] = json.loads(text)
    return document


@dataclass(frozen=True, slots=True)
class CheckedLimit:
    """A limit of a budget, and what became of it."""

    quantity: str
    kind: str
    """`at-most` or `increase-at-most`"""
    outcome: str
    """`pass`, `fail` or `inconclusive`: too few boots, or an incomplete log."""
    message: str
    """Why it does not pass, with the evidence; empty if it does."""
    estimate: float | None
    """The figure that was judged, in `unit`."""
    unit: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a budget says of boots."""

    limits: list[CheckedLimit]
    document: dict[str, Any]
    """The document that `bootline check --json` writes: docs/schema/check-1.schema.json."""

    @property
    def outcome(self) -> str:
        """The worst of its limits."""
        outcomes = {limit.outcome for limit in self.limits}
        return next((outcome for outcome in ("fail", "inconclusive") if outcome in outcomes), "pass")


def read_budget(path: str | os.PathLike[str]) -> Budget:
    """A budget from its file: docs/gate.md explains the keys.

    >>> read_budget("examples/ci/boot-budget.toml").baseline
    'boot-baseline.json'
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise InputError(f"no budget `{os.fspath(path)}`: {e}", "docs/gate.md shows one") from e
    return Budget(text, os.fspath(path))


def check(budget: Budget, runs: RunSet | Iterable[Input], baseline: RunSet | Iterable[Input] | None = None) -> Verdict:
    """Checks boots against a budget, as `bootline check` does; each boot counts once.

    >>> budget = Budget('[[budget]]\\nof = "time-to-init"\\nat_most = "60 s"', "a minute")
    >>> verdict = check(budget, ["corpus/x86-6.12-2400/boot.cap"])
    >>> verdict.outcome, verdict.limits[0].message.splitlines()[0]
    ('fail', 'gate `time-to-init` failed: 111.298 s (limit 60.000 s)')
    """
    checked = runs if isinstance(runs, RunSet) else boot_set("the boots", runs, budget=budget)
    if len(checked) == 0:
        raise _without_runs(checked)
    if baseline is not None and not isinstance(baseline, RunSet):
        baseline = boot_set("the baseline", baseline, budget=budget)
    text, outcomes = check_set(budget, checked, baseline)
    document = json.loads(text)
    limits = [
        CheckedLimit(
            limit["quantity"],
            limit["limit_kind"],
            outcome,
            message,
            limit["estimate"] and limit["estimate"]["best"],
            limit["unit"],
        )
        for limit, (outcome, message) in zip(document["limits"], outcomes, strict=True)
    ]
    return Verdict(limits, document)
