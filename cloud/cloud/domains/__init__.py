"""One package per domain; all.py lists them. Nothing is imported here: who needs one loads no other."""
