"""A scenario as the formulas see it: features, inputs, the accelerator table, the space of layouts."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from reportgen.catalog import Catalog
from reportgen.catalog.accelerator_table import TableJob, accelerator_table
from reportgen.catalog.money import Money, tax_rates
from reportgen.estimator import active_formulas
from reportgen.estimator.structure import layout_variables
from reportgen.evaluation.candidates import Space
from reportgen.evaluation.degree_search import with_searched_degrees
from reportgen.evaluation.draft import Draft
from reportgen.evaluation.equipment import owned_columns
from reportgen.evaluation.features import architecture_numbers, features_of, measured_accelerator
from reportgen.evaluation.inference_inputs import put_inference_inputs
from reportgen.evaluation.measured_runs import Compared, compared_runs, moving_runs, speed_factor
from reportgen.evaluation.model_size import total_parameters
from reportgen.evaluation.money_inputs import price_book_of, put_money_inputs
from reportgen.evaluation.result import InputValue
from reportgen.evaluation.stages import at_worst_stage
from reportgen.evaluation.training_inputs import OFFLOAD_LEVELS, put_training_inputs, stack_facts
from reportgen.formula import Column, Formula, Graph
from reportgen.scenario import Scenario

ALSO_KEPT = {
    "site_power_limit_kw",
    "site_rack_limit",
    "site_liquid_cooling",
    "approval_limit_amount",
    "rent_compared_below_share",
    "rental_used_least",
    "days_until_start",
    "days_until_end",
}  # read by checks
OFFLOADED = {"none": (), "optimizer": (1.0,), "all": (1.0, 2.0, 3.0)}  # levels, by what a stack can take off the GPU
LAYOUT_KEYS = {
    "tensor_parallel": "tp",
    "pipeline_parallel": "pp",
    "expert_parallel": "ep",
    "micro_batch": "micro_batch",
    "zero_stage": "zero",
}


@dataclass(frozen=True)
class Question:
    """What is asked, ready for evaluation."""

    scenario: Scenario
    catalog: Catalog
    money: Money
    features: frozenset[str]
    inputs: tuple[InputValue, ...]
    tables: dict[str, Column]
    prices: str | None = None  # a price book in place of the scenario's
    worst_stage: int | None = None  # place of the stage that the layout is planned for
    measured: tuple[Compared, ...] = ()  # the user's own runs beside their estimates

    @property
    def is_training(self) -> bool:
        """Whether the layouts are those of a training job."""
        return "training" in self.features

    @property
    def layout_graph(self) -> Graph:
        """Formulas of a candidate layout: the layout variables are inputs."""
        variables = layout_variables(self.features)
        names = {item.key for item in self.inputs} | set(self.tables) | {*variables, "layout_number"}
        formulas = [item for item in active_formulas(self.features) if not _reads_layouts(item)]
        return Graph(formulas, names)

    @property
    def case_graph(self) -> Graph:
        """Formulas of a case: the layout is found in the list of candidates."""
        return case_graph(self.features, frozenset(item.key for item in self.inputs))

    @property
    def base_inputs(self) -> dict:
        """The inputs at their base, and the columns of the accelerator table."""
        return {**{item.key: item.value for item in self.inputs}, **self.tables}

    def space(self, accelerator: str) -> Space:
        """What bounds the candidates of an accelerator."""
        architecture = self.scenario.architecture
        per_node = int(self.tables["accelerators_gpus_per_node"].get(accelerator))
        domain = int(self.tables["accelerators_nvlink_domain"].get(accelerator))
        return Space(
            layers=architecture.layers,
            attention_heads=architecture.attention_heads,
            experts=architecture.experts,
            domain=max(domain if domain > 1 else 1, min(per_node, 8)),
            gpus_per_node=per_node,
            fixed=self._fixed(accelerator, per_node),
            sharded_only=self._is_sharded_only(),
            offload_levels=self._offload_levels(),
        )

    def _offload_levels(self) -> tuple[float, ...]:
        """What may be searched: all that the stack can take off the GPU, unless the scenario says what is."""
        if self.scenario.layout.offload not in (None, "auto") or not self.is_training:
            return ()
        return OFFLOADED[stack_facts(self.scenario.stack)["offloads"]]

    def _is_sharded_only(self) -> bool:
        """Plain PyTorch stacks shard and never split layers; a 4-bit base is never cut."""
        return "qlora" in self.features or (self.is_training and bool(stack_facts(self.scenario.stack)["shards_only"]))

    def _fixed(self, accelerator: str, per_node: int) -> dict[str, float]:
        layout = self.scenario.layout
        fixed = {name: float(value) for name, key in LAYOUT_KEYS.items() if (value := getattr(layout, key)) is not None}
        if layout.offload not in (None, "auto") and self.is_training:
            fixed["offload_level"] = OFFLOAD_LEVELS[layout.offload]
        if layout.recompute is not None:
            layers = self.scenario.architecture.layers
            share = min(1.0, (layout.recompute_layers or layers) / layers)
            fixed["full_recomputation"] = share * (layout.recompute == "full")
        measured = None if self.is_training else self.scenario.measured
        if measured is not None and measured_accelerator(self.scenario) == accelerator:
            fixed.setdefault("tensor_parallel", float(measured.count))
        count = self.scenario.hardware.count
        if count:
            fixed["nodes"] = float(-(-count // per_node))
        return fixed


def _reads_layouts(item: Formula) -> bool:
    return any(parameter.startswith("layouts_") for parameter in item.parameters)


def case_graph(features: frozenset[str], inputs: frozenset[str]) -> Graph:
    """The graph of a case; formulas that only rank candidates stand on the Layouts sheet."""
    formulas = active_formulas(features)
    ranking = {"layout_number"}
    for _ in formulas:  # names that depend on the number of a candidate, to a fixed point
        more = {item.name for item in formulas if ranking.intersection(item.parameters)} - ranking
        if not more:
            break
        ranking |= more
    kept = [item for item in formulas if item.name not in ranking]
    names = {
        parameter
        for item in kept
        for parameter in item.parameters
        if parameter.startswith(("layouts_", "accelerators_"))
    }
    return Graph(kept, inputs | names)


def ask(scenario: Scenario, catalog: Catalog, prices: str | None = None, currency: str | None = None) -> Question:
    """The question of a scenario. prices: path of a price book in place of the scenario's; currency: in place of its own."""
    if currency:
        scenario = dataclasses.replace(scenario, currency=currency)
    worst = None
    if scenario.is_training and scenario.stages:
        scenario, worst = at_worst_stage(scenario, lambda stage: ask(stage, catalog, prices))
    measured = compared_runs(scenario, lambda run: ask(run, catalog, prices))
    factor = speed_factor(moving_runs(scenario, measured))
    book = price_book_of(scenario, catalog, prices)
    given = scenario.tax.rate if scenario.was_given("tax.rate") else None
    money = Money.of(catalog, scenario.currency, book, taxes=tax_rates(catalog, scenario.region, given))
    features = features_of(scenario, catalog) | ({"measured_speed"} if factor is not None else set())
    draft = Draft(scenario, catalog, money)
    _architecture(draft)
    draft.take("accelerator", scenario.hardware.accelerators[0], "hardware.accelerators")
    if scenario.is_training:
        put_training_inputs(draft)
        if factor is not None:
            draft.take("measured_speed_factor", factor, "measured", confidence="measured")
            draft.take("measured_accelerator", scenario.hardware.accelerators[0], "measured")
    else:
        put_inference_inputs(draft)
    put_money_inputs(draft, features)
    tables = _tables(draft, features)
    inputs = _needed(draft, features)
    return with_searched_degrees(Question(scenario, catalog, money, features, inputs, tables, prices, worst, measured))


