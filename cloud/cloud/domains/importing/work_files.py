"""Work files on the disk: which there are, and which are deleted to make space for another one.

Five of a user with 512 MiB, 50 in all with 2 GiB, for a day. Seen by who uploaded it and those above him.
One that a job needs is never removed for another; a damaged one is nobody's and goes with the next upload or
cleaning.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.importing.workfile import Workfile
from cloud.errors import Busy, CloudError

log = logging.getLogger(__name__)

MIB = 1024 * 1024
MAX_OF_USER = 5
MAX_IN_ALL = 50
MAX_BYTES_OF_USER = 512 * MIB
MAX_BYTES = 2048 * MIB
"""Of all work files together; one may grow by its preview after it was counted."""


class Known(NamedTuple):
    """A work file, when it was made, whose it is, of which tenant, its last job and its bytes on the disk.

    user_id: 0 of one that was never filled or is damaged; created_ms is 0 then too.
    """

    path: Path
    created_ms: int
    user_id: int
    tenant: str
    job_id: int | None
    size: int


def known_in(folder: Path) -> list[Known]:
    """Every work file, the oldest first; one that cannot be read is very old."""
    files = []
    for path in folder.glob("*.sqlite") if folder.is_dir() else ():
        try:
            size = path.stat().st_size
            meta = Workfile(path).meta() if size else {}
        except FileNotFoundError:
            continue
        except CloudError:
            log.warning("%s is no work file of an import; it will be removed", path.name)
            meta = {}
        user_id = int(meta.get("user_id", 0))
        tenant = tenant_of(str(meta.get("path", "")), user_id)
        files.append(Known(path, int(meta.get("created_ms", 0)), user_id, tenant, meta.get("job_id"), size))
    return sorted(files, key=lambda each: each.created_ms)


def tenant_of(path: str, user_id: int) -> str:
    """The topmost user above one, by his path such as /1/7/."""
    return path.strip("/").partition("/")[0] or str(user_id)


def going(user: CurrentUser, known: Sequence[Known], busy: Collection[Path]) -> list[Path]:
    """What goes for a new import of a user; Busy when none may be deleted.

    His own oldest go first. When all places are taken, the tenant that has most of them loses its oldest,
    if it has more than the user's own.
    """
    left = [each for each in known if each.user_id]
    gone = [each.path for each in known if not each.user_id]
    while _is_too_much([each for each in left if each.user_id == user.id], MAX_OF_USER, MAX_BYTES_OF_USER):
        mine = next((each for each in left if each.user_id == user.id and each.path not in busy), None)
        if mine is None:
            raise Busy("all your imports are at work", reason="import.too_many")
        left.remove(mine)
        gone.append(mine.path)
    tenant = tenant_of(user.scope.path, user.id)
    for measure, max_count in ((_one, MAX_IN_ALL), (_size, MAX_BYTES)):
        while sum(map(measure, left)) >= max_count:
            oldest = _of_largest(left, tenant, user.id, busy, measure)
            if oldest is None:
                raise Busy("too many imports of all users", reason="import.too_many")
            left.remove(oldest)
            gone.append(oldest.path)
    return gone


def _is_too_much(some: Sequence[Known], max_count: int, max_bytes: int) -> bool:
    return len(some) >= max_count or sum(map(_size, some)) >= max_bytes


def _one(each: Known) -> int:
    return 1


def _size(each: Known) -> int:
    return each.size


def _of_largest(
    left: Iterable[Known],
    tenant: str,
    user_id: int,
    busy: Collection[Path],
    measure: Callable[[Known], int],
) -> Known | None:
    """The oldest that is idle of the tenant with the largest share; of the user's own tenant only his."""
    shares: dict[str, int] = defaultdict(int)
    for each in left:
        shares[each.tenant] += measure(each)
    own = shares.get(tenant, 0)
    for name in sorted(shares, key=lambda one: -shares[one]):
        if name != tenant and shares[name] <= own:
            break
        for each in left:
            if each.tenant == name and each.path not in busy and (name != tenant or each.user_id == user_id):
                return each
    return None
