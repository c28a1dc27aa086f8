"""What an engineer does with a port before and beside its configuration."""
