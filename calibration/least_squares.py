"""Fitting positive constants to positive figures: errors are logarithms, large ones count less, guesses hold the rest."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

STEP = 1e-3
SCALE = 0.12  # an error of this size is ordinary
LARGE = 0.5  # errors beyond so many scales count linearly
BOLDEST = 0.7


def fit(
    predict: Callable[[np.ndarray], np.ndarray],
    measured: np.ndarray,
    weights: np.ndarray,
    guess: np.ndarray,
    spread: np.ndarray,
    start: np.ndarray | None = None,
    rounds: int = 25,
) -> np.ndarray:
    """Logarithms of the constants. predict takes several sets of them, a row each, and gives a column each."""
    place = (guess if start is None else start).copy()
    target = np.log(measured)

    def errors(at: np.ndarray) -> np.ndarray:
        return np.log(predict(at[None])[:, 0]) - target

    def cost(error: np.ndarray, at: np.ndarray) -> float:
        size = np.abs(error) / SCALE
        loss = np.where(size < LARGE, size**2, 2 * LARGE * size - LARGE**2)
        return float(np.sum(weights * loss) + np.sum(((at - guess) / spread) ** 2))

    error = errors(place)
    best, damping = cost(error, place), 1e-2
    for _ in range(rounds):
        moved = place + STEP * np.eye(len(place))
        slopes = (np.log(predict(moved)) - target[:, None] - error[:, None]) / STEP
        size = np.abs(error) / SCALE
        heed = weights * np.where(size < LARGE, 1.0, LARGE / np.maximum(size, 1e-9)) / SCALE**2
        matrix = slopes.T @ (heed[:, None] * slopes) + np.diag(1 / spread**2)
        slope = slopes.T @ (heed * error) + (place - guess) / spread**2
        improved = False
        for _ in range(6):
            step = -np.linalg.solve(matrix + damping * np.diag(np.diag(matrix)), slope)
            tried = place + np.clip(step, -BOLDEST, BOLDEST)
            tried_error = errors(tried)
            tried_cost = cost(tried_error, tried)
            if tried_cost < best:
                improved = True
                break
            damping *= 5
        if not improved:
            break
        gain = (best - tried_cost) / best
        place, error, best, damping = tried, tried_error, tried_cost, max(damping / 5, 1e-4)
        if gain < 1e-4:
            break
    return place
