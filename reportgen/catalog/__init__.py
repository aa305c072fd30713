"""The facts, each with source and date: hardware, models, prices, sites; and the words and look of all outputs."""

from reportgen.catalog.load import Catalog, load_catalog

__all__ = ["Catalog", "load_catalog"]
