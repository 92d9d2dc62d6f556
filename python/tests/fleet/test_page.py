# SPDX-License-Identifier: MIT OR Apache-2.0
"""The page and the terminal with names as hostile logs have them, and the shapes of charts."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

from bootline.fleet.document import BarChart, Block, Document, Level, Paragraph, Section, SeriesChart, Table, figure, text
from bootline.fleet.page import page
from bootline.fleet.page.series_chart import axis_ticks, series_chart
from bootline.fleet.terminal import rendered

HOSTILE = "<script>alert(1)</script>\x1b[2J\u202e\"' onload=x"


class Attributes(HTMLParser):
    """The names of all attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names |= {name for name, _ in attrs}


def hostile() -> Document:
    chart = SeriesChart(HOSTILE, [HOSTILE] * 8, [1e6 + n for n in range(8)], [Level(0, 4, 1e6), Level(4, 8, 2e6)])
    blocks: list[Block] = [
        Paragraph(HOSTILE),
        Table([text(HOSTILE), figure("n")], [[HOSTILE, "1"]]),
        chart,
        BarChart([(HOSTILE, 1.0, HOSTILE)]),
    ]
    return Document(HOSTILE, HOSTILE, [Section(HOSTILE, blocks)], [HOSTILE])


def test_hostile_names_are_text_on_the_page() -> None:
    made = page(hostile())
    assert "<script>alert" not in made
    assert "\x1b" not in made
    assert "\u202e" not in made
    # One script, that of the shell; nothing became an attribute.
    assert made.count("<script>") == 1
    found = Attributes()
    found.feed(made)
    assert not [name for name in found.names if name.startswith("on") or name in ("src", "href", "style")]


def test_hostile_names_are_harmless_on_a_terminal() -> None:
    shown = rendered(hostile())
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\\x1b[2J" in shown


def test_a_chart_lies_within_its_frame() -> None:
    values = [3.4e6, 3.5e6, 3.45e6, 3.9e6, 3.95e6, 3.92e6]
    labels = [f"build-{n}" for n in range(6)]
    chart = series_chart(SeriesChart("x", labels, values, [Level(0, 3, 3.45e6), Level(3, 6, 3.92e6)]))
    picture = chart[chart.index("<svg") : chart.index("</svg>") + 6]
    svg = ElementTree.fromstring(picture)
    _, _, width, height = (float(part) for part in svg.attrib["viewBox"].split())
    circles = svg.findall("circle")
    assert len(circles) == 6
    assert all(0 <= float(c.attrib["cx"]) <= width and 0 <= float(c.attrib["cy"]) <= height for c in circles)
    # Later is further right, slower is higher.
    assert [float(c.attrib["cx"]) for c in circles] == sorted(float(c.attrib["cx"]) for c in circles)
    assert float(circles[3].attrib["cy"]) < float(circles[0].attrib["cy"])
    (change,) = [line for line in svg.findall("line") if "change" in line.attrib["class"]]
    assert change.attrib["class"] == "change more"
    assert change.attrib["x1"] == circles[3].attrib["cx"]


def test_a_chart_of_one_value() -> None:
    chart = series_chart(SeriesChart("x", ["a", "b"], [0.0, 0.0]))
    assert chart.count("<circle") == 2
    assert "nan" not in chart


def test_ticks_enclose_their_range() -> None:
    for low, high in [(0.0, 1.0), (3.3e6, 3.8e6), (999.0, 1001.0), (0.0, 123456.0), (2.5e7, 2.8e7)]:
        ticks = axis_ticks(low, high)
        assert ticks[0] <= low
        assert high <= ticks[-1]
        assert 2 <= len(ticks) <= 7
