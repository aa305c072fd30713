"""Fits of few global constants to published measurements; run by hand, their output is committed."""
