"""Is an SVG harmless? It is refused when that is uncertain, never repaired. Pure.

Allowed is what draws: elements of a list, attributes but events, local references, embedded png and jpg
pictures, numbers that cost a browser little.
What an editor leaves in namespaces of its own is inert and stays. Scripts, event attributes,
animation, foreign content, links, entities and anything that loads something do not pass.

Pictures inside together may have as many pixels as one picture.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from importlib import resources
from xml.parsers import expat

from cloud.domains.files.kinds import Wrong
from cloud.domains.files.svg_numbers import Costs
from cloud.domains.files.svg_references import References

MAX_ELEMENTS = 20_000
MAX_DEPTH = 64

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
XML = "http://www.w3.org/XML/1998/namespace"
INERT = frozenset(
    {
        "http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd",
        "http://www.inkscape.org/namespaces/inkscape",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
        "http://creativecommons.org/ns#",
        "http://web.resource.org/cc/",
        "http://purl.org/dc/elements/1.1/",
        "http://www.serif.com/",
        "http://www.bohemiancoding.com/sketch/ns",
        "http://www.figma.com/figma/ns",
    }
)
"""Namespaces of editors and of licences, which no browser acts on."""

_TABLE = (resources.files(__package__) / "svg_elements.csv").read_text(encoding="ascii")
ELEMENTS = frozenset(_TABLE.split()[1:])
NAME = re.compile(r"(?!on)[a-z][a-z0-9-]*", re.IGNORECASE)
"""Attributes without a namespace: all but the events. What a value may load is checked for all alike."""
NEVER = frozenset({"src", "srcdoc", "action", "formaction", "ping", "base", "attributename"})
LABELS = frozenset({"id", "class", "in", "in2", "result"})

LOCAL = re.compile(r"#([^\s\"'()<>\\]{1,200})")
EMBEDDED = re.compile(r"data:image/(?:png|jpe?g);base64,([A-Za-z0-9+/=\s]*)")
LOCAL_URL = re.compile(r"url\s*\(\s*(['\"]?)#([^\s\"'()<>\\]{1,200})\1\s*\)", re.IGNORECASE)
HARMLESS = re.compile(r"@(media|keyframes)\b", re.IGNORECASE)
LOADS = re.compile(
    r"url|image(-set)?\s*\(|cross-fade|src\s*[:(]|expression|import|javascript|binding|behavior|@|\\",
    re.IGNORECASE,
)
"""In a style or value whose local addresses are taken away. A backslash can spell any of the others."""


def looks_like_svg(data: bytes) -> bool:
    """Text whose first element is svg, with whatever may stand before it."""
    head = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    return head.startswith(b"<") and re.search(rb"<(\w+:)?svg[\s>/]", head) is not None


def check_svg(data: bytes, embedded: Callable[[bytes], None]) -> None:
    """Wrong with the reason when this is not a well-formed and harmless SVG in UTF-8.

    embedded: raises Wrong for bytes of an embedded picture that may not be there.
    """
    check = _Check(embedded)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.XmlDeclHandler = check.declaration
    parser.StartDoctypeDeclHandler = check.doctype
    parser.EntityDeclHandler = check.entity
    parser.ProcessingInstructionHandler = check.instruction
    parser.StartElementHandler = check.start
    parser.EndElementHandler = check.end
    parser.CharacterDataHandler = check.text
    try:
        data.decode("utf-8")
        parser.Parse(data, True)
    except (expat.ExpatError, UnicodeDecodeError) as error:
        raise Wrong("file.damaged", f"well-formed svg in UTF-8 ({error})") from None
    if (fault := check.references.fault() or check.costs.fault()) is not None:
        raise _refused(fault)


class _Check:
    """expat's events. Each raises Wrong, which ends the parsing."""

    def __init__(self, embedded: Callable[[bytes], None]) -> None:
        self._embedded = embedded
        self.costs = Costs()
        self.references = References()
        self._open: list[str] = []  # names of open elements, "" for an editor's
        self._style: list[str] = []

    def declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding is not None and encoding.lower() not in {"utf-8", "us-ascii"}:
            raise _refused("another encoding than UTF-8")

    def doctype(self, name: str, system: str | None, public: str | None, declares: int) -> None:
        if declares or name != "svg":
            raise _refused("declarations in its document type")

    def entity(self, *words: object) -> None:
        raise _refused("entities")

    def instruction(self, target: str, text: str) -> None:
        raise _refused(f"the instruction <?{target[:20]}?>")

    def start(self, qualified: str, attributes: dict[str, str]) -> None:
        space, name = _split(qualified)
        if not self._open and (space, name) != (SVG, "svg"):
            raise _refused(f"<{name[:40]}> around the picture")
        identifier = "" if space in INERT else attributes.get("id", "")
        self._open.append("" if space in INERT else name)
        self.references.opened(name, identifier)
        if self.references.elements > MAX_ELEMENTS or len(self._open) > MAX_DEPTH:
            raise _refused(f"more than {MAX_ELEMENTS} elements or {MAX_DEPTH} levels")
        if space in INERT:
            return
        if space != SVG or name not in ELEMENTS:
            raise _refused(f"<{name[:40]}>")
        self.costs.opened(name)
        for key, value in attributes.items():
            self._attribute(name, key, value)

    def _attribute(self, element: str, qualified: str, value: str) -> None:
        space, name = _split(qualified)
        if space in INERT or (space == XML and name in {"space", "lang"}):
            return
        if name.lower() == "href" and space in {"", XLINK}:
            self._link(element, value.strip())
        elif space == XLINK and name in {"title", "type", "role", "show", "actuate"}:
            return
        elif space or not NAME.fullmatch(name) or name.lower() in NEVER:
            raise _refused(f"the attribute {name[:40]}")
        elif name not in LABELS and not name.startswith(("data-", "aria-")):
            for target in self._styled(value, f"the attribute {name[:40]}"):
                self.references.made(target)
            self.costs.attribute(name, value)

    def _link(self, element: str, value: str) -> None:
        if local := LOCAL.fullmatch(value):
            self.references.made(local[1])
        elif element == "image" and (match := EMBEDDED.fullmatch(value)):
            self._embedded(_decoded(match[1]))
        else:
            raise _refused(f"a link that leads out of the picture in <{element}>")

    def _styled(self, text: str, place: str) -> list[str]:
        """Local targets that a style or value names."""
        if LOADS.search(HARMLESS.sub("", LOCAL_URL.sub("", text))):
            raise _refused(f"something in {place} that may load or run something")
        return [target for _, target in LOCAL_URL.findall(text)]

    def text(self, text: str) -> None:
        if self._open[-1] == "style":
            self._style.append(text)

    def end(self, qualified: str) -> None:
        self.references.closed()
        if self._open.pop() == "style":
            sheet = "".join(self._style)
            for target in self._styled(sheet, "<style>"):
                self.references.made_by_style(target)
            self.costs.style(sheet)
            self._style.clear()


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except binascii.Error:
        raise Wrong("file.damaged", "embedded pictures in base64") from None


def _split(qualified: str) -> tuple[str, str]:
    """Namespace and name, as expat joins them."""
    space, _, name = qualified.rpartition(" ")
    return space, name


def _refused(what: str) -> Wrong:
    return Wrong("file.svg", f"an svg without {what}")
