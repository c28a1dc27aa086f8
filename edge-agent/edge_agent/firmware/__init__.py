"""Firmware over the air: download, verification, two slots, trial and roll back. See README.md."""
