"""The portal's files."""

from __future__ import annotations

from fastapi.testclient import TestClient


def test_portal_files(client: TestClient) -> None:
    assert "portal" in client.get("/monitor/device?x=1").text
    asset = client.get("/assets/a-1.js", headers={"Accept-Encoding": "identity"})
    assert "immutable" in asset.headers["Cache-Control"]
    assert "frame-ancestors 'none'" in asset.headers["Content-Security-Policy"]
    assert client.get("/assets/gone.js").status_code == 404
    assert client.head("/").status_code == 200
    assert client.get("/%00").status_code == client.get("/" + "x" * 300 + ".js").status_code == 404
    assert client.get("/..%2f..%2fcloud.db").status_code in (200, 404)
    assert "SQLite" not in client.get("/..%2fcloud.db").text


def test_packed_files_are_sent_to_who_takes_them(client: TestClient) -> None:
    for accepted, coding in (("gzip, br", "br"), ("gzip", "gzip"), ("identity", None)):
        with client.stream("GET", "/assets/a-1.js", headers={"Accept-Encoding": accepted}) as reply:
            assert reply.headers.get("Content-Encoding") == coding
            assert b"".join(reply.iter_raw()) == (coding or "1").encode()
