"""The same tokens at the price of somebody else's service, beside the own cost."""

from reportgen.estimator.structure import api_price, batch_inference, inference, serving
from reportgen.formula import MISSING, above, formula, is_known, where


@formula(unit="money/million tokens", symbol="k_api", source="scenario", when=inference & api_price, section="cost")
def api_cost_per_million_tokens(prompt_tokens, answer_tokens, api_price_of_prompts, api_price_of_answers):
    """Services charge prompts and answers apart; the mix of this load gives one price."""
    tokens = prompt_tokens + answer_tokens
    return (prompt_tokens * api_price_of_prompts + answer_tokens * api_price_of_answers) / tokens


@formula(
    unit="money", symbol="K_api", source="reportgen", when=serving & api_price, section="cost", name="api_job_cost"
)
def api_cost_of_service(api_cost_per_million_tokens, million_tokens_per_month, months_of_service):
    """What the same tokens cost there, for as long as the service runs here."""
    return api_cost_per_million_tokens * million_tokens_per_month * months_of_service


@formula(unit="money", symbol="K_api", source="reportgen", when=batch_inference & api_price, section="cost")
def api_job_cost(api_cost_per_million_tokens, batch_million_tokens):
    """What the same tokens cost there."""
    return api_cost_per_million_tokens * batch_million_tokens


@formula(unit="factor", symbol="r_api", source="reportgen", when=inference & api_price, section="cost")
def own_share_of_api_cost(cost_per_million_tokens, api_cost_per_million_tokens):
    """Below 1 the own equipment is cheaper; nothing is compared with a service that costs nothing."""
    known = is_known(cost_per_million_tokens)
    share = where(known, cost_per_million_tokens / api_cost_per_million_tokens, MISSING)
    return where(above(api_cost_per_million_tokens, 0), share, MISSING)


@formula(unit="million tokens/months", symbol="N_even", source="reportgen", when=serving & api_price, section="cost")
def break_even_million_tokens_per_month(own_share_of_api_cost, million_tokens_per_month):
    """Own equipment costs the same idle or busy: from this load on it is the cheaper way."""
    known = is_known(own_share_of_api_cost)
    return where(known, own_share_of_api_cost * million_tokens_per_month, MISSING)
