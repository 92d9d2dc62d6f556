# SPDX-License-Identifier: MIT OR Apache-2.0
"""`bootline fleet`: questions over a store of boots."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace

from . import arguments, output
from .answer import Answer
from .arguments import FINE, GATE_FAILED, UNUSABLE, complain, warn
from .changes import Changes, Limits, changes
from .document import Document
from .figures import number
from .findings import findings
from .outliers import outliers
from .overview import overview
from .page import page
from .population import population
from .program import arguments_of, exit_status
from .selection import FIRST_DAY, LAST_DAY, Selection
from .sides import compare, device
from .slowest import slowest
from .store import OpenStore, Store, UsageError
from .summary import MANY, summary
from .terminal import rendered
from .times import times

DESCRIPTION = "Asks a store of boots what regressed since which build, and what costs most. `bootline ingest` makes the store."
EXAMPLES = """\
Examples:
  bootline fleet store/                                  what regressed, and what costs most
  bootline fleet store/ -o fleet.html                    the same and more as a page: one file, works offline
  bootline fleet store/ changes --board rpi4             what changed, since which build, in which part
  bootline fleet store/ changes --last 5 --fail-on-regression       a gate for CI
  bootline fleet store/ compare build=v6.12 build=v6.13
  bootline fleet store/ device rpi4-17                   a device's last boots and its past
  bootline fleet store/ findings --json | jq '.findings[] | select(.total_us > 6e7) | .rule'

Exit status: 0 success; 1 something regressed (--fail-on-regression); 2 usage error; 3 the store is unusable, or the gate is
inconclusive: too few builds; 4 the output can't be written."""

#: What `slowest --kind` takes.
KINDS = ("initcall", "probe", "async", "unit", "stage", "phase", "gap")


def parser(prog: str = "bootline fleet") -> arguments.Parser:
    """The command line."""
    common = arguments.Parser(add_help=False, argument_default=argparse.SUPPRESS)
    boots = common.add_argument_group("which boots")
    boots.add_argument("--board", metavar="BOARD", help="only boots of this board")
    boots.add_argument("--since", metavar="DATE", type=arguments.day, help="only boots from this day on")
    boots.add_argument("--until", metavar="DATE", type=arguments.day, help="only boots up to this day")
    answer = common.add_argument_group("the answer")
    answer.add_argument("--json", action="store_true", help="write JSON (docs/fleet.md)")
    answer.add_argument("-o", "--output", metavar="FILE", help="write to a file; its extension selects the format: .html, .json, else text")
    answer.add_argument("--force", action="store_true", help="replace an existing file")
    answer.add_argument("--threads", metavar="N", type=arguments.positive, help="use at most so many processors")

    build = arguments.Parser(add_help=False, argument_default=argparse.SUPPRESS)
    build.add_argument("--build", metavar="BUILD", help="only boots of this build")
    rows = arguments.Parser(add_help=False)
    rows.add_argument("--rows", metavar="N", type=arguments.positive, default=MANY, help="the most rows [default: %(default)s]")
    limits = limit_options()
    effect = arguments.Parser(add_help=False)
    effect.add_argument(
        "--effect",
        metavar="TIME",
        type=arguments.duration_us,
        default=1000.0,
        help="leave out parts that never take so long [default: 1ms]",
    )

    top = arguments.Parser(
        prog=prog,
        usage=f"{prog} STORE [QUESTION] [OPTION]...",
        description=DESCRIPTION,
        epilog=EXAMPLES.replace("bootline fleet", prog),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[common],
    )
    top.add_argument("store", metavar="STORE", help="the folder that `bootline ingest` writes")
    questions = top.add_subparsers(
        dest="question", metavar="QUESTION", title="questions", description="Without one: what regressed, and what costs most."
    )

    def question(name: str, words: str, *parents: arguments.Parser) -> argparse.ArgumentParser:
        description = f"{words[0].upper()}{words[1:]}."
        added: argparse.ArgumentParser = questions.add_parser(
            name, prog=f"{prog} STORE {name}", help=words, description=description, parents=[*parents, common]
        )
        return added

    question("overview", "shows what the store holds", build)
    one = question("times", "shows how long boots, their stages and phases take", build)
    one.add_argument("--by-build", action="store_true", help="show each build apart")
    one = question("changes", "shows what became slower or faster since which build, and which part", limits)
    one.add_argument("--last", metavar="BUILDS", type=arguments.positive, help="only changes within the last builds")
    one.add_argument("--fail-on-regression", action="store_true", help="exit with status 1 if something is slower since, up to now")
    question("outliers", "shows boots that took far longer than others of their board and build, and what took so long", build, rows)
    one = question("slowest", "shows the parts on which the fleet spends most time", build, rows)
    one.add_argument(
        "--kind", choices=KINDS, metavar="KIND", help=f"only parts of this kind ({', '.join(KINDS)}) [default: the first four]"
    )
    question("findings", "shows what each finding costs the whole fleet", build)
    one = question("compare", "compares two populations of boots, part by part", effect)
    one.add_argument("base", metavar="BASE", help="COLUMN=VALUE, several separated by commas: build=v6.12,board=rpi4,since=2026-01-01")
    one.add_argument("new", metavar="NEW", help="the same, for the other population")
    one = question("device", "compares a device's last boots with those before", effect)
    one.add_argument("device", metavar="DEVICE", help="the device's name")
    one.add_argument(
        "--last", metavar="BOOTS", type=arguments.positive, default=10, help="how many boots are the last [default: %(default)s]"
    )
    return top


