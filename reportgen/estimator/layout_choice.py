"""The chosen layout: the best rank of the candidates on the Layouts sheet, found live."""

from reportgen.estimator.structure import LAYOUT_VARIABLES, inference, training
from reportgen.formula import Formula, below, formula, least, pick, position, where

LAYOUT_UNITS = {
    "nodes": ("nodes", "N_w"),
    "tensor_parallel": ("ranks", "t"),
    "pipeline_parallel": ("ranks", "p"),
    "expert_parallel": ("ranks", "e"),
    "micro_batch": ("sequences", "b"),
    "zero_stage": ("stage", "z"),
    "full_recomputation": ("flag", "r"),
    "offload_level": ("level", "l_o"),
    "batch_per_replica": ("sequences", "B"),
}


@formula(unit="row", symbol="k", source="layouts")
def chosen_layout(layouts_rank):
    """The smallest rank key wins; keys are unique."""
    return position(layouts_rank, least(layouts_rank))


@formula(unit="flag", symbol="ok", source="layouts")
def layout_found(layouts_rank):
    """Ranks of candidates that cannot run stand above every real one."""
    return where(below(least(layouts_rank), 1e9), 1, 0)


def _chosen(variable: str, when) -> Formula:
    unit, symbol = LAYOUT_UNITS[variable]

    def chosen(layouts_variable, chosen_layout):
        """The value in the row of the chosen layout."""
        return pick(layouts_variable, chosen_layout)

    declared = formula(unit=unit, symbol=symbol, source="layouts", when=when, name=variable, section="layout_choice")(
        chosen
    )
    declared.parameters = (f"layouts_{variable}", "chosen_layout")
    return declared


def _when(variable: str):
    both = all(variable in variables for variables in LAYOUT_VARIABLES.values())
    return training | inference if both else (training if variable in LAYOUT_VARIABLES["training"] else inference)


CHOSEN = [_chosen(variable, _when(variable)) for variable in LAYOUT_UNITS]
