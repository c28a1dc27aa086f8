"""Products: kinds of devices that a factory makes."""
