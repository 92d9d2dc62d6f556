# SPDX-License-Identifier: MIT OR Apache-2.0
"""docs/schema/fleet-*.schema.json: the schema of each answer, derived from the types that are written.

BLESS=1 writes them."""

from __future__ import annotations

import inspect
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from bootline.fleet import changes, findings, outliers, overview, sides, slowest, summary, times
from bootline.fleet.answer import Answer, Estimate

SCHEMAS = Path(__file__).parent.parent.parent.parent / "docs" / "schema"
ANSWERS: list[type[Answer]] = [
    changes.Changes,
    findings.Findings,
    outliers.Outliers,
    overview.Overview,
    sides.Comparison,
    sides.DeviceComparison,
    slowest.Slowest,
    summary.Summary,
    times.TimesAnswer,
]
MODULES = (changes, findings, outliers, overview, sides, slowest, summary, times)
#: A field after its comment.
FIELD = re.compile(r"((?:^ +#: .*\n)+) +(\w+): ", re.MULTILINE)


def classes() -> dict[str, type]:
    """The types of all answers, by name."""
    found = {name: member for module in MODULES for name, member in inspect.getmembers(module, inspect.isclass)}
    return found | {"Estimate": Estimate}


def comments(cls: type) -> dict[str, str]:
    """What the comments of a class say of its fields."""
    own = {name: re.sub(r"\s*#: ", " ", text).strip() for text, name in FIELD.findall(inspect.getsource(cls))}
    return {**(comments(cls.__mro__[1]) if issubclass(cls.__mro__[1], Answer) and cls.__mro__[1] is not Answer else {}), **own}


def describe(name: str, schema: dict[str, Any]) -> None:
    cls = classes()[name]
    for part in [schema, *schema.get("properties", {}).values()]:
        part.pop("title", None)
    schema["description"] = inspect.cleandoc(cls.__doc__ or "")
    for field, description in comments(cls).items():
        if field in schema.get("properties", {}):
            schema["properties"][field]["description"] = description


def schema_of(answer: type[Answer]) -> dict[str, Any]:
    """Draft 2020-12, as the other contracts."""
    schema: dict[str, Any] = TypeAdapter(answer).json_schema(mode="serialization")
    for name, part in schema.get("$defs", {}).items():
        describe(name, part)
    describe(answer.__name__, schema)
    schema["properties"] = {
        "schema": {"const": f"bootline-fleet-{answer.QUESTION}/1", "type": "string"},
        "tool": {"description": "The program that wrote it.", "type": "string"},
        **schema["properties"],
    }
    schema["required"] = ["schema", "tool", *schema["required"]]
    schema["description"] += (
        " Times are in microseconds. Within version 1, fields may be added, but never removed or given another meaning."
    )
    command = "bootline fleet" if answer.QUESTION == "summary" else f"bootline fleet STORE {answer.QUESTION}"
    schema["title"] = f"What `{command} --json` writes"
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"bootline-fleet-{answer.QUESTION}-1.schema.json", **schema}


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.QUESTION)
def test_the_schema_is_that_of_the_types(answer: type[Answer]) -> None:
    path = SCHEMAS / f"fleet-{answer.QUESTION}-1.schema.json"
    text = json.dumps(schema_of(answer), indent=2) + "\n"
    if os.environ.get("BLESS"):
        path.write_text(text)
    assert path.read_text() == text, "BLESS=1 writes it"
