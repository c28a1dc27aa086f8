"""Mitsubishi FX programmable controllers on their programming port."""
