"""The plant itself: its description, and the process that it simulates. Knows no wire."""
