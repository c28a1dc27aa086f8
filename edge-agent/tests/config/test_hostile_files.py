"""No file ends the check with a traceback, or keeps it busy."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from edge_agent.config.load import ConfigErrors, load, parse
from edge_agent.config.text import MAX_BYTES

HEAD = """
[gateway]
id = "gw-1"
[[ports]]
name = "lan"
type = "NET"
host = "192.0.2.1"
[[slaves]]
name = "b"
port = "lan"
protocol = "modbus_tcp"
address = "1"
"""
POINT = f'{HEAD}[[points]]\nslave = "b"\nname = "p"\naddress = {{ reg_type = "4X", offset = 0 }}\n'
HUGE = "0x" + "f" * 5000
SECONDS = 10.0  # of processor time; before there were bounds the worst of these took a minute and more


def faults(text: str) -> list[str]:
    start = time.process_time()
    with pytest.raises(ConfigErrors) as caught:
        parse(text)
    assert time.process_time() - start < SECONDS
    return [str(error) for error in caught.value.errors]


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 20_000,
        "x = " + "{a=" * 5_000,
        ".".join("a" * 20_000) + " = 1",
        f"[{'.'.join('a' * 20_000)}]",
        f"x = {{ {'.'.join('a' * 20_000)} = 1 }}",
        '"\\"".' * 20_000 + "a = 1",
        'x = """\n""" \n' + "'a' . " * 20_000 + "a = 1",
    ],
    ids=["arrays", "tables", "key", "header", "inline", "quoted", "after a text"],
)
def test_depth(text: str) -> None:
    (found,) = faults(text)
    assert found.startswith("file: must be at most 32 deep (at line "), found


@pytest.mark.parametrize(
    "text",
    ["x = " + "1" * 5_000, '"\\"' * 20_000, 'x = """' + 'a"' * 20_000, "x = \0", "x = 'a\n" + "[" * 20_000],
    ids=["digits", "quotes", "open text", "NUL", "open text and arrays"],
)
def test_no_toml(text: str) -> None:
    (found,) = faults(text)
    assert found.startswith("file: must be TOML: "), found


def test_depth_counts_no_texts_and_no_comments() -> None:
    dots = "." * 100
    parse(f"# {dots}{'[' * 100}\n{POINT}title = \"{dots}{'{' * 50}\"\nunit = '{'[.' * 10}'\n")


@pytest.mark.parametrize("field", ["ratio", "min", "on_value", "capture_freq", "tofixed"])
def test_integers_beyond_every_type(field: str) -> None:
    assert any(f"points[0].{field}: " in one for one in faults(f"{POINT}{field} = {HUGE}\n"))


def test_size(tmp_path: Path) -> None:
    path = tmp_path / "gateway.toml"
    path.write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(ConfigErrors, match="file: must be at most 16 MiB"):
        load(path)
    path.write_bytes("é".encode() * MAX_BYTES)
    with pytest.raises(ConfigErrors, match=r"must be at most 16 MiB|must be a readable"):
        load(path)
    with pytest.raises(ConfigErrors, match="file: must be at most 16 MiB"):
        parse("#" * (MAX_BYTES + 1))


def calculated(count: int, needs: list[int]) -> str:
    return HEAD + "".join(
        f'[[points]]\nslave = "b"\nname = "p{at}"\ntype = "cal"\nformula = "p{needs[at]} + 1"\n'
        for at in range(count)
    )


def test_ten_thousand_points_in_rings_of_two() -> None:
    found = faults(calculated(10_000, [at ^ 1 for at in range(10_000)]))
    assert len(found) == 5_000
    assert found[1] == "points[2].formula: must not need its own value: b.p2 -> b.p3 -> b.p2"


def test_one_ring_of_nearly_all_points() -> None:
    count = 19_990
    (found,) = faults(calculated(count, [(at + 1) % count for at in range(count)]))
    assert found.startswith("points[0].formula: must not need its own value: b.p0 -> b.p1 -> ")
    assert found.endswith("b.p19 -> ... 19970 more ... -> b.p0")


def test_more_points_than_allowed() -> None:
    found = faults(HEAD + "[[points]]\n" * 30_000)
    assert found[0] == "points: must have at most 20000 items, not 30000"
