"""The simulated process: signals that move in fixed steps. Pure."""
