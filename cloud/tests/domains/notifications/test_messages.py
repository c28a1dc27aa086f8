"""What messages say, in both languages, and when they are due."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from cloud.domains.alarms.codes import Level, Look
from cloud.domains.alarms.condition_text import condition_text, duration_text
from cloud.domains.alarms.words import ALARM_TYPES, CONDITIONS, LEVEL_WORDS
from cloud.domains.notifications.messages import NamedChange, PointWords, Portal, render, value_text
from cloud.domains.notifications.messages import test_message as made_test
from cloud.domains.notifications.states import APART_MS, BACKOFF_MS, FOLD_MS, due, retry_ms
from cloud.domains.notifications.words import CHANGE_WORDS, PHRASES

ROOT = Path(__file__).resolve().parents[4]
NOW_MS = 1_790_000_000_000
PORTAL = Portal("https://portal.example.com/", ZoneInfo("Asia/Shanghai"))
POINT = PointWords("温度", "°C", 1, {"1": "运行"}, "合闸", "分闸")
CHANGE = NamedChange(
    event_id=5,
    device_id=3,
    change="raised",
    why="",
    alarm_type=1,
    look=Look(Level.DANGER),
    title="锅炉过热",
    device="一号网关",
    slave="锅炉",
    point=POINT,
    value=98.55,
    at_ms=NOW_MS,
    since_ms=NOW_MS - 60_000,
    recovered_ms=None,
    condition={"type": 1, "dsid": 4, "trigger_optype": 1, "trigger_threshold": 80.0},
)


def rendered(language: str, *changes: NamedChange, count: int = 0, portal: Portal = PORTAL) -> Any:
    return render("notification-1", language, changes, count or len(changes), NOW_MS, portal)


def test_an_alarm_in_chinese() -> None:
    message = rendered("zh", CHANGE)
    assert message.subject == "[报警] 锅炉过热 - 一号网关"
    assert message.text == (
        "[报警] 锅炉过热\n级别:危险\n网关:一号网关 / 锅炉\n数据点:温度\n值:98.5 °C\n限值:> 80 °C\n"
        "开始时间:2026-09-21 22:12:20\n已持续:1 分钟\n"
        "查看: https://portal.example.com/alarm/alarmlog?event=5\n\n时间均为 Asia/Shanghai。"
    )
    assert (message.title, message.level, message.at) == ("报警 锅炉过热", "危险", "2026-09-21 22:13:20")
    assert message.facts == "98.5 °C, > 80 °C, 1 分钟"
    assert message.link == "https://portal.example.com/alarm/alarmlog?event=5"


def test_what_still_stands_says_how_long_and_that_its_value_is_of_the_beginning() -> None:
    again = replace(CHANGE, change="again", at_ms=NOW_MS + 3_600_000)
    text = rendered("en", again).text
    assert "Value when it began: 98.5 °C" in text and "\nValue:" not in text
    assert "Active for: 1 h 1 min" in text
    assert "开始时的值:98.5 °C" in rendered("zh", again).text


def test_the_end_of_an_alarm_says_how_long_it_lasted_and_which_it_was() -> None:
    over = replace(
        CHANGE, change="over", at_ms=NOW_MS + 3_600_000, recovered_ms=NOW_MS + 3_600_000, recovery_value=72.0
    )
    message = rendered("en", over)
    assert message.subject == "[Recovered] 锅炉过热 - 一号网关"
    assert message.text == (
        "[Recovered] 锅炉过热\nLevel: Danger\nGateway: 一号网关 / 锅炉\nPoint: 温度\nValue: 98.5 °C\n"
        "Limit: > 80 °C\nValue at recovery: 72.0 °C\nSince: 2026-09-21 22:12:20\n"
        "Recovered: 2026-09-21 23:13:20\nLasted: 1 h 1 min\n"
        "Details: https://portal.example.com/alarm/alarmlog?event=5\n\nTimes are in Asia/Shanghai."
    )
    assert message.facts == "72.0 °C, > 80 °C, 1 h 1 min"
    [alarm] = message.alarms
    assert (alarm.event_id, alarm.value, alarm.recovery_value, alarm.lasted_ms) == (5, 98.55, 72.0, 3_660_000)
    assert (alarm.limit, alarm.link) == ("> 80 °C", message.link)


def test_the_end_of_an_outage_has_no_values_and_no_link_without_an_address_of_the_portal() -> None:
    over = replace(
        CHANGE, change="over", recovered_ms=NOW_MS + 5000, at_ms=NOW_MS + 5000, title="", alarm_type=4,
        point=None, value=None, condition=None,
    )  # fmt: skip
    message = rendered("en", over, portal=replace(PORTAL, url=""))
    assert message.subject == "[Recovered] Gateway offline - 一号网关"
    assert message.text == (
        "[Recovered] Gateway offline\nLevel: Danger\nGateway: 一号网关 / 锅炉\n"
        "Since: 2026-09-21 22:12:20\nRecovered: 2026-09-21 22:13:25\nLasted: 1 min 5 s\n\n"
        "Times are in Asia/Shanghai."
    )
    assert (message.link, message.alarms[0].link) == ("", "")


@pytest.mark.parametrize(
    ("condition", "zh", "en"),
    [
        ({"trigger_optype": 2, "trigger_threshold": 80.25}, "≥ 80.25 °C", "≥ 80.25 °C"),
        ({"trigger_optype": 3, "trigger_threshold": 0}, "< 0 °C", "< 0 °C"),
        (
            {"trigger_optype": 6, "trigger_threshold": {"lolmt": 1.5, "uplmt": 9}},
            "在 1.5 ~ 9 °C 范围内",
            "within 1.5 to 9 °C",
        ),
        (
            {"trigger_optype": 7, "trigger_threshold": {"lolmt": 1.5, "uplmt": 9}},
            "超出 1.5 ~ 9 °C 范围",
            "outside 1.5 to 9 °C",
        ),
        ({"type": 2, "duration_s": 5400}, "1 小时 30 分钟没有变化", "unchanged for 1 h 30 min"),
        ({"type": 3, "magnitude": 5}, "单次变化 ≥ 5 °C", "a single change ≥ 5 °C"),
        ({"type": 4, "direction": "up", "count": 3}, "连续 3 次上升", "3 rises in a row"),
        (
            {"type": 4, "direction": "down", "count": 3, "magnitude": 2},
            "连续 3 次下降,共 ≥ 2 °C",
            "3 falls in a row, ≥ 2 °C in all",
        ),
        ({"type": 5, "slave_id": 1}, "从机未连接", "slave not connected"),
        ({"type": 6, "dsid": 1}, "脚本结果为真", "its script is true"),
        ({"type": 9}, "", ""),
        ({"trigger_optype": 1}, "", ""),
    ],
)
def test_conditions(condition: dict[str, Any], zh: str, en: str) -> None:
    given = {"type": 1, **condition}
    assert [condition_text(given, language, "°C", None) for language in ("zh", "en")] == [zh, en]


def test_the_limit_of_a_switch_is_the_name_of_its_position() -> None:
    given = {"type": 1, "trigger_optype": 5, "trigger_threshold": 1}
    switch = replace(CHANGE, value=True, condition=given)
    assert rendered("zh", switch).alarms[0].limit == "= 合闸"
    nameless = replace(POINT, on_text="", is_switch=True)
    assert rendered("en", replace(switch, value=1, point=nameless)).alarms[0].limit == "= on"


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (-5, "0 s"),
        (999, "0 s"),
        (61_000, "1 min 1 s"),
        (3_600_000, "1 h"),
        (3_601_000, "1 h"),
        (90_061_000, "1 d 1 h"),
        (86_400_000 + 60_000, "1 d"),
    ],
)
def test_durations(ms: int, text: str) -> None:
    assert duration_text(ms, "en") == text


def test_without_a_title_the_type_is_named_and_own_levels_by_their_titles() -> None:
    bare = replace(
        CHANGE, title="", alarm_type=101, look=Look(Level.CUSTOM, "Urgent"), since_ms=None, slave=""
    )
    message = rendered("en", replace(bare, point=None, value=None, condition=None))
    assert message.text.startswith(
        "[Alarm] Fire alarm\nLevel: Urgent\nGateway: 一号网关\nTime: 2026-09-21 22:13:20\nDetails: "
    )
    assert rendered("en", replace(bare, alarm_type=300)).title == "Alarm 300"


def test_many_name_ten_and_count_the_others_over_gateways() -> None:
    changes = [
        replace(CHANGE, event_id=number, device_id=number % 2, at_ms=NOW_MS + number) for number in range(12)
    ]
    message = rendered("zh", *changes, count=15)
    assert message.subject == "15 条报警通知: 锅炉过热 - 一号网关 等"
    assert message.text.count("[报警]") == 10 and "另有 5 条,请在平台查看。" in message.text
    assert [alarm.event_id for alarm in message.alarms] == list(range(10)) and message.count == 15
    assert message.text.endswith(f"查看全部: {message.link}")
    assert message.link.endswith(f"?start={NOW_MS - 60_000}&end={NOW_MS + 60_009}")
    assert "另有" not in rendered("zh", *changes[:10]).text


def test_titles_of_people_make_no_lines_and_no_headers() -> None:
    bad = replace(CHANGE, title="a\r\nBcc: x", device="b\nc", slave="")
    message = rendered("en", bad)
    assert message.subject == "[Alarm] a Bcc: x - b c"
    assert "\n".join(message.text.split("\n")[:3]) == "[Alarm] a Bcc: x\nLevel: Danger\nGateway: b c"
    assert len(rendered("en", replace(CHANGE, title="x" * 200)).subject) == 120


@pytest.mark.parametrize(
    ("value", "point", "expected"),
    [
        (1.0, POINT, "运行"),
        (1, POINT, "运行"),
        (2.26, POINT, "2.3 °C"),
        (2, POINT, "2 °C"),
        (True, POINT, "合闸"),
        (False, POINT, "分闸"),
        (True, replace(POINT, on_text=""), "on"),
        (False, None, "off"),
        (2.5, replace(POINT, decimals=None, unit=""), "2.5"),
        (0.1 + 0.2, replace(POINT, decimals=None), "0.3 °C"),
        (2.5, None, "2.5"),
        ("text", POINT, "text °C"),
        (None, POINT, ""),
    ],
)
def test_values(value: Any, point: PointWords | None, expected: str) -> None:
    assert value_text(value, point, "en") == expected


def test_a_test_says_that_it_is_one() -> None:
    message = made_test("notification-9", "en", NOW_MS, PORTAL)
    assert (message.subject, message.reference, message.alarms) == ("Test message", "notification-9", ())
    assert "no alarm" in message.text and "没有发生报警" in made_test("r", "zh", NOW_MS, PORTAL).text


def test_both_languages_have_every_word_with_the_same_arguments() -> None:
    for table in (ALARM_TYPES, LEVEL_WORDS, CHANGE_WORDS, PHRASES):
        assert set(table["zh"]) == set(table["en"])
    assert set(CONDITIONS["zh"]) == set(CONDITIONS["en"])
    for table in (PHRASES, CONDITIONS):
        for name, text in table["zh"].items():
            assert sorted(re.findall(r"{\w+}", text)) == sorted(re.findall(r"{\w+}", table["en"][name])), name


@pytest.mark.parametrize("language", ["zh", "en"])
def test_alarm_types_are_called_as_in_the_portal(language: str) -> None:
    words = json.loads((ROOT / f"web/src/i18n/locales/{language}.json").read_text("utf-8"))
    assert {str(code): name for code, name in ALARM_TYPES[language].items()} == words["alarmType"]


@pytest.mark.parametrize(
    ("last", "held", "expected", "reason"),
    [
        (None, None, FOLD_MS, "folding"),
        (-1_000_000, None, FOLD_MS, "folding"),
        (-1000, None, APART_MS - 1000, "apart"),
        (-APART_MS + FOLD_MS, None, FOLD_MS, "folding"),
        (None, 3_600_000, 3_600_000, "quiet_hours"),
        (-1000, 20_000, APART_MS - 1000, "apart"),
        (None, 1000, FOLD_MS, "folding"),
    ],
)
def test_when_a_message_is_due_and_why_not_before(
    last: int | None, held: int | None, expected: int, reason: str
) -> None:
    times = (None if each is None else NOW_MS + each for each in (last, held))
    assert due(NOW_MS, *times) == (NOW_MS + expected, reason)


def test_attempts_have_an_end() -> None:
    waits = [retry_ms(NOW_MS, attempts) for attempts in range(1, 8)]
    assert waits == [*(NOW_MS + wait for wait in BACKOFF_MS), None]
    assert sum(BACKOFF_MS) == 222.5 * 60_000
