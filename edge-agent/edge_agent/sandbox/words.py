"""A first look at a script's text: its words are counted and checked before Python's parser sees it. Pure."""

from __future__ import annotations

import io
import re
import tokenize

from edge_agent.errors import ConfigError

MAX_CHARACTERS = 20_000
MAX_WORDS = 8_000
MAX_WORDS_IN_STATEMENT = 500
MAX_PARENTHESES = 20
MAX_INDENTS = 10
MAX_TEXT = 64  # characters of a quoted text

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}", re.ASCII)
NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|0[bB][01]+|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
TEXT = re.compile(r"\"[^\"\\]*\"|'[^'\\]*'")
OPERATORS = {
    *("+", "-", "*", "/", "//", "%", "**", "&", "|", "~", "<<", ">>", "<", "<=", "==", "!=", ">=", ">"),
    *("=", "+=", "-=", "*=", "/=", "//=", "(", ")", "[", "]", ",", ":"),
}
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
LAYOUT = {tokenize.NL, tokenize.COMMENT, tokenize.ENDMARKER, tokenize.DEDENT}
INSTEAD = {
    "'": "a text is not closed",
    '"': "a text is not closed",
    "^": "write ** for a power, xor(a, b) for exclusive or",
    "!": "write not",
    ".": "there are no attributes",
}


def refused(where: str, line: int, column: int, rule: str) -> ConfigError:
    """line from 1, column from 0; people count both from 1."""
    return ConfigError(where, f"line {line}, column {column + 1}: {rule}")


def check_words(text: str, where: str) -> None:
    """ConfigError for a text that is too large, or has a word that the language does not have."""
    if len(text) > MAX_CHARACTERS:
        raise ConfigError(where, f"must be at most {MAX_CHARACTERS} characters")
    if CONTROL.search(text):
        raise ConfigError(where, "must have no control characters")
    depth = indents = in_statement = count = 0
    number_end: tuple[int, int] | None = None
    try:
        for word in tokenize.generate_tokens(io.StringIO(text).readline):
            line, column = word.start
            count += 1
            in_statement += 1
            if word.type in LAYOUT:
                indents -= word.type == tokenize.DEDENT
                continue
            if word.type == tokenize.NEWLINE:
                in_statement = 0
                continue
            if word.type == tokenize.INDENT:
                indents += 1
            depth += (word.string in {"(", "["}) - (word.string in {")", "]"})
            fault = _fault(word)
            if word.type == tokenize.NAME and number_end == word.start:
                fault = "a space is missing after the number"
            number_end = word.end if word.type == tokenize.NUMBER else None
            if fault is None and depth > MAX_PARENTHESES:
                fault = f"must be at most {MAX_PARENTHESES} parentheses deep"
            if fault is None and indents > MAX_INDENTS:
                fault = f"must be at most {MAX_INDENTS} blocks deep"
            if fault is None and in_statement > MAX_WORDS_IN_STATEMENT:
                fault = f"a statement must be at most {MAX_WORDS_IN_STATEMENT} words"
            if fault is None and count > MAX_WORDS:
                fault = f"must be at most {MAX_WORDS} words"
            if fault is not None:
                raise refused(where, line, column, fault)
    except tokenize.TokenError as error:
        line, column = error.args[1]
        raise refused(where, line, max(column - 1, 0), f"is no script: {error.args[0]}") from None
    except SyntaxError as error:
        raise refused(
            where, error.lineno or 1, (error.offset or 1) - 1, f"is no script: {error.msg}"
        ) from None


def _fault(word: tokenize.TokenInfo) -> str | None:
    """Why a word may not stand in any script."""
    text = word.string
    match word.type:
        case tokenize.NAME if not NAME.fullmatch(text):
            return "a name must be ASCII letters, digits and _, begin with a letter, at most 64 characters"
        case tokenize.NUMBER if not NUMBER.fullmatch(text):
            return f"{text[:20]!r} is no number of this language"
        case tokenize.STRING if not TEXT.fullmatch(text):
            return "a text must stand in one pair of quotes, without prefix and backslash"
        case tokenize.STRING if len(text) - 2 > MAX_TEXT:
            return f"a text must be at most {MAX_TEXT} characters"
        case tokenize.OP if text not in OPERATORS:
            return INSTEAD.get(text, f"{text!r} has no meaning in a script")
        case tokenize.ERRORTOKEN if text.strip():
            return INSTEAD.get(text, f"{text[:20]!r} has no meaning in a script")
    return None
