"""One room per domain; all.py lists them. Nothing is imported here: who needs one room loads no other."""
