"""Devices as a master sees them: memory and answers (pure), and the lines that carry both."""
