"""The composer: from a result to the records that the templates print. No look here, no arithmetic of the estimate."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.evaluation.result import Result
from reportgen.memo.appendix_schema import Appendices
from reportgen.memo.compose.appendix_formulas import formulas
from reportgen.memo.compose.appendix_inputs import inputs, sources
from reportgen.memo.compose.appendix_list import hardware_list
from reportgen.memo.compose.appendix_rest import changes, checks, cross_check, glossary, limits
from reportgen.memo.compose.case import Case
from reportgen.memo.compose.comparison import compose_comparison
from reportgen.memo.compose.conditions import conditions, otherwise
from reportgen.memo.compose.confidence import confidence
from reportgen.memo.compose.cost import cost
from reportgen.memo.compose.decision import decision
from reportgen.memo.compose.head import document, title, why
from reportgen.memo.compose.key_figures import key_figures
from reportgen.memo.compose.needs import purchase_needs
from reportgen.memo.compose.needs_rent import rental_needs
from reportgen.memo.compose.options import options
from reportgen.memo.compose.risks import risks
from reportgen.memo.compose.size_inference import batch_size, serving_size
from reportgen.memo.compose.size_training import training_size
from reportgen.memo.context_schema import Memo

__all__ = ["compose_comparison", "compose_memo"]

SIZES = {"training": training_size, "serving": serving_size, "batch": batch_size}


def compose_memo(result: Result, attached: Sequence[str] = ()) -> Memo:
    """The memo of a result in its own language. `attached`: names of the files inside the PDF."""
    case = Case(result)
    return Memo(
        document=document(case),
        title=title(case),
        decision=decision(case),
        figures=key_figures(case),
        why=why(case),
        needs=rental_needs(case) if case.rents else purchase_needs(case),
        size=SIZES[case.kind](case),
        cost=cost(case),
        options=options(case),
        confidence=confidence(case),
        risks=risks(case),
        conditions=conditions(case),
        otherwise=otherwise(case),
        appendices=Appendices(
            list=hardware_list(case),
            formulas=formulas(case),
            cross_check=cross_check(case),
            inputs=inputs(case),
            sources=sources(case),
            limits=limits(case),
            glossary=glossary(case),
            checks=checks(case),
            changes=changes(case, attached),
        ),
    )
