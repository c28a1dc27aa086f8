"""Parameters of gateways, and plans that bring them to many."""
