"""What runs, a draft judged and deployed, the way back: over HTTP, with the gateway's own validation."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.config.documents import document_of
from edge_agent.config.state import VersionRecord
from edge_agent.localweb.configuration import MAX_REQUEST_BYTES
from edge_agent.localweb.differences import differences
from edge_agent.localweb.toml_text import NoToml, toml_of
from edge_contract.deployment import Origin, Step, document_hash

ROOT = Path(__file__).parents[3]
FILES = sorted(
    [
        *ROOT.glob("edge-agent/edge_agent/protocols/*/sample.toml"),
        *ROOT.glob("firmware-sim/firmware_sim/scenarios/*/gateway.toml"),
    ]
)
NONE = "0" * 64
NOW = 1_800_000_000_000
TEXTS = st.text(max_size=30)
SCALARS = st.one_of(
    TEXTS, st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(TEXTS, VALUES, max_size=5))
def test_toml_reads_back_as_the_document(document: dict[str, Any]) -> None:
    read = tomllib.loads(toml_of(document))
    assert read == document
    assert document_hash(read) == document_hash(document), "7 and 7.0 differ"


@pytest.mark.parametrize(
    "text", ["a\r\nb\n", "\r\n", 'say "x"\n"""\n', "a\\\n  b", "\n", "\r", "\x7f\x00\n", "'''\n"]
)
def test_a_script_is_read_back_to_its_last_sign(text: str) -> None:
    document = {"scripts": [{"name": "s", "text": text}, {"name": "t", "text": "a = 1\nb = 2\n"}]}
    assert tomllib.loads(toml_of(document)) == document


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_every_configuration_keeps_its_hash(file: Path) -> None:
    text = re.sub(r"^\$\{\w+\}$", "", file.read_text(), flags=re.MULTILINE)
    document = document_of(re.sub(r"\$\{\w+\}", "1", text))
    assert len(document) > 1
    assert document_hash(document_of(toml_of(document))) == document_hash(document)


def test_toml_is_written_as_a_person_would() -> None:
    document = {
        "points": [{"slave": "a", "address": {"offset": 1, "reg_type": "4X"}, "name": "t"}],
        "gateway": {"title": "锅炉", "id": "gw-1"},
        "scripts": [{"name": "s", "text": "a = 1\nb = max(a, 2)\n"}],
        "slaves": [],
    }
    assert toml_of(document) == (
        'slaves = []\n\n[gateway]\nid = "gw-1"\ntitle = "锅炉"\n\n[[points]]\nslave = "a"\nname = "t"\n\n'
        '[points.address]\noffset = 1\nreg_type = "4X"\n\n'
        '[[scripts]]\nname = "s"\ntext = """\na = 1\nb = max(a, 2)\n"""\n'
    )
    for several in ({"slaves": [{"name": "a"}, {}]}, {"points": [{"address": {}}, {"name": "p"}]}):
        more = {name: [*rows, {"name": "added below"}] for name, rows in several.items()}
        (name,) = several
        added = toml_of(several) + f'\n[[{name}]]\nname = "added below"\n'
        assert tomllib.loads(added) == more
    with pytest.raises(NoToml):
        toml_of({"gateway": {"title": None}})


@pytest.fixture
async def draft(page: Any) -> Any:
    """The signed-in page, the hash that runs and its text."""
    assert await page.sign_in() == 200
    reply = await page.get("configuration/text")
    assert reply["form"] == "toml"
    return page, reply["running"], reply["text"]


async def test_what_runs(draft: Any) -> None:
    page, running, text = draft
    reply = await page.get("configuration")
    assert (reply["running"]["hash"], reply["running"]["origin"]) == (running, "file")
    assert (reply["ports"], reply["slaves"], reply["points"]) == (4, 3, 2)
    assert [one["hash"] for one in reply["versions"]] == [running]
    assert document_hash(tomllib.loads(text)) == running
    as_json = await page.get("configuration/text?form=json")
    assert (as_json["form"], document_hash(json.loads(as_json["text"]))) == ("json", running)
    reply = await page.client.get("/api/configuration/file")
    assert reply.headers["Content-Disposition"] == f'attachment; filename="gw-test-1-{running[:12]}.json"'
    assert document_hash(json.loads(await reply.read())) == running
    for path in ("text", "file"):
        assert (await page.client.get(f"/api/configuration/{path}?hash={NONE}")).status == 404


