"""Every word that a reader sees, by key, in one language. A missing key is an error that names it."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from string import Formatter
from types import MappingProxyType

from reportgen.catalog.names import suggestions
from reportgen.catalog.yaml_data import read_yaml
from reportgen.errors import CatalogError, Place, UsageError

FOLDER = Path(__file__).parent / "wording"


class Wording:
    """The words of one language: a frozen mapping key -> text, with the names of the files they come from."""

    def __init__(self, language: str, texts: dict[str, str], files: dict[str, str]):
        self.language = language
        self.texts = MappingProxyType(texts)
        self.files = MappingProxyType(files)

    def has(self, key: str) -> bool:
        """Whether the language has words for a key."""
        return key in self.texts

    def label(self, key: str) -> str:
        """The words of a key as they stand. Raises CatalogError when there are none."""
        try:
            return self.texts[key]
        except KeyError:
            raise self._missing(key) from None

    def symbol(self, key: str, default: str = "") -> str:
        """The words under `symbol.<key>`, for symbols that differ by language; else the default."""
        return self.texts.get(f"symbol.{key}", default)

    def source_title(self, key: str, title: str) -> str:
        """The title of a source of our own in this language; others keep the title they were published under."""
        return self.texts.get(f"source_title_{key}", title)

    def form(self, key: str, count: float) -> str:
        """The key of the singular, `<key>_one`, for one thing where the language has it; else the key itself."""
        return f"{key}_one" if count == 1 and f"{key}_one" in self.texts else key

    def value(self, key: str, value: str) -> str:
        """A value that is a word of the scenario, such as the term of a rental or a method; other texts as they stand."""
        names = (f"{key}_{value}", f"memo_word_of_{key}_{value.replace('-', '_')}")
        return next((self.texts[name] for name in names if name in self.texts), value)

    def text(self, key: str, **values: object) -> str:
        """The sentence of a key, its {placeholders} filled by name. Raises CatalogError for a missing key or value."""
        sentence = self.label(key)
        try:
            return sentence.format(**values)
        except (KeyError, IndexError, ValueError) as error:
            raise CatalogError.of(
                "wording-placeholder",
                f"wording '{key}' ({self.language}) cannot be filled: {error!r}",
                f"it needs {', '.join(sorted(placeholders(sentence))) or 'no values'}",
                Place(file=self.files[key]),
            ) from error

    def _missing(self, key: str) -> CatalogError:
        near = suggestions(key, self.texts, limit=1)
        hint = f"; the nearest key is '{near[0]}'" if near else ""
        return CatalogError.of(
            "wording-key",
            f"no wording for '{key}' in language '{self.language}'",
            f"add the key to a file of wording/{self.language}{hint}",
            Place(file=str(FOLDER / self.language)),
            near,
        )


def languages() -> tuple[str, ...]:
    """The languages that are shipped, sorted."""
    return tuple(sorted(folder.name for folder in FOLDER.iterdir() if folder.is_dir() and any(folder.glob("*.yaml"))))


@lru_cache
def wording(language: str) -> Wording:
    """All words of a language, from every file of its folder.

    Raises UsageError for a language that is not shipped, CatalogError when a key occurs twice or a value is not text.
    """
    if language not in languages():
        raise UsageError.of(
            "unknown-language",
            f"unknown language '{language}'",
            f"choose one of: {', '.join(languages())}",
            candidates=languages(),
        )
    texts: dict[str, str] = {}
    files: dict[str, str] = {}
    for path in sorted((FOLDER / language).glob("*.yaml")):
        for key, value in (read_yaml(path) or {}).items():
            _check(path, language, key, value, files)
            texts[key] = str(value)
            files[key] = str(path)
    return Wording(language, texts, files)


def _check(path: Path, language: str, key: object, value: object, files: dict[str, str]) -> None:
    where = Place(file=str(path), path=str(key))
    if not isinstance(key, str) or isinstance(value, (dict, list)) or value is None:
        raise CatalogError.of(
            "wording-value",
            f"{path.name} ({language}): '{key}' must be one line 'key: text'",
            "write the text in quotes",
            where,
        )
    if key in files:
        raise CatalogError.of(
            "wording-twice",
            f"wording '{key}' ({language}) stands in {Path(files[key]).name} and in {path.name}",
            "keep one of them",
            where,
        )


def placeholders(sentence: str) -> frozenset[str]:
    """The names of the {placeholders} of a sentence."""
    names = (field for _, field, _, _ in Formatter().parse(sentence) if field is not None)
    return frozenset(re.split(r"[.\[]", name)[0] for name in names)
