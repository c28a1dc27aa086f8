"""SIM cards of gateways: what they cost and use, and where they are."""
