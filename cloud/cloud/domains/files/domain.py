"""Pictures that the portal shows."""

from __future__ import annotations

from cloud.domains.base import Build, Domain
from cloud.domains.files import endpoints
from cloud.domains.files.service import FileService


def build(build: Build) -> None:
    build.services.add(FileService(build.database, build.settings.data_dir / "files"))


DOMAIN = Domain(
    "files",
    (endpoints.router,),
    build,
    # the bytes lie in the full process' folder
    leader_only=frozenset({"uploadFile", "getFile"}),
)
