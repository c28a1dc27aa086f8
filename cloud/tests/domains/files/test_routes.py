"""Uploading and showing over HTTP: headers, caching, strangers."""

from __future__ import annotations

from fastapi.testclient import TestClient

from cloud.domains.files.kinds import RULES, FileKind
from cloud.web import MAX_UPLOAD_BYTES

from ..tenants import signed_in
from .pictures import gif, jpg, png, svg

IMMUTABLE = "public, max-age=31536000, immutable"


def upload(client: TestClient, name: str, kind: str, data: bytes, media: str = "text/html"):  # type: ignore[no-untyped-def]
    """The name and type that a browser tells are lies here."""
    sent = {"file": ("evil.html", data, media)}
    return client.post(f"/api/v1/file?kind={kind}", headers=signed_in(client, name), files=sent)


def test_a_public_picture_is_served_to_strangers_and_harmless(client: TestClient) -> None:
    reply = upload(client, "platform-x", "background", svg("<circle r='2'/>"))
    info = reply.json()["data"]
    assert (reply.status_code, info["kind"], info["form"]) == (200, "background", "svg")
    reply = client.get(info["url"])
    assert (reply.status_code, reply.content) == (200, svg("<circle r='2'/>"))
    headers = reply.headers
    assert headers["Content-Type"].split(";")[0] == "image/svg+xml"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert headers["Content-Security-Policy"].endswith("sandbox")
    assert "script-src" not in headers["Content-Security-Policy"]
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Cache-Control"] == IMMUTABLE
    again = client.get(info["url"], headers={"If-None-Match": headers["ETag"]})
    assert (again.status_code, again.content, again.headers["Cache-Control"]) == (304, b"", IMMUTABLE)


def test_content_types_come_from_the_bytes(client: TestClient) -> None:
    for data, media in ((png(9, 9), "image/png"), (gif(9, 9), "image/gif"), (jpg(9, 9), "image/jpeg")):
        info = upload(client, "factory-x", "icon", data).json()["data"]
        shown = client.get(info["url"], headers=signed_in(client, "factory-x"))
        assert (shown.headers["Content-Type"], shown.content) == (media, data)
        assert shown.headers["Cache-Control"] == IMMUTABLE


def test_an_icon_is_for_an_img_which_sends_no_token(client: TestClient) -> None:
    info = upload(client, "factory-x", "icon", png(17, 17)).json()["data"]
    for headers in ({}, {"X-Token": "ended"}, signed_in(client, "factory-y")):
        shown = client.get(info["url"], headers=headers)
        assert (shown.status_code, shown.content) == (200, png(17, 17))
        assert shown.headers["Content-Security-Policy"].endswith("sandbox")
    for wrong in ("0" * 64, info["id"][:-1], "1"):  # only the digest of the bytes leads to it
        assert client.get(f"/api/v1/file/{wrong}").status_code == 401


def test_the_largest_file_passes_and_a_larger_body_does_not(client: TestClient) -> None:
    largest = RULES[FileKind.BACKGROUND].max_bytes
    assert upload(client, "platform-x", "background", png(9, 9, largest)).status_code == 200
    reply = upload(client, "platform-x", "background", png(9, 9, largest + 1))
    assert (reply.status_code, reply.json()["data"]["rule"]) == (400, "background: 1 to 1048576 bytes")
    reply = upload(client, "platform-x", "background", png(9, 9, MAX_UPLOAD_BYTES))
    data = reply.json()["data"]
    assert (reply.status_code, reply.json()["code"], data["field"]) == (413, 10002, "body")
    assert data["rule"] == f"at most {1024 * 1024 + 64 * 1024} bytes, with Content-Length"
    assert reply.headers["Cache-Control"] == "no-store"
    for verb, path in (("PUT", "/api/v1/option"), ("PUT", "/api/v1/file"), ("POST", "/api/v1/file/x")):
        reply = client.request(verb, path, content=b"x" * (1024 * 1024 + 1))
        assert (reply.status_code, reply.json()["data"]["rule"][:15]) == (413, "at most 1048576"), path


def test_private_pictures_are_for_the_same_line(client: TestClient) -> None:
    info = upload(client, "enterprise-x", "picture", jpg(123, 45)).json()["data"]
    assert (info["width"], info["height"]) == (123, 45)
    own = client.get(info["url"], headers=signed_in(client, "enterprise-x"))
    assert own.headers["Cache-Control"] == "private, no-cache"
    statuses = {
        name: client.get(info["url"], headers=signed_in(client, name)).status_code
        for name in ("enterprise-x", "factory-x", "platform-x", "factory-y")
    }
    assert statuses == {"enterprise-x": 200, "factory-x": 200, "platform-x": 200, "factory-y": 404}
    for headers in ({}, {"X-Token": "wrong"}):
        stranger = client.get(info["url"], headers=headers)
        assert (stranger.status_code, stranger.json()["code"]) == (401, 10010)
        assert stranger.headers["Cache-Control"] == "no-store"
    unknown = client.get("/api/v1/file/" + "0" * 64, headers=signed_in(client, "factory-y"))
    assert unknown.status_code == 404


def test_refusals_name_kind_and_rule(client: TestClient) -> None:
    reply = upload(client, "platform-x", "logo", png(60, 61))
    data = reply.json()["data"]
    assert (reply.status_code, reply.json()["code"], data["field"]) == (400, 10002, "file")
    assert data["rule"] == "logo: square, 50 to 200 px; this is 60 x 61"
    reply = upload(client, "platform-x", "firmware", b"x")
    assert (reply.status_code, reply.json()["data"]["field"]) == (400, "kind")
    assert upload(client, "factory-x", "logo", png(60, 60)).status_code == 403
    plain = client.post("/api/v1/file?kind=icon", headers=signed_in(client, "factory-x"), content=png(9, 9))
    assert plain.json()["data"]["rule"] == "icon: multipart/form-data with a boundary"


def test_document_describes_the_form(client: TestClient) -> None:
    operation = client.app.openapi()["paths"]["/api/v1/file"]["post"]  # type: ignore[attr-defined]
    form = operation["requestBody"]["content"]["multipart/form-data"]["schema"]
    assert form["properties"]["file"] == {"type": "string", "format": "binary"}
