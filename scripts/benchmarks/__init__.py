"""What scripts/bench runs: the benchmarks, their yardsticks, and the peers measured beside the product."""
