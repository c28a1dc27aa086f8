"""How long history is kept."""
