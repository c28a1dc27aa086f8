"""Codes of the answers 9011 and 9012 (HJ 212-2017, tables 8 and 9). Pure."""

from __future__ import annotations

from enum import IntEnum


class QnRtn(IntEnum):
    """Whether a request is carried out; 2005 has the first three."""

    READY = 1
    REFUSED = 2
    WRONG_PW = 3
    WRONG_MN = 4
    WRONG_ST = 5
    WRONG_FLAG = 6
    WRONG_CN = 8


class ExeRtn(IntEnum):
    """What came of it; 2005 has SUCCESS, FAILED and NO_DATA."""

    SUCCESS = 1
    FAILED = 2
    CONDITION_WRONG = 3
    TIMED_OUT = 4
    BUSY = 5
    SYSTEM_FAULT = 6
    NO_DATA = 100
