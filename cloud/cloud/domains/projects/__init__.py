"""Projects: the tree in which gateways are arranged."""
