"""A cellular modem's command port."""
