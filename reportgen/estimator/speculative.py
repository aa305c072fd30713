"""Drafted tokens, verified several at a time: a gain while steps are bound by memory, none where they are bound by compute."""

from reportgen.estimator.serving_speed import at_limit_and_peak
from reportgen.estimator.structure import batch_inference, inference, serving, speculative
from reportgen.formula import formula


@at_limit_and_peak(
    role="tokens", unit="tokens", symbols=("n_T", "n_T_pk"), source="speculative-2023", when=inference & speculative
)
def step_tokens_drafted(batch, draft_tokens):
    """A step verifies the drafts of each request besides the token that it writes anyway."""
    return batch * (1 + draft_tokens)


@formula(unit="tokens", symbol="n_acc", source="speculative-2023", when=inference & speculative)
def accepted_tokens_per_step(draft_tokens, draft_acceptance):
    """Each draft counts only if all before it were right: a geometric sum, the token written anyway included."""
    return (1 - draft_acceptance ** (1 + draft_tokens)) / (1 - draft_acceptance)


@at_limit_and_peak(
    role="time_per_token",
    unit="s",
    symbols=("TPOT_0", "TPOT"),
    source="speculative-2023",
    when=serving & speculative,
)
def tpot_drafted_s(step, draft_tokens, draft_step_share, accepted_tokens_per_step, interference):
    """A step is longer by its drafts and yields several tokens; prompts of others come between as before."""
    return step * (1 + draft_step_share * draft_tokens) / accepted_tokens_per_step + interference


@formula(unit="s", symbol="t_out", source="speculative-2023", when=batch_inference & speculative, name="item_answer_s")
def item_answer_drafted_s(
    answer_tokens, decode_step_s, draft_tokens, draft_step_share, accepted_tokens_per_step, batch_per_replica
):
    """Time of a replica that one answer takes, several tokens a step."""
    steps = answer_tokens / accepted_tokens_per_step
    return steps * decode_step_s * (1 + draft_step_share * draft_tokens) / batch_per_replica


@formula(unit="factor", symbol="g_s", source="speculative-2023", when=serving & speculative)
def speculative_gain(
    decode_step_at_peak_s, step_tokens_at_peak, batch_at_peak, step_compute_at_peak_s, accepted_tokens_per_step,
    draft_tokens, draft_step_share,
):  # fmt: skip
    """Gain at the peak over writing one token a step: the longer the batch, the more of it verification eats."""
    verified = step_tokens_at_peak / batch_at_peak
    alone = decode_step_at_peak_s - step_compute_at_peak_s * (1 - 1 / verified)
    return accepted_tokens_per_step * alone / (decode_step_at_peak_s * (1 + draft_step_share * draft_tokens))
