"""Ratios measured in one run: `python -m benchmarks`. Never part of the tests."""
