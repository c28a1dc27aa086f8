"""Live points across gateways."""
