"""[[forwarders]]: every fault with field and rule."""

from __future__ import annotations

import pytest

from edge_agent.config.load import ConfigErrors, parse
from edge_agent.forwarding.running import bounds_of

GATEWAY = '[gateway]\nid = "gw-1"\n[storage]\nmax_mb = 100\n'
FILE = '[[forwarders]]\nname = "{}"\nkind = "file"\n{}\n[forwarders.options]\nfolder = "/media/usb"\n{}\n'


def faults(text: str) -> list[str]:
    with pytest.raises(ConfigErrors) as caught:
        parse(GATEWAY + text)
    return [str(error) for error in caught.value.errors]


def test_any_number_of_one_kind_with_bounds_of_their_own() -> None:
    text = FILE.format("a", "max_mb = 40\nmax_age_h = 2", "") + FILE.format("b", 'start = "oldest"', "")
    first, second = bounds_of(parse(GATEWAY + text))
    assert (first.name, first.max_bytes, first.max_age_s, first.start) == ("a", 40 << 20, 7200, "end")
    assert (second.name, second.max_bytes, second.max_age_s, second.start) == ("b", 25 << 20, 0, "oldest")


@pytest.mark.parametrize(
    ("text", "field", "rule"),
    [
        (FILE.format("a", "", "") * 2, "forwarders[1].name", "unique"),
        (FILE.format("cloud", "", ""), "forwarders[0].name", "must not be cloud"),
        (FILE.format("a", "max_mb = 51", ""), "forwarders[0].max_mb", "at most half of storage.max_mb, 50"),
        (FILE.format("a", "", "rotate = 1"), "forwarders[0].options", "rotate"),
        (FILE.format("a", "", "rotate_mb = 0"), "forwarders[0].options.rotate_mb", "at least 1"),
        (FILE.format("a", "", 'format = "xml"'), "forwarders[0].options.format", "csv"),
        (FILE.format("a", "", "max_total_mb = 20"), "forwarders[0].options.max_total_mb", "twice"),
        ('[[forwarders]]\nname = "a"\nkind = "cloud"', "forwarders[0].kind", "one of file"),
        ('[[forwarders]]\nname = "a"\nkind = "fax"', "forwarders[0].kind", "one of file"),
        ('[[forwarders]]\nname = "a"\nkind = "file"', "forwarders[0].options", "folder"),
        ('[[forwarders]]\nkind = "file"', "forwarders[0]", "name"),
    ],
)
def test_faults_name_field_and_rule(text: str, field: str, rule: str) -> None:
    found = [fault for fault in faults(text) if fault.startswith(f"{field}:")]
    assert found, faults(text)
    assert rule in found[0]


def test_a_relative_folder_is_refused() -> None:
    [fault] = faults(FILE.format("a", "", "").replace("/media/usb", "usb"))
    assert fault == "forwarders[0].options.folder: must be an absolute path"
