"""What scripts/chaos and scripts/powercut do to the product, and the proofs that nothing was lost by it."""
