"""The demo hands on the settings of notifications, all of them and no others."""

from __future__ import annotations

from stack import notification_env

from cloud.notification_settings import NotificationSettings

PORTAL = "http://127.0.0.1:8080"


def test_every_setting_of_notifications_is_handed_on_and_no_other() -> None:
    given = {f"EDGE_{name.upper()}": "x" for name in NotificationSettings.model_fields}
    others = {"EDGE_DATA_DIR": "/elsewhere", "EDGE_DATABASE_URL": "postgresql://", "PATH": "/bin"}
    assert notification_env(given | others, PORTAL) == given


def test_links_lead_to_the_portal_of_the_demo_unless_another_address_is_given() -> None:
    assert notification_env({}, PORTAL) == {"EDGE_PUBLIC_URL": PORTAL}
    own = {"EDGE_PUBLIC_URL": "https://portal.example.com"}
    assert notification_env(own, PORTAL) == own
