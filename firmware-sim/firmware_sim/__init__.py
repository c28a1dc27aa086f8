"""Simulated field devices: a plant that moves, and the slaves and meters through which it is seen."""
