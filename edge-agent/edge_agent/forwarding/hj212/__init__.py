"""HJ 212: packets between a data logger and the platforms of environmental authorities."""
