"""The gateway's configuration: typed, validated whole at start, never connecting anything."""
