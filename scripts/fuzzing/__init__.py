"""What scripts/fuzz runs: the engine, and a target for everything that reads what others wrote."""
