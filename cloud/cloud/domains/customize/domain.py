"""Name, logo and colours of the portal."""

from __future__ import annotations

from collections.abc import Sequence

from cloud.core.services import Services
from cloud.domains.base import Build, Domain, Job, Periodic
from cloud.domains.customize import endpoints
from cloud.domains.customize.service import CustomizeService
from cloud.domains.files.service import CLEAN_S as FILES_S
from cloud.domains.files.service import FileService
from cloud.domains.identity.signin import SignInService
from cloud.domains.options.service import OptionService


def build(build: Build) -> None:
    files, sign_in = build.services[FileService], build.services[SignInService]
    build.services.add(CustomizeService(build.database, files, sign_in.demo_offered))


def periodic(services: Services) -> Sequence[Job]:
    async def clean_files() -> None:
        """Pictures that neither the portal nor anybody's quick entries show."""
        used = await services[CustomizeService].pictures() | await services[OptionService].icons()
        await services[FileService].clean(used)

    return (Periodic(FILES_S, clean_files),)


DOMAIN = Domain(
    "customize",
    (endpoints.router,),
    build,
    periodic=periodic,
    permissions=frozenset({"auth.Customize"}),
)
