"""Jobs: work that takes longer than a call, with its progress and its file."""
