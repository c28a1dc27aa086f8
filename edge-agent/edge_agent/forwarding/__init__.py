"""What carries stored batches away: one package for each kind, each reading the store by itself."""
