"""Collecting garbage less often: the tests keep many large workbooks alive on purpose."""

import gc

gc.set_threshold(200_000, 20, 50)