async def test_a_draft_is_validated_with_what_it_changes(draft: Any) -> None:
    page, running, text = draft
    status, receipt = await page.post("configuration/check", {"text": text, "base": running})
    assert (status, receipt["step"]) == (200, "unchanged")
    address = '{ reg_type = "4X", offset = 5000 }'
    more = f'{text}\n[[points]]\nslave = "boiler"\nname = "flow"\naddress = {address}\n'
    status, receipt = await page.post("configuration/check", {"text": more, "base": running})
    assert (status, receipt["step"], receipt["change"]["points_added"]) == (200, "checked", 1)
    (lan,) = (port for port in receipt["change"]["ports"] if port["port"] == "lan")
    assert lan["after"] > lan["before"] > 0
    assert [(row["section"], row["item"], row["before"]) for row in receipt["differences"]] == [
        ("points", "boiler.flow", None)
    ]
    assert receipt["differences_more"] == 0
    assert page.deployments.calls == []


async def test_every_fault_with_its_field(draft: Any) -> None:
    page, running, text = draft
    wrong = text.replace('data_type = "float"', 'data_type = "floatt"').replace("offset = 2", "offset = -1")
    status, receipt = await page.post("configuration/check", {"text": wrong, "base": running})
    assert (status, receipt["step"], receipt["code"]) == (200, "refused", "invalid")
    assert {fault["field"] for fault in receipt["faults"]} >= {"points[0].data_type"}
    for text in ("[gateway", "{", '{"a": 1e999}', "\x00", "a." * 2000 + "b = 1"):
        status, reply = await page.post("configuration/check", {"text": text, "base": None})
        assert (status, bool(reply["faults"][0]["rule"])) == (400, True), text


