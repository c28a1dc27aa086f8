"""What is taken in as firmware, by whose keys, and who may load it."""

from __future__ import annotations

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from cloud.domains.firmware.file_schemas import FirmwareKeyBody
from cloud.domains.firmware.tickets import Tickets
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import CloudError, Conflict, NotFound, ParameterError

from .conftest import KEY_ID, MAKER, SECOND, STRANGER, URL, FirmwareSite, chunks, public, signed

PLATFORM = CurrentUser(9, "admin", 0, MAKER.permissions, "", MAKER.scope.system())


async def test_without_a_key_nothing_is_taken_and_the_error_says_what_to_set(site: FirmwareSite) -> None:
    with pytest.raises(Conflict, match="POST /firmware/key") as refused:
        await site.upload(STRANGER)
    assert refused.value.reason == "firmware.no_key"


async def test_a_signed_file_is_taken_with_what_its_manifest_says(site: FirmwareSite) -> None:
    number = await site.upload()
    (row,) = (await site.files.page(MAKER, 1, 20, "")).rows
    content = signed(site.key)
    assert (row.id, row.version, row.models, row.size) == (number, 2, ["gw-200"], len(content))
    assert row.trusted and row.user_name == "maker"
    assert [path.read_bytes() for path in (site.folder / "files").iterdir()] == [content]
    assert await site.upload() == number, "the same bytes again are the same file"


@pytest.mark.parametrize(
    ("spoil", "code", "field"),
    [
        (lambda content: content[:-1], "size", "payload"),
        (lambda content: content + b"x", "size", "payload"),
        (lambda content: content[:-1] + b"x", "hash", "payload"),
        (lambda content: b"x" + content[1:], "format", "magic"),
        (lambda content: content[:9], "format", "manifest"),
        (lambda content: b"", "format", "manifest"),
        (lambda content: content.replace(b'"version":2', b'"version":3'), "signature", "signature"),
    ],
)
async def test_a_file_that_is_not_what_was_signed_is_refused_and_leaves_nothing(
    site: FirmwareSite, spoil: object, code: str, field: str
) -> None:
    content = spoil(signed(site.key))  # type: ignore[operator]
    with pytest.raises(ParameterError) as refused:
        await site.files.upload(MAKER, "a.bin", len(content), chunks(content))
    assert refused.value.reason == f"firmware.{code}"
    assert refused.value.rule.startswith(f"{field}: ")
    assert list((site.folder / "files").iterdir()) == []


async def test_a_length_that_is_not_the_manifests_is_refused_before_the_payload(site: FirmwareSite) -> None:
    content = signed(site.key, b"x" * 1000)
    taken = 0

    async def counted():  # type: ignore[no-untyped-def]
        nonlocal taken
        async for chunk in chunks(content):
            taken += len(chunk)
            yield chunk

    with pytest.raises(ParameterError, match="by its manifest"):
        await site.files.upload(MAKER, "a.bin", 10**6, counted())
    assert taken == len(content), "the rest is read, so that a browser sees the reply"


async def test_keys_count_for_who_is_below_and_for_nobody_else(site: FirmwareSite) -> None:
    assert await site.upload(SECOND)
    other = Ed25519PrivateKey.generate()
    await site.keys.add(STRANGER, FirmwareKeyBody(key_id="theirs", public_key=public(other)))
    with pytest.raises(ParameterError) as refused:
        content = signed(site.key)
        await site.files.upload(STRANGER, "a.bin", len(content), chunks(content))
    assert refused.value.reason == "firmware.key"
    with pytest.raises(NotFound):
        await site.files.delete(STRANGER, 1)
    assert {row.key_id for row in (await site.keys.rows(STRANGER)).rows} == {"theirs"}


async def test_a_key_of_the_installation_counts_for_all_and_is_nobodys_to_delete(site: FirmwareSite) -> None:
    await site.trust(PLATFORM)
    await site.upload(STRANGER)
    (row,) = (await site.keys.rows(STRANGER)).rows
    assert row.is_platform and not row.is_own
    with pytest.raises(NotFound):
        await site.keys.delete(STRANGER, row.id)


async def test_a_name_is_of_one_key_and_a_key_has_32_bytes(site: FirmwareSite) -> None:
    with pytest.raises(Conflict) as refused:
        await site.trust()
    assert refused.value.reason == "firmware.key_taken"
    not_one_form = base64.b64encode(bytes(31) + b"\x01").decode()[:-2] + "F="
    with pytest.raises(ParameterError, match="public_key"):
        await site.keys.add(MAKER, FirmwareKeyBody(key_id="k", public_key=not_one_form))


async def test_an_earlier_key_of_the_same_name_still_verifies_for_whom_it_counts(site: FirmwareSite) -> None:
    newer = Ed25519PrivateKey.generate()
    await site.keys.add(SECOND, FirmwareKeyBody(key_id=KEY_ID, public_key=public(newer)))
    for key in (site.key, newer):
        content = signed(key, public(key).encode())
        assert (await site.files.upload(SECOND, "a.bin", len(content), chunks(content))).trusted


async def test_only_the_address_of_an_open_order_gives_the_file(site: FirmwareSite) -> None:
    (gateway,) = await site.make(1)
    number = await site.upload()
    await site.actions.start(MAKER, await site.plan(number))
    await site.turn()
    await site.turn()
    assert gateway.order is not None
    order, ticket = gateway.order.url.removeprefix(f"{URL}/api/v1/firmware/download/").split("/")
    assert order == gateway.order.id
    assert (await site.files.download(order, ticket)).path.read_bytes() == signed(site.key)
    for wrong in ("0" * 64, ticket[:-1] + ("0" if ticket[-1] != "0" else "1")):
        with pytest.raises(NotFound):
            await site.files.download(order, wrong)
    with pytest.raises(NotFound):
        await site.files.download("fw-" + "0" * 24, site.tickets.url("fw-" + "0" * 24)[-64:])
    site.restart()
    assert (await site.files.download(order, ticket)).sha256 == gateway.order.sha256
    await site.run()
    with pytest.raises(NotFound):
        await site.files.download(order, ticket)


async def test_tickets_differ_between_installations(site: FirmwareSite) -> None:
    other = Tickets(site.folder / "other.key", URL)
    assert other.url("fw-12345678") != site.tickets.url("fw-12345678")
    assert (site.folder / "other.key").stat().st_mode & 0o777 == 0o600


async def test_a_file_of_a_plan_stays_and_another_one_goes_with_its_bytes(site: FirmwareSite) -> None:
    await site.make(1)
    used = await site.upload()
    unused = await site.upload(payload=b"another")
    await site.plan(used)
    with pytest.raises(CloudError) as refused:
        await site.files.delete(MAKER, used)
    assert refused.value.reason == "firmware.used"
    await site.files.delete(MAKER, unused)
    assert len(list((site.folder / "files").iterdir())) == 1


async def test_what_nothing_names_is_cleaned(site: FirmwareSite) -> None:
    await site.upload()
    folder = site.folder / "files"
    (folder / ("0" * 64 + ".bin")).write_bytes(b"left")
    (folder / "aa.part").write_bytes(b"broken off")
    site.clock.now = 4_000_000_000_000
    await site.files.clean()
    assert len(list(folder.iterdir())) == 1
