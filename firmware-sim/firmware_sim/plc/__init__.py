"""What controllers of several device kinds have in common, and numbers as bytes. Pure."""
