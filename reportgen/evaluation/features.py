"""The structure that a scenario asks for: which formulas will exist."""

from __future__ import annotations

from reportgen.catalog import Catalog
from reportgen.catalog.step_constants import software_level
from reportgen.evaluation.stages import stage_features
from reportgen.scenario import Scenario
from reportgen.scenario.architecture import Architecture

ARCHITECTURE_FEATURES = {
    "mla": "latent_attention",
    "moe": "mixture_of_experts",
    "query_lora": "query_compression",
    "multi_token": "multi_token_prediction",
    "gated": "gated",
    "tied": "tied",
    "learned_positions": "learned_positions",
    "sliding_window": "sliding_window",
    "qk_norm": "qk_norm",
    "linear_attention": "linear_attention",
}
UNUSUAL_PARTS = {"embedding_norm", "head_bias", "attention_sinks", "router_bias", "expert_bias", "shared_expert_gate"}
WORKSTATION_GPUS = 4  # as many cards as a workstation holds


def architecture_features(architecture: Architecture) -> set[str]:
    """The features of a shape."""
    present = architecture.features()
    chosen = {feature for name, feature in ARCHITECTURE_FEATURES.items() if name in present}
    return chosen | ({"unusual_parts"} if present & UNUSUAL_PARTS else set())


def architecture_numbers(architecture: Architecture) -> dict[str, float]:
    """The numbers of a shape by the names of the formulas; 0 for the parts that it lacks."""
    return dict.fromkeys((*sorted(UNUSUAL_PARTS), "qk_norm_width"), 0.0) | architecture.quantities()


def features_of(scenario: Scenario, catalog: Catalog) -> frozenset[str]:
    """The features of a scenario, by the names of estimator/structure.py."""
    chosen = architecture_features(scenario.architecture)
    chosen |= _training(scenario) if scenario.is_training else _inference(scenario)
    chosen.add(scenario.hardware.acquire or "buy")
    if not is_workstation(scenario, catalog):
        chosen.add("fabric")
    if scenario.deadline_days:
        chosen.add("deadline")
    if scenario.budget:
        chosen.add("budget")
        free = not scenario.hardware.count and scenario.objective in (None, "fastest")
        if scenario.is_training and free and (not scenario.deadline_days or scenario.objective):
            chosen.add("budget_objective")
    if scenario.owned:
        chosen.add("owned")
    if scenario.start:
        chosen.add("start_date")
    elif scenario.deadline and scenario.deadline.by:
        chosen.add("end_date")
    if scenario.site.power is not None:
        chosen.add("site_power_limit")
    if scenario.site.racks is not None:
        chosen.add("site_rack_limit")
    if scenario.site.cooling:
        chosen.add("site_cooling")
    if scenario.policy.approval_limit is not None:
        chosen.add("approval_limit")
    if scenario.hardware.network:
        chosen.add("given_network")
    return frozenset(chosen)


def _training(scenario: Scenario) -> set[str]:
    chosen = {"training", scenario.method or "full"}
    if scenario.algorithm == "dpo":
        chosen.add("reference_model")
    if scenario.layout.sharding_group:
        chosen.add("hybrid_sharding")
    if (scenario.layout.etp or 1) > 1:
        chosen.add("expert_tensor")
    if scenario.layout.offload == "nvme":
        chosen.add("nvme_offload")
    if scenario.objective == "cheapest":
        chosen.add("cheapest_objective")
    if len(scenario.stages) > 1:
        chosen |= stage_features(scenario)
    if scenario.algorithm in ("ppo", "grpo"):
        chosen.add("reinforcement")
    if scenario.utilization is not None or scenario.utilization_run is not None:
        chosen.add("given_utilization")
    if scenario.utilization_run is not None:
        chosen.add("utilization_from_run")
    if software_level(scenario.stack or "") == "early":
        chosen.add("score_matrix")
    return chosen


def _inference(scenario: Scenario) -> set[str]:
    chosen = {"serving" if scenario.job == "serving" else "batch_inference"}
    if is_point(scenario):
        chosen.add("measured_point")
    elif scenario.measured is not None and measured_accelerator(scenario) == scenario.hardware.accelerators[0]:
        chosen.add("measured_rate")
    if scenario.job == "serving" and "measured_rate" not in chosen:
        chosen.add("latency_objectives")
    if scenario.load is not None and scenario.load.users is None:
        chosen.add("given_rate")
    if scenario.other_services:
        chosen.add("shared_cluster")
    if scenario.conversation is not None:
        chosen.add("conversation")
    if scenario.api_price is not None:
        chosen.add("api_price")
    if scenario.speculative is not None:
        chosen.add("speculative")
    if scenario.separate_prefill and scenario.job == "serving":
        chosen.add("disaggregated")
    if (scenario.attention_groups or 1) > 1 and scenario.architecture.is_moe:
        chosen.add("attention_data_parallel")
    return chosen


def is_point(scenario: Scenario) -> bool:
    """Whether a measured speed says at which load: then it corrects the estimate, and alone it replaces it."""
    return scenario.job == "serving" and scenario.measured is not None and scenario.measured.concurrency is not None


def measured_accelerator(scenario: Scenario) -> str:
    """The accelerator of a measured service: the planned one where the scenario names none."""
    return scenario.measured.accelerator or scenario.hardware.accelerators[0]


def is_workstation(scenario: Scenario, catalog: Catalog) -> bool:
    """A few PCIe cards under a desk: no racks and no network of their own."""
    count = scenario.hardware.count
    record = catalog.accelerators[scenario.hardware.accelerators[0]]
    return bool(count) and count <= WORKSTATION_GPUS and (record.link_domain or 1) <= WORKSTATION_GPUS
