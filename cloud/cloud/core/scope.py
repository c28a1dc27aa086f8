"""As whom something is asked: the key of every tenant's data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Scope:
    """Given by whoever asks to every repository that serves users. path: of the user, such as /1/7/."""

    user_id: int
    path: str
    everything: bool = False

    @classmethod
    def system(cls) -> Scope:
        """Of jobs and the link, which serve nobody in particular."""
        return cls(0, "/", everything=True)

    @property
    def is_placed(self) -> bool:
        """Has the user a place in the tree? Without one his path would be the beginning of everybody's."""
        return self.path.endswith(f"/{self.user_id}/")
