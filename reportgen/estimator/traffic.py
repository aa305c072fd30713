"""What arrives: conversations of several turns, and the load of a day against its busiest hour."""

from reportgen.estimator.structure import conversation, serving
from reportgen.formula import DAY, HOUR, HOURS_PER_MONTH, formula, maximum, minimum


@formula(unit="tokens", symbol="I_rep", source="reportgen", when=serving & conversation)
def repeated_tokens(shared_prefix_tokens, conversation_turns, turn_prompt_tokens, answer_tokens):
    """Each turn sends the instructions and all earlier turns again; on average half of the others lie before it."""
    return shared_prefix_tokens + (conversation_turns - 1) / 2 * (turn_prompt_tokens + answer_tokens)


@formula(unit="tokens", symbol="I", source="reportgen", when=serving & conversation)
def prompt_tokens(repeated_tokens, turn_prompt_tokens):
    """The mean over the turns of a conversation, of what is said again and of what is new."""
    return repeated_tokens + turn_prompt_tokens


@formula(unit="share", symbol="h_p", source="reportgen", when=serving & conversation)
def prefix_hit(repeated_tokens, prompt_tokens, repeated_hit):
    """Only what was said before can be found in the cache, as far as it was kept."""
    return repeated_hit * repeated_tokens / maximum(1, prompt_tokens)


@formula(unit="share", symbol="phi", source="reportgen", when=serving)
def average_load_share(hourly_mean_share, busy_days_per_month):
    """Days outside the count carry nothing: all hours of a month, of 730, over the busiest hour; 31 days are no more than all."""
    return minimum(1, hourly_mean_share * busy_days_per_month * DAY / HOURS_PER_MONTH / HOUR)
