"""The architecture that a measured row means: a model of the catalog, or the shape that the row states."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from reportgen.catalog import Catalog
from reportgen.catalog.names import fold, model_aliases, model_spellings
from reportgen.catalog.yaml_data import read_yaml
from reportgen.evaluation.accuracy.rows import MEASUREMENTS, MeasuredRow, Skipped
from reportgen.scenario.architecture import Architecture
from reportgen.scenario.model_config import architecture_of_record

HEAD_DIMENSION = 128
DECORATIONS = re.compile(r"\s*\([^)]*\)|-(?:instruct|base|chat|hf)$")
FAMILY_AND_VERSION = re.compile(r"^([a-z]+)(\d)")  # llama3-8b for llama-3-8b
CLASSIC = re.compile(
    r"^(gpt|mpt|opt|bloom|mt-nlg|megatron)"
)  # LayerNorm, plain feed-forward part, one vocabulary matrix
SEEN_IN_NOTE = re.compile(r"\bheads (\d+)")


def architecture_of_row(row: MeasuredRow, catalog: Catalog) -> Architecture:
    """The shape of the row's model. Raises Skipped when neither the catalog nor the row knows it."""
    printed = row.text("model")
    if not printed:
        raise Skipped("model is not stated")
    known = _of_catalog(printed, catalog)
    if known is not None and not _contradicts(known, row):
        return known
    shape = _of_columns(printed, row)
    if shape is not None:
        return shape
    if known is not None:
        return known
    raise Skipped(f"shape of the model is not known: {printed}")


def _of_catalog(printed: str, catalog: Catalog) -> Architecture | None:
    names = read_yaml(MEASUREMENTS / "names_of_rows.yaml")["models"]
    folded = {fold(name): key for name, key in names.items()}
    aliases = model_aliases(catalog.models)
    for candidate in _spellings(printed):
        key = folded.get(candidate) or (candidate if candidate in catalog.models else aliases.get(candidate))
        if key is not None:
            return architecture_of_record(key, catalog.models[key])
    return None


def _spellings(printed: str) -> Iterator[str]:
    plain = fold(DECORATIONS.sub("", printed.casefold()))
    yield from (fold(printed), plain, *model_spellings(plain), FAMILY_AND_VERSION.sub(r"\1-\2", plain))


def _contradicts(shape: Architecture, row: MeasuredRow) -> bool:
    """Whether the row states another depth or width than the catalog's model of that name."""
    stated = {"layers": shape.layers, "hidden": shape.hidden_size}
    return any((value := row.positive(column)) and value != known for column, known in stated.items())


def _of_columns(printed: str, row: MeasuredRow) -> Architecture | None:
    hidden, intermediate = row.positive("hidden"), row.positive("ffn")
    parameters = row.positive("params_b")
    if hidden is None or row.positive("active_params_b"):
        return None
    classic = bool(CLASSIC.match(printed.casefold()))
    vocabulary = row.positive("vocab") or (250880 if "bloom" in printed.casefold() else 50257 if classic else 128256)
    if intermediate is None and classic:
        intermediate = 4 * hidden
    layers = row.positive("layers")
    if layers is None and parameters and intermediate:
        body = parameters * 1e9 - vocabulary * hidden
        layers = max(1, round(body / (4 * hidden * hidden + 2 * hidden * intermediate)))
    if layers is None or intermediate is None:
        return None
    heads = row.positive("heads") or _heads(row, hidden)
    key_value = row.positive("kv_heads") or heads
    gated, tied = _kind(parameters, layers, hidden, heads, key_value, intermediate, vocabulary, classic)
    head_dimension = max(1, round(hidden / heads))
    return Architecture(
        name=printed, family="row", source="row", layers=int(layers), hidden_size=int(hidden), attention_heads=int(heads),
        key_value_heads=int(key_value), head_dimension=head_dimension, value_head_dimension=head_dimension,
        intermediate_size=int(intermediate), vocabulary_size=int(vocabulary), tied_embeddings=tied, gated_mlp=gated,
        qkv_bias=classic, output_bias=classic, mlp_bias=classic, norm="layer" if classic else "rms",
    )  # fmt: skip


def _heads(row: MeasuredRow, hidden: float) -> float:
    """Heads named in the note; else 64 for the wide models of 2022, as their chronicle says, or heads of 128 channels."""
    noted = SEEN_IN_NOTE.search(row.text("note"))
    if noted:
        return float(noted[1])
    return 64.0 if "bloom" in row.text("model").casefold() else max(1.0, round(hidden / HEAD_DIMENSION))


def _kind(parameters, layers, hidden, heads, key_value, intermediate, vocabulary, classic: bool) -> tuple[bool, bool]:
    """Gated or not, tied or not: what the stated parameters fit best."""
    if classic or not parameters:
        return not classic, classic
    attention = 2 * hidden * hidden * (1 + key_value / heads)
    best, found = math.inf, (True, False)
    for gated in (True, False):
        for tied in (False, True):
            count = layers * (attention + (3 if gated else 2) * hidden * intermediate)
            count += vocabulary * hidden * (1 if tied else 2)
            error = abs(count / (parameters * 1e9) - 1)
            if error < best - 0.003:
                best, found = error, (gated, tied)
    return found
