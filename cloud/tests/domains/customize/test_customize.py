"""The portal's looks by host name: who may set them, what is public, and that pictures are uploads."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from cloud.db import Database
from cloud.domains.customize.schemas import Looks
from cloud.domains.customize.service import CustomizeService
from cloud.domains.files.kinds import FileKind
from cloud.domains.files.service import UNUSED_MS, FileService
from cloud.domains.identity.service import IdentityService
from cloud.domains.identity.signin import SignInService
from cloud.domains.identity.user_schemas import UserChange
from cloud.domains.identity.users import UserService
from cloud.errors import NoPermission, NotFound, ParameterError

from ...conftest import Clock
from ..files.pictures import png
from ..tenants import signed_in, tree

OWN = {
    "platform_title": "", "browser_title": "", "tkloc": "", "icp": "", "logo": "", "background": "",
    "carousel": [], "demo": False,
}  # fmt: skip


async def test_entry_then_default_then_own(database_url: str, tmp_path: Any) -> None:
    database = Database(database_url)
    users = await tree(database)
    admin = users["platform-x"]
    clock = Clock()
    files = FileService(database, tmp_path, clock=clock)
    customize = CustomizeService(database, files, clock=clock)
    assert (await customize.info("a.example")).model_dump() == {"domain": "a.example", **OWN}
    logo = await files.upload(admin, FileKind.LOGO, png(60, 60))
    slide = await files.upload(admin, FileKind.CAROUSEL, png(61, 60))
    await customize.put(admin, "default", Looks(platform_title="平台", icp="ICP 1", demo=True))
    await customize.put(admin, "a.example", Looks(platform_title="A", logo=logo.url, carousel=[slide.url]))
    assert (await customize.info("A.Example")).platform_title == "A"
    assert (await customize.info("b.example")).platform_title == "平台"
    assert (await customize.info("b.example")).demo is False  # this installation has no demo user
    identity = IdentityService(database, clock=clock)
    sign_in = SignInService(database, identity, "factory-x", clock=clock)
    offering = CustomizeService(database, files, sign_in.demo_offered, clock=clock)
    assert [(await offering.info(name)).demo for name in ("b.example", "a.example")] == [True, False]
    people = UserService(database, identity, (), clock=clock)
    factory = users["factory-x"].id
    await people.set_status(admin, factory, 0)
    assert (await offering.info("b.example")).demo is False
    await people.set_status(admin, factory, 1)
    await people.edit(admin, factory, UserChange(user_expire=clock() + 1000))
    assert (await offering.info("b.example")).demo is True
    clock.pass_s(1)
    assert (await offering.info("b.example")).demo is False  # the demo user has expired
    assert await customize.pictures() == {logo.url, slide.url}
    clock.pass_s(2 * UNUSED_MS / 1000)
    await files.clean(await customize.pictures())
    assert (await files.content(logo.id, None)).data == png(60, 60)
    page = await customize.page(admin, 1, 1)
    assert ([row.domain for row in page.rows], page.total) == (["a.example"], 2)
    for field, looks in (
        ("logo", Looks(logo=slide.url)),  # of another kind
        ("background", Looks(background="/api/v1/file/" + "0" * 64)),
        ("carousel.1", Looks(carousel=[slide.url, logo.url])),
    ):
        with pytest.raises(ParameterError) as error:
            await customize.put(admin, "c.example", looks)
        assert error.value.field == field
    await customize.put(admin, "a.example", Looks())  # whole: what is not said is the portal's own
    assert (await customize.info("a.example")).logo == ""
    await customize.delete(admin, "a.example")
    with pytest.raises(NotFound):
        await customize.delete(admin, "a.example")
    for work in (
        customize.page(users["factory-x"], 1, 1),
        customize.put(users["factory-x"], "default", Looks()),
        customize.delete(users["factory-x"], "default"),
    ):
        with pytest.raises(NoPermission):
            await work
    await database.close()


def call(client: TestClient, verb: str, path: str, name: str = "", body: Any = None) -> tuple[int, Any]:
    headers = signed_in(client, name) if name else {}
    reply = client.request(verb, f"/api/v1/customize{path}", headers=headers, json=body)
    return reply.status_code, reply.json()["data"]


def test_over_http(client: TestClient) -> None:
    assert call(client, "PUT", "/shop.example", "platform-x", {"platform_title": "<b>Shop</b>"}) == (
        200,
        None,
    )
    status, info = call(client, "GET", "/info?domain=shop.example")
    assert (status, info["platform_title"], info["domain"]) == (200, "<b>Shop</b>", "shop.example")
    assert call(client, "GET", "/info?domain=other.example")[1]["platform_title"] == ""
    assert call(client, "GET", "/info")[0] == 200
    status, page = call(client, "GET", "", "platform-x")
    row = next(row for row in page["rows"] if row["domain"] == "shop.example")
    assert (row["user_name"], row["changed_ms"] > 0) == ("platform-x", True)
    for verb, path in (("GET", ""), ("PUT", "/shop.example"), ("DELETE", "/shop.example")):
        assert call(client, verb, path, "factory-x", {} if verb == "PUT" else None)[0] == 403
        assert call(client, verb, path)[0] == 401
    assert call(client, "DELETE", "/shop.example", "platform-x") == (200, None)
    assert call(client, "DELETE", "/shop.example", "platform-x")[0] == 404


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/Upper.example", {}, "domain"),
        ("/a..b", {}, "domain"),
        ("/-a", {}, "domain"),
        ("/" + "a" * 64, {}, "domain"),
        ("/a.example:80", {}, "domain"),
        ("/a.example", {"logo": "https://evil.example/x.png"}, "logo"),
        ("/a.example", {"background": "javascript:alert(1)"}, "background"),
        ("/a.example", {"carousel": [""]}, "carousel.0"),
        ("/a.example", {"carousel": ["/api/v1/file/" + "0" * 64] * 9}, "carousel"),
        ("/a.example", {"platform_title": "x" * 101}, "platform_title"),
        ("/a.example", {"platform_title": "a\u0000b"}, "platform_title"),
        ("/a.example", {"script": "x"}, "script"),
    ],
)
def test_rules(client: TestClient, path: str, body: Any, field: str) -> None:
    status, problem = call(client, "PUT", path, "platform-x", body)
    assert (status, problem["field"]) == (400, field)
