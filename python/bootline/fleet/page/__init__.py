# SPDX-License-Identifier: MIT OR Apache-2.0
"""An answer as a page: one file that works offline and can be mailed. All text is escaped."""

from __future__ import annotations

from importlib import resources

from ..._bootline import html_text, static_page
from ..document import BarChart, Block, Document, Paragraph, SeriesChart, Table
from .bar_chart import bar_chart
from .series_chart import series_chart


def page(document: Document) -> str:
    """The document as HTML."""
    style = resources.files(__package__).joinpath("page.css").read_text()
    body = [f'<p class="sentence">{html_text(document.sentence)}</p>\n']
    for number, section in enumerate(document.sections):
        label = f' aria-labelledby="section-{number}"' if section.title else ""
        body.append(f"<section{label}>\n")
        if section.title:
            body.append(f'<h2 id="section-{number}">{html_text(section.title)}</h2>\n')
        body.extend(html(block) for block in section.blocks)
        body.append("</section>\n")
    if document.notes:
        notes = "".join(f"<li>{html_text(note)}</li>\n" for note in document.notes)
        body.append(f'<section aria-labelledby="notes"><h2 id="notes">About the figures</h2>\n<ul class="notes">\n{notes}</ul></section>\n')
    return static_page(document.title, style, "".join(body))


def html(block: Block) -> str:
    """One block as elements."""
    if isinstance(block, Paragraph):
        return f"<p>{html_text(block.words)}</p>\n"
    if isinstance(block, Table):
        return table(block)
    if isinstance(block, SeriesChart):
        return series_chart(block)
    assert isinstance(block, BarChart)
    return bar_chart(block)


def table(block: Table) -> str:
    """A table that scrolls within itself."""
    classes = [' class="number"' if column.is_number else "" for column in block.columns]
    head = "".join(f'<th scope="col"{c}>{html_text(column.title)}</th>' for column, c in zip(block.columns, classes, strict=True))
    rows = (
        "<tr>" + "".join(f"<td{c}>{html_text(cell)}</td>" for cell, c in zip(row, classes, strict=True)) + "</tr>\n" for row in block.rows
    )
    return f'<div class="scroll" tabindex="0"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{"".join(rows)}</tbody>\n</table></div>\n'
