"""DL/T 645 electricity meters, of the 2007 and the 1997 standard."""
