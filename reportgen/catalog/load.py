"""The catalog: every data file on first use, checked, as frozen records."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from types import MappingProxyType

from reportgen.catalog import names
from reportgen.catalog.hardware_records import AcceleratorRecord, NodeClassRecord, ServerRecord
from reportgen.catalog.model_records import ModelRecord, PublishedRatioRecord, TokenDensityRecord, TokenizerRecord
from reportgen.catalog.price_records import ComponentLineRecord, ComponentRecord, ExchangeRateRecord, RentRecord
from reportgen.catalog.quantity_records import (
    ConstantRecord,
    InputRecord,
    PrecisionFactorRecord,
    SourceRecord,
    UtilizationRecord,
    keyed,
)
from reportgen.catalog.record import Record, build_records
from reportgen.catalog.site_records import SITE_SECTIONS, SiteRecord
from reportgen.catalog.yaml_data import DATA, read_data
from reportgen.errors import CatalogError, Place


def _section(file: str, section: str, kind: type[Record]) -> Mapping[str, Record]:
    content = read_data(file)
    return build_records(kind, content.get(section) or (), f"{file}.yaml", content.get("as_of"))


def _keyed_files(section: str, kind: type[Record]) -> Mapping[str, Record]:
    """The records of <section>.yaml and all <section>_<subject>.yaml. Raises CatalogError on a key in two files."""
    merged: dict[str, Record] = {}
    home: dict[str, str] = {}
    for path in [DATA / f"{section}.yaml", *sorted(DATA.glob(f"{section}_*.yaml"))]:
        content = read_data(path.stem)
        part = build_records(kind, keyed(content.get(section) or {}), path.name, content.get("as_of"))
        for key in part:
            if home.setdefault(key, path.name) != path.name:
                message = f"'{key}' stands in {home[key]} and in {path.name}"
                raise CatalogError.of("catalog-record", message, "keep one of them", Place(file=path.name, path=key))
        merged |= part
    return MappingProxyType(merged)


class Catalog:
    """The facts by id. Each attribute reads its file when it is first asked for."""

    @cached_property
    def accelerators(self) -> Mapping[str, AcceleratorRecord]:
        return _section("accelerators", "accelerators", AcceleratorRecord)

    @cached_property
    def servers(self) -> Mapping[str, ServerRecord]:
        return _section("servers", "servers", ServerRecord)

    @cached_property
    def node_classes(self) -> Mapping[str, NodeClassRecord]:
        return _section("node_classes", "node_classes", NodeClassRecord)

    @cached_property
    def models(self) -> Mapping[str, ModelRecord]:
        return _section("models", "models", ModelRecord)

    @cached_property
    def rents(self) -> Mapping[str, RentRecord]:
        return build_records(RentRecord, self._prices["rents"], "prices.yaml", self._prices["as_of"])

    @cached_property
    def exchange_rates(self) -> Mapping[str, ExchangeRateRecord]:
        return build_records(ExchangeRateRecord, self._prices["exchange_rates"], "prices.yaml", self._prices["as_of"])

    @cached_property
    def components(self) -> Mapping[str, ComponentRecord]:
        return _section("component_prices", "components", ComponentRecord)

    @cached_property
    def component_lines(self) -> Mapping[str, ComponentLineRecord]:
        return _keyed_files("component_lines", ComponentLineRecord)

    @cached_property
    def site(self) -> Mapping[str, SiteRecord]:
        return MappingProxyType({name: record for part in self.site_sections.values() for name, record in part.items()})

    @cached_property
    def site_sections(self) -> Mapping[str, Mapping[str, SiteRecord]]:
        """The records of the site by section: pue, system_power, electricity_price, co2_intensity, ..."""
        content = read_data("power_and_site")
        return MappingProxyType(
            {
                section: build_records(kind, content[section], "power_and_site.yaml", content["as_of"])
                for section, kind in SITE_SECTIONS.items()
            }
        )

    @cached_property
    def tokenizers(self) -> Mapping[str, TokenizerRecord]:
        return _section("tokenization", "tokenizers", TokenizerRecord)

    @cached_property
    def token_densities(self) -> Mapping[str, TokenDensityRecord]:
        return _section("tokenization", "defaults", TokenDensityRecord)

    @cached_property
    def published_token_ratios(self) -> Mapping[str, PublishedRatioRecord]:
        return _section("tokenization", "published_ratios", PublishedRatioRecord)

    @cached_property
    def utilizations(self) -> Mapping[str, UtilizationRecord]:
        return _section("planning_utilization", "utilizations", UtilizationRecord)

    @cached_property
    def precision_factors(self) -> Mapping[str, PrecisionFactorRecord]:
        return _section("planning_utilization", "precision_factors", PrecisionFactorRecord)

    @cached_property
    def constants(self) -> Mapping[str, ConstantRecord]:
        return _keyed_files("constants", ConstantRecord)

    @cached_property
    def inputs(self) -> Mapping[str, InputRecord]:
        return _keyed_files("inputs", InputRecord)

    @cached_property
    def sources(self) -> Mapping[str, SourceRecord]:
        return _keyed_files("sources", SourceRecord)

    @cached_property
    def accelerator_aliases(self) -> Mapping[str, str]:
        """Other names of accelerators, folded, -> id."""
        rows = read_data("aliases")["accelerators"]
        return MappingProxyType({names.fold(alias): key for key, aliases in rows.items() for alias in aliases})

    @cached_property
    def _prices(self):
        content = read_data("prices")
        if not isinstance(content.get("rents"), list):
            raise CatalogError.of("catalog-record", "prices.yaml: rents must be a list", "", Place(file="prices.yaml"))
        return content

    def find(self, kind: str, name: str, place: Place | None = None) -> Record:
        """The record of a name or alias, in any case. `kind` is accelerator, model, server, tokenizer, source, ...

        Raises ScenarioError with the nearest known names.
        """
        return names.find(self, kind, name, place)


@lru_cache(maxsize=1)
def load_catalog() -> Catalog:
    """The shipped catalog. Files are read and checked on first use; raises CatalogError then."""
    return Catalog()
