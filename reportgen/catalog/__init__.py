"""The facts: dated, sourced data of accelerators, servers, models, prices and sites; the words and the look of all outputs."""

from reportgen.catalog.load import Catalog, load_catalog

__all__ = ["Catalog", "load_catalog"]
