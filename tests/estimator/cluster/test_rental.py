"""Renting: the price of a term, the hours that are charged, what stands in the allowance, and buying beside it."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.catalog.wording import placeholders, wording
from reportgen.estimator.rental import RENTAL_LINES, RENTAL_PRICE_INPUTS, TERMS, rental_lines_of
from reportgen.formula import MISSING
from tests.estimator.cluster.quantities import BATCH, RENTING, SERVING, TRAINING, evaluate, without_prices
from tests.estimator.cluster.test_request_list import MAKERS, TEXTS

PRICES = {"on-demand": 12.0, "month": 11.0, "reserved-1y": 8.0, "reserved-3y": 7.6, "spot": 5.0}
HOURS = {"on-demand": 240.0, "month": 730.0, "reserved-1y": 8760.0, "reserved-3y": 26280.0}
ALLOWED = {"rental_storage_price": MISSING, "rental_egress_price": MISSING, "rental_service_price": MISSING}


@pytest.mark.parametrize("term", TERMS)
def test_each_term_has_its_price(term):
    assert evaluate(RENTING, rental_term=term)["rental_price"] == PRICES[term]


@pytest.mark.parametrize("term", HOURS)
def test_a_term_is_paid_to_its_end(term):
    v = evaluate(RENTING, rental_term=term)
    assert v["rental_hours"] == 240.0
    assert v["rental_billed_hours"] == HOURS[term]
    assert v["rental_gpu_cost"] == pytest.approx(64 * HOURS[term] * PRICES[term])
    assert v["rental_used_share"] == pytest.approx(240.0 / HOURS[term])


def test_a_job_longer_than_a_term_pays_whole_terms():
    assert evaluate(RENTING, rental_term="month", training_days=40.0)["rental_billed_hours"] == 2 * 730


def test_a_service_of_three_years_fills_its_terms():
    for term in ("on-demand", "reserved-1y", "reserved-3y"):
        v = evaluate(SERVING, rental_term=term)
        assert v["rental_billed_hours"] == pytest.approx(3 * 8760)
        assert v["rental_used_share"] == pytest.approx(1.0)


def test_spot_costs_time():
    """Eight nodes, one taken back every ten days each: 0.8 stops a day, ten minutes and an hour lost at each."""
    v = evaluate(RENTING, rental_term="spot")
    assert v["rental_interruption_overhead"] == pytest.approx(0.8 * (600 + 3600) / 86400)
    assert v["rental_hours"] == pytest.approx(240 * (1 + v["rental_interruption_overhead"]))
    assert evaluate(RENTING)["rental_interruption_overhead"] == 0
    assert evaluate(BATCH, rental_term="spot")["rental_interruption_overhead"] == pytest.approx(0.1 * 600 / 86400)


def test_without_prices_of_extras_the_allowance_stands_for_them():
    v = evaluate(RENTING, **ALLOWED)
    assert v["rental_allowance"] == pytest.approx(0.3 * v["rental_gpu_cost"])
    assert v["rental_extras_cost"] == v["rental_allowance"]
    assert (v["rental_open_lines"], v["rental_unpriced_lines"]) == (3, 0)


def test_what_has_a_price_leaves_the_allowance():
    part = evaluate(RENTING, **ALLOWED | {"rental_service_price": 2000.0})
    assert part["rental_extras_cost"] == pytest.approx(0.3 * part["rental_gpu_cost"])
    assert part["rental_allowance"] == pytest.approx(part["rental_extras_cost"] - part["rental_service_amount"])
    all_priced = evaluate(RENTING)
    assert all_priced["rental_allowance"] == 0
    amounts = ("rental_storage_amount", "rental_egress_amount", "rental_service_amount")
    assert all_priced["rental_extras_cost"] == pytest.approx(sum(all_priced[key] for key in amounts))


def test_without_an_allowance_the_missing_prices_are_counted():
    assert evaluate(RENTING, rental_extras_share=0.0, **ALLOWED)["rental_unpriced_lines"] == 3


@pytest.mark.parametrize("features", [RENTING, BATCH], ids=["training", "batch"])
def test_without_a_rate_nothing_is_zero(features):
    v = evaluate(features, **without_prices())
    for key in ("rental_gpu_cost", "rental_list_total", "rental_cost", "rental_total_cost", "rental_cost_per_gpu_hour"):
        assert math.isnan(v[key]), key
    assert v["rental_unpriced_lines"] == 1


def test_an_offer_wins():
    v = evaluate(RENTING, offer_rental=9.0, rental_term="reserved-1y", rent_price_factor=2.0)
    assert v["rental_price"] == 9.0


@given(
    days=st.floats(0.1, 2000),
    term=st.sampled_from(TERMS),
    nodes=st.integers(1, 300).map(float),
    extras=st.floats(0, 1),
)
@settings(max_examples=120, deadline=None)
def test_the_rental_adds_up(days, term, nodes, extras):
    v = evaluate(RENTING, training_days=days, rental_term=term, nodes=nodes, rental_extras_share=extras)
    parts = ("rental_gpu_cost", "rental_extras_cost", "rental_contingency", "rental_tax")
    assert v["rental_cost"] == pytest.approx(sum(v[key] for key in parts))
    known = [v[line.amount] for line in RENTAL_LINES]
    assert v["rental_list_total"] == pytest.approx(sum(amount for amount in known if amount == amount))
    assert v["rental_billed_hours"] >= v["rental_hours"] * (1 - 1e-9)
    assert v["rental_billed_hours"] < v["rental_hours"] + max(v["rental_term_hours"], 1e-9) * (1 + 1e-9)
    assert 0 < v["rental_used_share"] <= 1 + 1e-9


def test_an_hour_of_a_term_that_is_used_up_is_what_an_owned_hour_is_held_against():
    """A short job on a long term wastes it; the comparison with owning is of terms that are used."""
    short, long = (evaluate(RENTING, rental_term="reserved-1y", training_days=days, **ALLOWED) for days in (10.0, 365.0))
    assert short["rental_cost_per_gpu_hour"] == pytest.approx(long["rental_cost_per_gpu_hour"])
    assert short["break_even_utilization"] == pytest.approx(long["break_even_utilization"])


def test_three_and_five_years_beside_the_years_of_use():
    for years, word in ((3.0, "three"), (5.0, "five")):
        v = evaluate(TRAINING, years_of_use=years)
        assert v[f"purchase_total_cost_{word}_years"] == pytest.approx(v["purchase_total_cost"])
        assert v[f"rental_cost_{word}_years"] == pytest.approx(v["rental_cost_of_same_use"])
    v = evaluate(TRAINING)
    assert v["purchase_total_cost_five_years"] > v["purchase_total_cost_three_years"]


def test_the_rental_list_is_only_for_requests_to_rent():
    assert len(rental_lines_of(RENTING)) == 5 and rental_lines_of(TRAINING) == ()


def test_rental_lines_name_known_quantities_and_inputs():
    v = evaluate(RENTING)
    for line in RENTAL_LINES:
        assert {line.quantity, line.price, line.amount} <= set(v), line.key
    assert {line.price_input for line in RENTAL_LINES if line.price_input} == {item.key for item in RENTAL_PRICE_INPUTS}


@pytest.mark.parametrize("line", RENTAL_LINES, ids=lambda line: line.key)
def test_texts_of_the_rental_list(line):
    english, chinese = wording("en"), wording("zh")
    for text in TEXTS:
        key = f"line_{line.key}_{text}"
        assert placeholders(english.label(key)) == placeholders(chinese.label(key)), key
        assert not MAKERS.search(english.label(key) + chinese.label(key)), key
    assert english.has(f"unit_{line.unit}") and chinese.has(f"unit_{line.unit}")
