"""What carries stored batches away: one room for each kind of receiver, each reading the store by itself."""
