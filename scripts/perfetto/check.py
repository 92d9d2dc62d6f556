#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Checks traces by what the Perfetto project publishes: its proto definitions, and the trace processor of its UI.

Usage: check.py UI-FOLDER TRACE...        (scripts/perfetto-check calls it)
"""
import json
import pathlib
import subprocess
import sys

from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as published

HERE = pathlib.Path(__file__).parent

# Each with the answer that it must have; none: it is shown.
QUERIES = {
    "what the importer dropped or couldn't read":
        ("select name, value from stats where severity in ('error', 'data_loss') and value > 0", []),
    "slices that never end": ("select count(*) from slice where dur < 0", [[0]]),
    "slices that reach out of the slice around them":
        ("select count(*) from slice s join slice p on s.parent_id = p.id where s.ts < p.ts or s.ts + s.dur > p.ts + p.dur", [[0]]),
    "slices that overlap on one track and depth":
        ("select count(*) from (select ts, dur, lead(ts) over (partition by track_id, depth order by ts, id) as next from slice)"
         " where next < ts + dur", [[0]]),
    "slices without a name": ("select count(*) from slice where name is null or name = ''", [[0]]),
    "tracks without events": ("select count(*) from counter_track where id not in (select track_id from counter)", [[0]]),
    "slices": ("select count(*) from slice", None),
    "counts": ("select count(*) from counter", None),
    "boots": ("select count(*) from slice where name = 'boot' and category = 'boot'", None),
}


def unknown(message, at=""):
    """Paths of fields that the published definitions don't have."""
    for field in UnknownFieldSet(message):
        yield f"{at}: field {field.field_number}"
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            inner = [value] if isinstance(value, Message) else value
            for one in inner:
                yield from unknown(one, f"{at}.{field.name}")


def check(folder, trace):
    """What is wrong with a trace, and what is in it."""
    wrong, told = [], []
    if not trace.name.endswith(".json"):
        parsed = published.Trace()
        parsed.ParseFromString(trace.read_bytes())
        wrong += sorted(set(unknown(parsed, "trace")))
        told.append(f"{len(parsed.packet)} packets")
    ask = ["node", str(HERE / "trace-processor.mjs"), str(folder), str(trace)]
    queries = "\n".join(sql for sql, _ in QUERIES.values())
    answers = subprocess.run(ask, input=queries, capture_output=True, text=True, check=False)
    if answers.returncode != 0:
        return wrong + [f"the trace processor failed: {answers.stderr.strip()}"], told
    for (words, (_, wanted)), line in zip(QUERIES.items(), answers.stdout.splitlines(), strict=True):
        answer = json.loads(line)
        if "error" in answer:
            wrong.append(f"{words}: {answer['error']}")
        elif wanted is None:
            told.append(f"{answer['rows'][0][0]} {words}")
        elif answer["rows"] != wanted:
            wrong.append(f"{words}: {answer['rows']}")
    return wrong, told


def main():
    folder, *traces = sys.argv[1:]
    status = 0
    for trace in map(pathlib.Path, traces):
        wrong, told = check(folder, trace)
        print(f"{trace}: {', '.join(told)}")
        for words in wrong:
            print(f"error: `{trace}`: {words}", file=sys.stderr)
            status = 1
    sys.exit(status)


main()
