"""One file out of a body: whatever is in it comes out, and no other form is taken."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloud.core.multipart import only_file
from cloud.errors import ParameterError


def form(
    content: bytes, *, name: str = "file", boundary: str = "b", head: str = "", tail: str = "--"
) -> bytes:
    disposition = f'Content-Disposition: form-data; name="{name}"; filename="a.png"\r\n{head}\r\n'
    return f"--{boundary}\r\n{disposition}".encode() + content + f"\r\n--{boundary}{tail}\r\n".encode()


FORM = "multipart/form-data; boundary=b"


@given(st.binary(max_size=200).filter(lambda data: b"\r\n--b" not in b"\r\n" + data))
@settings(max_examples=50, deadline=None)
def test_any_content_comes_out_of_its_form(content: bytes) -> None:
    assert only_file(FORM, form(content)) == content


def test_forms_of_a_boundary() -> None:
    assert only_file('multipart/form-data; charset=utf-8; boundary="a b"', form(b"x", boundary="a b")) == b"x"
    unquoted = form(b"x").replace(b'name="file"', b"name=file")
    assert only_file(FORM, unquoted) == b"x"
    assert only_file(FORM, form(b"x", head="Content-Type: text/html\r\n")) == b"x"


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("", form(b"x")),
        ("application/json", form(b"x")),
        ("multipart/form-data", form(b"x")),
        (FORM, b""),
        (FORM, b"--b--\r\n"),
        (FORM, form(b"x", boundary="c")),
        (FORM, form(b"x", tail="")),
        (FORM, form(b"x", name="other")),
        (FORM, form(b"x", tail="") + form(b"y")),
        (FORM, form(b"x") + b"more"),
        (FORM, b"\r\n--b" * 1000),
        (FORM, form(b"x", head="Content-Transfer-Encoding: base64\r\n")),
        (FORM, form(b"x", head="X: " + "x" * 5000 + "\r\n")),
    ],
)
def test_other_forms_are_refused(kind: str, body: bytes) -> None:
    with pytest.raises(ParameterError) as wrong:
        only_file(kind, body)
    assert wrong.value.reason == "file.multipart"