def _architecture(draft: Draft) -> None:
    architecture = draft.scenario.architecture
    for key, value in architecture_numbers(architecture).items():
        draft.take(key, value, "model", confidence="published", note=architecture.source)


def _tables(draft: Draft, features: frozenset[str]) -> dict[str, Column]:
    scenario = draft.scenario
    count = scenario.hardware.count
    job = TableJob(
        precision=getattr(scenario.precision, "compute", None) or "bf16",
        parameters=total_parameters(draft, features),
        mixture_of_experts="mixture_of_experts" in features,
        job=scenario.job,
        several_nodes=not count or count > 8,
        server=scenario.hardware.server or "",
    )
    columns = accelerator_table(draft.catalog, draft.money, job) | owned_columns(scenario, draft.catalog)
    return {f"accelerators_{name}": column for name, column in columns.items()}


def _needed(draft: Draft, features: frozenset[str]) -> tuple[InputValue, ...]:
    """Only the inputs that some formula of this structure reads, then the constants and overrides."""
    formulas = active_formulas(features)
    names = {item.name for item in formulas}
    asked = {parameter for item in formulas for parameter in item.parameters}
    draft.constants((asked - names) | ALSO_KEPT)
    units = {item.name: (item.unit, item.symbol) for item in formulas}
    draft.overrides(asked | names, units)
    overridden = {key for key, item in draft.inputs.items() if item.origin == "override"}
    return tuple(item for key, item in draft.inputs.items() if key in (asked - names) | overridden or key in ALSO_KEPT)
