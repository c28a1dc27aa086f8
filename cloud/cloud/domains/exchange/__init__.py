"""Data exchange: a value of one gateway's point, written to a point of another."""
