# SPDX-License-Identifier: MIT OR Apache-2.0
"""The API says what the command says, of the same files."""

import json
import shutil
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from made_up import log

import bootline
from bootline.sets import boot_set

WHOLE = "corpus/x86-6.18-rt-9600-initcall/boot.cap"


def of_command(command: Path, *arguments: str) -> Any:
    done = subprocess.run([command, *arguments], capture_output=True)
    # 3: a part of the log is unusable.
    assert done.returncode in (0, 3), done.stderr
    return json.loads(done.stdout)


def test_documents_are_those_of_the_command(bootline_command: Path, tmp_path: Path) -> None:
    # Characters that JSON has to escape.
    odd = tmp_path / "odd.log"
    odd.write_text(log(12, end='Run /init as init process \x07\u009b\u202e \U0001f680 "quoted" \\'), encoding="utf-8")
    logs = [*(str(path) for path in sorted(Path("corpus").glob("*/boot.cap"))), str(odd)]
    for each in logs:
        explained = of_command(bootline_command, "explain", "--json", each)
        documents = bootline.explain(each)
        assert documents == explained, each
        # As JSON, too: 1 and 1.0 are not the same there.
        assert json.dumps(documents) == json.dumps(explained), each
        timed = of_command(bootline_command, "time", "--json", each)
        assert [boot.handle.time() for boot in bootline.open(each)] == timed["boots"], each
    predicted = of_command(bootline_command, "predict", "--json", "--set", "quiet", WHOLE)
    assert bootline.predict(WHOLE, settings=["quiet"]) == predicted
    other = "corpus/x86-6.18-rt-9600/boot.cap"
    assert bootline.compare(other, WHOLE) == of_command(bootline_command, "compare", "--json", other, WHOLE)


def test_a_boot_has_all_its_parts() -> None:
    boot = bootline.open(WHOLE).only()
    assert boot.usable
    assert boot.clock == "arrival"
    took = boot.time_to_init
    assert took is not None
    assert took.elapsed.low <= took.elapsed.best <= took.elapsed.high
    assert boot.records[took.record].text.startswith("Run /init")
    assert boot.console_cost is not None
    assert float(boot.console_cost) > 100
    assert sum(phase.length for phase in boot.phases) == pytest.approx(boot.phases[-1].start + boot.phases[-1].length)
    assert [stage.name for stage in boot.stages][:1] == ["firmware"]
    assert {span.kind for span in boot.spans} >= {"initcall", "probe"}
    assert {part.clock for part in [*boot.phases, *boot.stages, *boot.spans]} == {"arrival"}
    assert boot.findings[0].code == "con003"
    cited = boot.findings[0].records[0]
    assert boot.explain()["findings"][0]["records"][0]["text"] == boot.records[cited].text
    assert boot.problems == []


def test_bad_content_is_a_problem_of_its_boot(tmp_path: Path) -> None:
    path = tmp_path / "cut.log"
    path.write_text(log(100, end="Ran /init"))
    boot = bootline.open(path).only()
    assert not boot.usable
    assert boot.problem == "ends before init's start"
    assert boot.time_to_init is None
    assert len(boot.records) == 6


def test_inputs_without_a_boot_are_errors(tmp_path: Path) -> None:
    with pytest.raises(bootline.InputError, match=r"no such file|No such file"):
        next(bootline.open(tmp_path / "missing.log"))
    (tmp_path / "notes.txt").write_text("nothing of a boot\n")
    with pytest.raises(bootline.InputError) as raised:
        list(bootline.open(tmp_path / "notes.txt"))
    assert raised.value.what
    (tmp_path / "two.log").write_text(log(100) + log(200))
    first, second = (boot.time_to_init for boot in bootline.open(tmp_path / "two.log"))
    assert first is not None
    assert second is not None
    assert float(second.elapsed) - float(first.elapsed) == pytest.approx(0.1)
    with pytest.raises(bootline.UsageError, match="several boots"):
        bootline.open(tmp_path / "two.log").only()
    with pytest.raises(bootline.InputError, match="no usable run"):
        bootline.compare(tmp_path / "notes.txt", WHOLE)


def test_content_in_memory() -> None:
    boot = bootline.open("mail", log(100).encode()).only()
    assert boot.name == "mail"
    archive = Path("corpus/x86-6.12-2400/boot.cap").read_bytes()
    from_file = bootline.open("corpus/x86-6.12-2400/boot.cap").only()
    assert bootline.open(from_file.name, archive).only().explain() == from_file.explain()


def test_what_is_asked_wrongly() -> None:
    boot = bootline.open(WHOLE).only()
    with pytest.raises(bootline.UsageError, match="quite"):
        boot.predict("quite")
    with pytest.raises(bootline.UsageError, match="contradict"):
        boot.predict("baud=9600", "baud=115200")
    with pytest.raises(bootline.UsageError, match="not a budget"):
        bootline.Budget("of = 3", "mine")
    assert issubclass(bootline.UsageError, ValueError)
    without_console = log(100).replace("console=ttyS0,115200 ", "").replace("printk: console [ttyS0] enabled", "x").encode()
    with pytest.raises(bootline.InputError, match="no serial console"):
        bootline.open("short", without_console).only().predict("baud=9600")


