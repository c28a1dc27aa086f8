"""FX controllers at their programming port."""
