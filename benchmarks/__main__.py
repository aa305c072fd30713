"""Prints every ratio: start-up, search, serving, workbook, memo."""

from benchmarks import memo, search, serving, startup, workbook

HEAD = f"{'what':<44} {'reportgen':>13} {'other':>13} {'ratio':>8}  {'aim':<16} other"


def main() -> None:
    """Measure and print, a line a ratio as soon as it is known."""
    print(HEAD)
    for part in (startup, search, serving, workbook, memo):
        for ratio in part.ratios():
            print(ratio.line(), flush=True)


if __name__ == "__main__":
    main()
