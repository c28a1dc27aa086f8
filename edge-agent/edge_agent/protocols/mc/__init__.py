"""MC protocol of Mitsubishi PLCs over TCP: frames 1E (FX3U) and 3E (FX5U, Q, L, iQ-R)."""