def limit_options() -> arguments.Parser:
    """What is called a change."""
    added = arguments.Parser(add_help=False)
    group = added.add_argument_group("what is a change")
    group.add_argument(
        "--effect", metavar="TIME", type=arguments.duration_us, default=1000.0, help="the smallest change that matters [default: 1ms]"
    )
    group.add_argument(
        "--noise",
        metavar="PERCENT",
        type=arguments.percent,
        default=0.01,
        help="the smallest change, in percent of the level before [default: 1]",
    )
    group.add_argument(
        "--chance", metavar="PERCENT", type=arguments.percent, default=0.01, help="how often chance may look like a change [default: 1]"
    )
    return added


def main(argv: Sequence[str] | None = None, open_store: OpenStore = Store, prog: str = "bootline fleet") -> int:
    """Runs the command, with whatever engine opens the store; returns its exit status."""
    return exit_status(lambda: run(parser(prog).parse_args(arguments_of(argv)), open_store))


def run(options: argparse.Namespace, open_store: OpenStore) -> int:
    given = vars(options)
    name, is_json = given.get("output"), given.get("json", False)
    output.check(name, given.get("force", False))
    form = output.format_of(name, is_json)
    selection = Selection(given.get("board"), given.get("build"), given.get("since", FIRST_DAY), given.get("until", LAST_DAY))
    allowed = Selection(selection.board) if options.question == "device" else Selection()
    if options.question in ("compare", "device") and selection != allowed:
        ignored = "--since and --until" if options.question == "device" else "--board, --since and --until"
        raise UsageError(f"`{options.question}` takes its boots from its arguments", f"leave out {ignored}")
    store = open_store(options.store, given.get("threads"))
    check_selection(store, selection)
    answer, document = answered(store, options, selection, is_page=form == "html")
    if form == "html":
        text = page(replace(document, title=f"{document.title}: {options.store}"))
    else:
        text = answer.json() if form == "json" else rendered(document)
    output.write(text, name)
    return gate(answer) if given.get("fail_on_regression") else FINE


def check_selection(store: Store, selection: Selection) -> None:
    """Refuses a selection without boots: a misspelt board would be one on which nothing regressed."""
    if selection == Selection():
        return
    if not store.ask("any_boot", **selection.parameters()):
        raise UsageError(
            f"no boots{selection.words()}", "`bootline sql STORE 'SELECT DISTINCT board, build FROM boots'` shows what there is"
        )


def answered(store: Store, options: argparse.Namespace, selection: Selection, is_page: bool) -> tuple[Answer, Document]:
    """The answer to the question, and its document."""
    if options.question is None:
        whole, series = summary(store, selection, Limits())
        return whole, whole.with_series(series, MANY) if is_page else whole.document()
    answer = ask(store, options, selection)
    return answer, answer.document()


def ask(store: Store, options: argparse.Namespace, selection: Selection) -> Answer:
    match options.question:
        case "overview":
            return overview(store, selection, MANY)
        case "times":
            return times(store, selection, options.by_build)
        case "changes":
            return changes(store, selection, Limits(options.chance, options.noise, options.effect), options.last)
        case "outliers":
            return outliers(store, selection, options.rows)
        case "slowest":
            return slowest(store, selection, options.kind, options.rows)
        case "findings":
            return findings(store, selection)
        case "compare":
            return compare(store, population(options.base), population(options.new), options.effect)
        case _:
            return device(store, options.device, options.last, options.effect, selection.board)


def gate(answer: Answer) -> int:
    """The status of `changes --fail-on-regression`."""
    assert isinstance(answer, Changes)
    regressions = answer.regressions()
    if regressions:
        complain(f"gate `regression` failed: {regressions[0].in_words()}")
        return GATE_FAILED
    looked = answer.looked_at
    if looked.boots == looked.boots_too_short:
        complain(f"gate `regression` is inconclusive: {looked.too_few()}", "ingest the boots of more builds")
        return UNUSABLE
    if looked.boots_too_short:
        short, boots = number(looked.boots_too_short), number(looked.boots)
        warn(f"gate `regression` does not judge {short} of {boots} series of whole boots: they have too few builds")
    return FINE


if __name__ == "__main__":
    sys.exit(main())
