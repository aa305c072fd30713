"""Rules about the parts of a longer training."""

from __future__ import annotations

from reportgen.scenario.question import Finding, Findings, Question

MOST = 4


def stages(question: Question) -> Findings:
    """Parts that exist, fit the model, and can be told apart."""
    parts = question.get("stages") or ()
    if not question.training or not parts:
        return
    if len(parts) > MOST:
        message = f"{len(parts)} stages; a job is planned with {MOST} at most"
        yield Finding("stages", "too-large", message, "join stages that have the same length and method", True)
    longest = question.architecture.maximum_context if question.architecture else 0
    for index, stage in enumerate(parts):
        path, job = f"stages.{index}", stage.job or question.job
        if stage.algorithm and job != "preference-tuning":
            message = f"'algorithm' has no meaning for {job}"
            yield Finding(
                f"{path}.algorithm", "contradiction", message, "write 'job: preference-tuning', or remove it", True
            )
        if stage.method and stage.method != "full" and job == "pretraining":
            message = f"pretraining trains all weights: '{stage.method}' does not fit"
            yield Finding(f"{path}.method", "contradiction", message, "write 'method: full', or change 'job'")
        lengthens = job in ("pretraining", "continued-pretraining")
        if stage.sequence_length and longest and stage.sequence_length > longest and not lengthens:
            message = (
                f"{stage.sequence_length:,} tokens exceed the {longest:,} that '{question.architecture.name}' allows"
            )
            yield Finding(f"{path}.sequence_length", "too-long", message, f"write {longest} or less")
