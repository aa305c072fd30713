"""Tasks on a pool of processes, outcomes in their order. A process that dies takes only its own task with it."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from reportgen.batch.work import BUG, ERROR, Outcome, Task, work
from reportgen.errors import Problem

Report = Callable[[Outcome], None]


def jobs_for(tasks: int, asked: int | None = None) -> int:
    """How many processes: as many as asked, else one a processor, never more than tasks."""
    return max(1, min(asked or os.cpu_count() or 1, tasks))


def run(tasks: Sequence[Task], jobs: int | None = None, report: Report = lambda outcome: None) -> list[Outcome]:
    """Do all tasks; `report` hears of each as it ends. One job runs in this process."""
    count = jobs_for(len(tasks), jobs)
    if count == 1:
        return [_told(work(task), report) for task in tasks]
    outcomes = _pooled(tasks, count, report)
    for index, task in enumerate(tasks):  # left over when a process died: each alone, so that the guilty one shows
        if index not in outcomes:
            outcomes[index] = _told(_alone(task), report)
    return [outcomes[index] for index in range(len(tasks))]


def _pooled(tasks: Sequence[Task], count: int, report: Report) -> dict[int, Outcome]:
    outcomes: dict[int, Outcome] = {}
    pool = _pool(count)
    try:
        futures = {pool.submit(work, task): index for index, task in enumerate(tasks)}
        for future in as_completed(futures):
            outcomes[futures[future]] = _told(future.result(), report)
    except BrokenProcessPool:
        pass
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return outcomes


def _alone(task: Task) -> Outcome:
    with _pool(1) as pool:
        try:
            return pool.submit(work, task).result()
        except BrokenProcessPool:
            problem = Problem(
                "process-died", f"{task.file}: the process died", "run reportgen doctor; then the scenario alone"
            )
            return Outcome(task, ERROR, BUG, None, (), (problem,))


def _told(outcome: Outcome, report: Report) -> Outcome:
    report(outcome)
    return outcome


def _pool(count: int) -> Executor:
    """Fresh interpreters: the text engine of the memo keeps threads, which do not survive a fork."""
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(count, mp_context=context, initializer=_leave_interrupts_to_the_parent)


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
