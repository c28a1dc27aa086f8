"""Mutation of pure modules: which mutants there are, and whether the tests of their module notice them."""