async def test_apply_takes_the_way_of_the_trial(draft: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    page, running, text = draft
    changed = {"text": text.replace("offset = 2", "offset = 4"), "base": running, "confirm_s": 60}
    status, receipt = await page.post("configuration/apply", changed)
    assert (status, receipt["step"]) == (200, "staged")
    assert page.deployments.calls == [("admin at 127.0.0.1", running, 60)]
    assert "audit: admin at 127.0.0.1 applies a configuration: staged" in caplog.text
    reply = await page.get("configuration")
    assert [step["step"] for step in reply["steps"]] == ["received", "staged", "switched"]
    assert not reply["from_cloud"]
    status, receipt = await page.post("configuration/apply", changed)
    assert receipt["step"] == "unchanged"
    back = {"version": running, "base": running}
    assert (await page.post("configuration/apply", back))[1]["code"] == "conflict"
    status, receipt = await page.post("configuration/apply", {**back, "base": page.deployments.running})
    assert (status, receipt["step"], page.deployments.running) == (200, "staged", running)


async def test_a_deployment_of_the_cloud_appears_as_such(draft: Any) -> None:
    page, _, _ = draft
    assert not (await page.get("configuration"))["from_cloud"]
    page.deployments.steps = [msgspec.structs.replace(page.deployments.receipt(Step.STAGED), id="d-7")]
    reply = await page.get("configuration")
    assert (reply["from_cloud"], reply["steps"][0]["step"]) == (True, "staged")


@pytest.mark.parametrize(
    "body",
    [
        {}, {"text": "", "version": NONE}, {"text": "", "base": "x"}, {"version": NONE}, {"text": 7},
        {"text": "", "confirm_s": 1}, {"text": "", "more": 1}, {"version": "../../etc/passwd"}, [],
    ],
)  # fmt: skip
async def test_drafts_that_make_no_sense(draft: Any, body: Any) -> None:
    page, _, _ = draft
    status, reply = await page.post("configuration/apply", body)
    assert (status, page.deployments.calls) == (400, [])
    assert reply["error"]["rule"]


async def test_a_large_draft_passes_and_a_huge_one_does_not(draft: Any) -> None:
    page, running, text = draft
    large = text + "# " + "x" * 200_000
    assert (await page.post("configuration/check", {"text": large, "base": running}))[1][
        "step"
    ] == "unchanged"
    body = b'{"text": "' + b"x" * MAX_REQUEST_BYTES + b'"}'
    reply = await page.client.post("/api/configuration/check", data=body, headers={"X-Edge": "1"})
    assert reply.status == 413


def test_differences_are_reported_setting_by_setting_and_bounded() -> None:
    before = {
        "gateway": {"id": "gw-1", "title": "old"},
        "slaves": [{"name": "a", "address": "5", "options": {"swap": True, "same": 1}}, {"name": "gone"}],
        "points": [{"slave": "a", "name": f"p{number}", "ratio": 1} for number in range(500)],
    }
    after = {
        "gateway": {"id": "gw-1", "title": "new"},
        "slaves": [{"name": "a", "address": "9", "options": {"swap": False, "same": 1}}],
        "points": [{"slave": "a", "name": f"p{number}", "ratio": 2.5} for number in range(500)],
        "system": {"reboot": "agent"},
    }
    rows, more = differences(before, after)
    assert (len(rows), more) == (500, 5)
    reply = [tuple(row.values()) for row in rows[:6]]
    assert reply == [
        ("gateway", "", "title", '"old"', '"new"'),
        ("system", "", "", None, '{"reboot": "agent"}'),
        ("points", "a.p0", "ratio", "1", "2.5"),
        ("points", "a.p1", "ratio", "1", "2.5"),
        ("points", "a.p2", "ratio", "1", "2.5"),
        ("points", "a.p3", "ratio", "1", "2.5"),
    ]
    slaves = [
        tuple(row.values())
        for row in differences({"slaves": before["slaves"]}, {"slaves": after["slaves"]})[0]
    ]
    assert slaves[:2] == [
        ("slaves", "a", "address", '"5"', '"9"'),
        ("slaves", "a", "options.swap", "true", "false"),
    ]
    assert slaves[2][1:] == ("gone", "", '{"name": "gone"}', None)
    assert differences(before, before) == ([], 0)


def test_that_a_secret_changed_is_reported_but_not_its_value() -> None:
    def meter(**options: str) -> dict[str, object]:
        return {"name": "m", "options": options}

    one, other = meter(password="11112222"), meter(password="33334444")
    bare = {"name": "m"}
    for before, after in ((one, other), (bare, one), (one, bare), (None, one), (meter(a="1"), one)):
        rows, _ = differences({"slaves": [before] if before else []}, {"slaves": [after] if after else []})
        assert rows
        assert "11112222" not in str(rows)
        assert "33334444" not in str(rows)
    (row,) = differences({"slaves": [one]}, {"slaves": [other]})[0]
    assert (row["setting"], row["before"], row["after"]) == ("options.password", '"(hidden)"', '"(hidden)"')


async def test_versions_say_how_they_came_and_that_one_did_not_hold(draft: Any) -> None:
    page, running, _ = draft
    page.deployments.records = {
        running: VersionRecord(running, Origin.CLOUD, NOW, "slaves", "silent: boiler")
    }
    (row,) = (await page.get("configuration"))["versions"]
    assert (row["record"]["origin"], row["record"]["failed"], row["record"]["detail"]) == (
        "cloud",
        "slaves",
        "silent: boiler",
    )


def test_a_long_value_is_cut_to_120_characters_and_single_tables_come_first() -> None:
    before: dict[str, Any] = {"gateway": {"id": "a"}, "ports": [{"name": "p1", "device": "x"}]}
    after = {
        "gateway": {"id": "a" * 118},
        "ports": [{"name": "p1", "device": "x" * 119}, {"name": "p2"}],
        "zone": 5,
    }
    rows, more = differences(before, after)
    assert more == 0
    assert [(row["section"], row["item"], row["setting"]) for row in rows] == [
        ("gateway", "", "id"), ("zone", "", ""), ("ports", "p1", "device"), ("ports", "p2", ""),
    ]  # fmt: skip
    assert rows[0]["after"] == '"' + "a" * 118 + '"', "120 with its quotes"
    assert rows[2]["after"] == '"' + "x" * 118 + "…"
    assert (rows[1]["before"], rows[1]["after"]) == (None, "5")
