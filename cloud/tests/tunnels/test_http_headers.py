"""What passes between a browser and a gateway's page, and what does not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cloud.tunnels.http_headers import cookie, to_browser, to_gateway, value_of


def test_what_the_gateway_gets() -> None:
    given_headers = [
        (b"host", b"cloud.example:7001"),
        (b"x-token", b"portal"),
        (b"authorization", b"Bearer portal"),
        (b"cookie", b"edge_tunnel_1=mine; g1_edge_session=theirs; g2_edge_session=other; plain=x"),
        (b"x-edge", b"1"),
        (b"connection", b"keep-alive, X-Hop"),
        (b"x-hop", b"1"),
        (b"upgrade", b"websocket"),
        (b"transfer-encoding", b"chunked"),
        (b"content-length", b"99"),
        (b"x-forwarded-for", b"1.2.3.4"),
        (b"forwarded", b"for=1.2.3.4"),
        (b"origin", b"http://cloud.example:7001"),
        (b"referer", b"http://cloud.example:7001/"),
        (b"sec-fetch-site", b"same-origin"),
        (b"accept-language", b"zh"),
    ]
    assert to_gateway(given_headers, "g1_", 5) == [
        (b"Host", b"localhost"),
        (b"x-edge", b"1"),
        (b"sec-fetch-site", b"same-origin"),
        (b"accept-language", b"zh"),
        (b"Cookie", b"edge_session=theirs"),
        (b"Content-Length", b"5"),
    ]
    assert to_gateway([], "g1_", None) == [(b"Host", b"localhost")]


def test_what_the_browser_gets() -> None:
    given_headers = [
        (b"content-type", b"text/html"),
        (b"content-security-policy", b"default-src 'none'"),
        (b"set-cookie", b"edge_session=abc; HttpOnly; Secure; Domain=gw.local; Path=/; SameSite=Strict"),
        (b"strict-transport-security", b"max-age=1"),
        (b"cache-control", b"public"),
        (b"service-worker-allowed", b"/"),
        (b"connection", b"close"),
    ]
    kept = [(b"content-type", b"text/html"), (b"content-security-policy", b"default-src 'none'")]
    plain = (b"Set-Cookie", b"g1_edge_session=abc; HttpOnly; Path=/; SameSite=Strict")
    assert to_browser(given_headers, "g1_", tls=False) == [*kept, plain, (b"Cache-Control", b"no-store")]
    secure = (plain[0], plain[1] + b"; Secure")
    assert to_browser(given_headers, "g1_", tls=True)[2] == secure


@given(
    st.dictionaries(
        st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.from_regex(r"[A-Za-z0-9]{0,8}", fullmatch=True)
    )
)
def test_cookies_of_a_gateway_come_back_as_it_set_them(cookies: dict[str, str]) -> None:
    told = to_browser(
        [(b"set-cookie", f"{k}={v}; Path=/".encode()) for k, v in cookies.items()], "g1_", tls=False
    )
    kept = b"; ".join(value.split(b";")[0] for name, value in told if name == b"Set-Cookie")
    back = value_of(to_gateway([(b"cookie", kept)], "g1_", None), b"Cookie").decode()
    assert dict(part.split("=") for part in back.split("; ") if part) == cookies
    for name, value in cookies.items():
        assert cookie([(b"cookie", kept)], f"g1_{name}") == value
    assert cookie([(b"cookie", kept)], "edge_tunnel") == ""
