"""Whose word about the client's address counts. A real server on a free port."""

from __future__ import annotations

from typing import Annotated

import httpx
import pytest
from fastapi import Depends, FastAPI

from cloud.domains.identity.endpoints import caller
from cloud.settings import Settings, SettingsError, load

from ...real_server import serving


def told(trusted: str, forwarded: str) -> str:
    """The address that the cloud takes when loopback sends this header."""
    app = FastAPI()

    @app.get("/")
    async def address(found: Annotated[str, Depends(caller)]) -> str:
        return found

    headers = {"X-Forwarded-For": forwarded}
    with serving(app, lifespan="off", forwarded_allow_ips=trusted) as port:
        return str(httpx.get(f"http://127.0.0.1:{port}/", headers=headers, trust_env=False).json())


@pytest.mark.parametrize(
    ("trusted", "forwarded", "expected"),
    [
        (Settings().trusted_proxies, "192.0.2.7", "192.0.2.7"),
        (Settings().trusted_proxies, "127.0.0.1, 192.0.2.7", "192.0.2.7"),  # what the client wrote himself
        ("127.0.0.0/8,10.0.0.0/8", "192.0.2.7, 10.1.1.1", "192.0.2.7"),
        ("10.0.0.1", "192.0.2.7", "127.0.0.1"),
        ("", "192.0.2.7", "127.0.0.1"),
    ],
)
def test_only_a_trusted_proxy_is_believed(trusted: str, forwarded: str, expected: str) -> None:
    assert told(trusted, forwarded) == expected


def test_wrong_proxy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("nginx", "*", "10.0.0.0/33"):
        monkeypatch.setenv("EDGE_TRUSTED_PROXIES", f"127.0.0.1,{value}")
        with pytest.raises(SettingsError, match=r"EDGE_TRUSTED_PROXIES: .* is no address and no network"):
            load()
    monkeypatch.setenv("EDGE_TRUSTED_PROXIES", "")
    assert load().trusted_proxies == ""
    monkeypatch.setenv("EDGE_DEMO_USER", "guest")
    assert load().demo_user == "guest"
