"""DL/T 645-2007 electricity meters."""
