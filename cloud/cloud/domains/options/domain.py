"""Options of the platform and of each user, and the maps."""

from __future__ import annotations

from cloud.core.events import PermissionsChanged
from cloud.domains.base import Build, Domain
from cloud.domains.options import endpoints
from cloud.domains.options.map_files import MapFiles
from cloud.domains.options.service import OptionService


def build(build: Build) -> None:
    bus, services = build.bus, build.services
    options = services.add(
        OptionService(build.database, lambda: bus.publish_now(PermissionsChanged()), bus.publish)
    )
    build.tile_origins.append(options.tile_origins)
    services.add(MapFiles(build.settings.data_dir / "map"))


DOMAIN = Domain(
    "options",
    (endpoints.router,),
    build,
    # the bytes lie in the full process' folder
    leader_only=frozenset({"listMapFiles", "getMapFile"}),
    permissions=frozenset({"SystemSetting"}),
)
