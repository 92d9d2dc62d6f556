# SPDX-License-Identifier: MIT OR Apache-2.0
"""examples/grafana: the provisioned views and every panel's SQL, on a store. Grafana's macros and variables are replaced as it does."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

EXAMPLE = Path(__file__).parent.parent.parent.parent / "examples" / "grafana"
DASHBOARD: dict[str, Any] = json.loads((EXAMPLE / "dashboards" / "bootline.json").read_text())
SOURCE: dict[str, Any] = yaml.safe_load((EXAMPLE / "provisioning" / "datasources" / "bootline.yaml").read_text())["datasources"][0]
PANELS: list[dict[str, Any]] = DASHBOARD["panels"]


@pytest.fixture
def connection(store: Path) -> duckdb.DuckDBPyConnection:
    """What the data source opens."""
    connected = duckdb.connect()
    connected.execute(SOURCE["jsonData"]["initSql"].replace("$BOOTLINE_STORE", str(store)))
    return connected


def replaced(sql: str, connection: duckdb.DuckDBPyConnection) -> str:
    """As Grafana sends it: all values of the variables, a time range that has all boots."""
    for variable in DASHBOARD["templating"]["list"]:
        values = [value for (value,) in connection.execute(variable["query"]).fetchall()]
        assert values
        sql = sql.replace(f"${{{variable['name']}:sqlstring}}", ", ".join(f"'{value}'" for value in values))
    sql = re.sub(r"\$__timeFilter\(([a-z._]+)\)", r"\1 >= '2020-01-01T00:00:00Z' AND \1 <= '2030-01-01T00:00:00Z'", sql)
    assert "$" not in sql
    return sql


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel["title"])
def test_a_panel_has_the_columns_that_it_names(panel: dict[str, Any], connection: duckdb.DuckDBPyConnection) -> None:
    (target,) = panel["targets"]
    result = connection.execute(replaced(target["rawSql"], connection))
    columns = {column[0]: str(column[1]) for column in result.description or []}
    rows = result.fetchall()
    # The store has a boot that can't be used, findings, and more than one build.
    assert rows
    assert all(value is not None for value in rows[0])
    named = [override["matcher"]["options"] for override in panel["fieldConfig"]["overrides"]]
    named += re.findall(r"^/\^(\w+)\$/$", panel["options"].get("reduceOptions", {}).get("fields", ""))
    assert set(named) <= set(columns)
    if panel["type"] == "timeseries":
        assert columns["time"].startswith("TIMESTAMP")
    # The plugin has no numbers of 128 bits.
    assert not [name for name, kind in columns.items() if "HUGEINT" in kind]


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel["title"])
def test_boots_without_a_board_are_shown(panel: dict[str, Any], connection: duckdb.DuckDBPyConnection) -> None:
    for view in ("boots", "findings", "rollups"):
        connection.execute(f"CREATE TABLE nameless_{view} AS SELECT * REPLACE (CAST(NULL AS VARCHAR) AS board) FROM {view}")
        connection.execute(f"CREATE OR REPLACE VIEW {view} AS SELECT * FROM nameless_{view}")
    result = connection.execute(replaced(panel["targets"][0]["rawSql"], connection))
    columns = [column[0] for column in result.description or []]
    found = [dict(zip(columns, row, strict=True)) for row in result.fetchall()]
    assert found
    assert {row["board"] for row in found if "board" in row} <= {"unknown"}
    assert all(row["series"].startswith("unknown, ") for row in found if "series" in row)


@pytest.mark.parametrize("panel", [p for p in PANELS if p["title"].startswith(("Time to init", "Newest build"))], ids=lambda p: p["title"])
def test_the_time_to_a_marker_is_no_time_to_init(panel: dict[str, Any], connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("CREATE TABLE marked AS SELECT * REPLACE ('marker' AS ended_by) FROM boots")
    connection.execute("CREATE OR REPLACE VIEW boots AS SELECT * FROM marked")
    assert not connection.execute(replaced(panel["targets"][0]["rawSql"], connection)).fetchall()


def test_costs_by_different_clocks_have_different_names() -> None:
    (panel,) = [panel for panel in PANELS if panel["title"] == "What findings cost"]
    assert "|| clock ||" in panel["targets"][0]["rawSql"]


def test_the_dashboard_uses_the_provisioned_source() -> None:
    sources = [panel["datasource"] for panel in PANELS] + [variable["datasource"] for variable in DASHBOARD["templating"]["list"]]
    assert {(source["type"], source["uid"]) for source in sources} == {(SOURCE["type"], SOURCE["uid"])}
    ids = [panel["id"] for panel in PANELS]
    assert len(set(ids)) == len(ids)
    provider = yaml.safe_load((EXAMPLE / "provisioning" / "dashboards" / "bootline.yaml").read_text())["providers"][0]
    assert provider["options"]["path"] in (EXAMPLE / "README.md").read_text().replace("bootline/`", "bootline`")
