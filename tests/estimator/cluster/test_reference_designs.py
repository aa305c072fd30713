"""Published clusters come out as published: switches, links, optics, racks, power, storage, money."""

from pathlib import Path

import pytest
import yaml

from tests.estimator.cluster.quantities import evaluate

CASES = yaml.safe_load((Path(__file__).parent / "reference_designs.yaml").read_text())
DESIGNS = CASES["designs"]


def weights(read) -> dict[str, float]:
    """Which of our quantities make up one of theirs, and how often each counts."""
    if isinstance(read, str):
        return {read: 1.0}
    return dict.fromkeys(read, 1.0) if isinstance(read, list) else read


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design["id"])
def test_design_is_reproduced(design):
    given = {key: float(value) for key, value in design["given"].items()}
    given.setdefault("nodes", given.get("nodes_bought", 8.0))
    parts = {name: weights(read) for name, read in design["read"].items()}
    values = evaluate(only=[key for part in parts.values() for key in part if key not in given], **given)
    for name, expected in design["expected"].items():
        found = sum(values[key] * weight for key, weight in parts[name].items())
        assert found == pytest.approx(expected, rel=max(design["tolerance"], 1e-6)), name


@pytest.mark.parametrize("ports", [40, 64, 128, 144])
def test_two_tiers_reach_half_the_square_of_the_ports(ports):
    most = ports * ports / 16  # nodes of eight ports
    given = {"switch_ports": float(ports), "spans_nodes": 1.0}
    assert evaluate(only=["fabric_tiers"], nodes_bought=most, fabric_slots=most, **given)["fabric_tiers"] == 2
    assert evaluate(only=["fabric_tiers"], nodes_bought=most + 1, fabric_slots=most + 1, **given)["fabric_tiers"] == 3


def test_every_design_is_used_or_its_absence_explained():
    assert len(DESIGNS) >= 75
    assert all(CASES["uncovered"].values())
    assert len({design["id"] for design in DESIGNS}) == len(DESIGNS)
