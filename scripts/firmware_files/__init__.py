"""Files of firmware: keys, payloads, signatures; for operators and tests."""
