"""Internal slave and loop-write tasks of gateways: their sections of the draft, and what came of them."""