def test_boots_are_read_while_other_threads_run() -> None:
    """Somebody counts all the time: were the GIL held, counting would stop."""
    counted, done = 0, threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.0005)

    counter = threading.Thread(target=count)
    counter.start()
    before = time.process_time()
    while time.process_time() - before < 0.3:
        bootline.explain(WHOLE)
    done.set()
    counter.join()
    # One document takes longer than two counts.
    assert counted > 20


def test_sets_take_what_the_command_takes(tmp_path: Path, bootline_command: Path) -> None:
    for n in range(4):
        (tmp_path / f"{n}.log").write_text(log(100 + n))
    subprocess.run([bootline_command, "check", "--write-baseline", tmp_path / "base.json", tmp_path], check=True)
    (tmp_path / "notes.log").write_text("nothing\n")
    runs = boot_set("all", [tmp_path])
    assert len(runs) == 4
    assert [Path(name).name for name, _ in runs.excluded] == ["notes.log"]
    assert len(boot_set("stored", [tmp_path / "base.json"])) == 4
    verdict = bootline.check(
        bootline.Budget('[[budget]]\nof = "time-to-init"\nincrease_at_most = "100 ms"', "b"), runs, [tmp_path / "base.json"]
    )
    assert verdict.outcome == "pass"
    assert verdict.document["schema"] == "bootline-check/1"


def test_a_boot_counts_once(tmp_path: Path) -> None:
    for n in range(2):
        (tmp_path / f"{n}.log").write_text(log(100 + n))
    (tmp_path / "again").symlink_to(tmp_path / "1.log")
    first = tmp_path / "0.log"
    boot = bootline.open(first).only()
    inputs: list[list[Any]] = [[first] * 4, [tmp_path, tmp_path / "again"], [str(first), tmp_path / "." / "0.log"], [boot, boot]]
    budget = bootline.Budget('[[budget]]\nof = "time-to-init"\nat_most = "9 s"', "b")
    for twice in inputs:
        with pytest.raises(bootline.UsageError, match=r"`.*` is named twice\n  hint: each boot counts once"):
            bootline.check(budget, twice)
    # A boot may well be in both sets.
    assert bootline.compare(first, first)["from"]["runs"] == 1


def test_runs_that_the_lab_found_unusable_are_excluded_as_by_the_command(tmp_path: Path, bootline_command: Path) -> None:
    truth = json.loads(Path("corpus/x86-6.18-rt-9600/truth.json").read_text())
    verdicts: list[dict[str, Any]] = [{"verdict": verdict} for verdict in ("valid", "unchecked", "invalid", "interrupted", "stopped")]
    verdicts += [{"verdict": "panicked", "line": "x"}, {"verdict": "module-failed", "module": "x", "error": "x"}]
    verdicts += [{"verdict": "no-system", "error": "x"}, {"verdict": "timed-out", "silent_ns": 1}]
    known = json.loads(Path("docs/schema/truth-1.schema.json").read_text())["$defs"]["RunVerdict"]["oneOf"]
    assert {v["verdict"] for v in verdicts} == {v["properties"]["verdict"]["const"] for v in known}
    for verdict in verdicts:
        folder = tmp_path / "runs" / verdict["verdict"]
        folder.mkdir(parents=True)
        shutil.copy("corpus/x86-6.18-rt-9600/boot.cap", folder)
        (folder / "truth.json").write_text(json.dumps(truth | {"verdict": verdict}))
    for name, text in {"cut": "{", "list": "[]", "other": json.dumps(truth | {"verdict": {"verdict": "odd"}})}.items():
        folder = tmp_path / "runs" / name
        folder.mkdir()
        shutil.copy("corpus/x86-6.18-rt-9600/boot.cap", folder)
        (folder / "truth.json").write_text(text)
    of_lab = boot_set("runs", [tmp_path / "runs"])
    assert (len(of_lab), len(of_lab.excluded), len(of_lab.failed)) == (2, 10, 5)
    assert (str(tmp_path / "runs/invalid/boot.cap"), "the lab found the run invalid") in of_lab.excluded
    # Which are excluded, why, and which are the lab's fault.
    for given in (tmp_path / "runs", tmp_path / "runs/valid"):
        assert bootline.compare(given, given) == of_command(bootline_command, "compare", "--json", str(given), str(given))


def test_an_application_that_is_named_comes_before_that_of_the_budget(tmp_path: Path) -> None:
    (tmp_path / "boot.log").write_text(log(100))
    budget = bootline.Budget('app = "never.service"\n[[budget]]\nof = "time-to-application"\nat_most = "9 s"\n', "a budget")
    path = tmp_path / "boot.log"
    with pytest.raises(bootline.InputError, match=r"`never\.service` was not reached"):
        bootline.check(budget, boot_set("a boot", [path], budget=budget))
    assert bootline.check(budget, boot_set("a boot", [path], budget=budget, app="Run /init")).outcome == "pass"
