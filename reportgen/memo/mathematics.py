"""Mathematics for the page: a tree of texts and fractions cut into typeset atoms.

An atom is a dict with `kind` (var, num, op, rel, par, word, unit, gap, frac, root, result) and its content, and
optional `sub` and `sup`, lists of atoms. The macro `math` draws them; it decides nothing.
"""

from __future__ import annotations

import re
from typing import Any

TOKEN = re.compile(
    r"(?P<gap>~)|(?P<space>\s+)|(?P<tie>×(?=10\^))|(?P<rel>[=≈≤≥<>→])|(?P<op>[·×÷+−/]|(?<![^\W\d_])-)|(?P<mark>[\^_])|(?P<par>[()|,\[\]{}])"
    r"|(?P<num>\d[\d,.]*(?:e[-−]?\d+)?%?)|(?P<var>[A-Za-zα-ωΑ-Ω](?![A-Za-zα-ω]))|(?P<word>[^\W\d_]+|.)",
    re.DOTALL,
)
UNIT = re.compile(r"(?:(?<=\s)|^)\[([^\]]*)\](?=\s|$|[≤≥=])")
OPEN, CLOSE = "({", ")}"


LONG = 64  # characters of a piece that may have to be broken inside


def typeset(node: Any) -> list[dict]:
    """The formula as pieces {"atoms", "long"}: lines break between pieces, before a relation, and inside long ones."""
    pieces: list[list[dict]] = [[]]
    for atom in _attached(_atoms(node)):
        starts = atom["kind"] == "rel" or (atom["kind"] == "result" and not pieces[-1])
        if starts and pieces[-1] and pieces[-1][-1]["kind"] != "rel":
            pieces.append([])
        pieces[-1].append(atom)
    return [{"atoms": piece, "long": _length(piece) > LONG} for piece in pieces if piece]


def _length(atoms: list[dict]) -> int:
    """About how many characters wide a row is."""
    length = 0
    for atom in atoms:
        if atom["kind"] == "frac":
            length += max(_length(atom["above"]), _length(atom["below"]))
        else:
            body = atom.get("body", "")
            length += len(body) if isinstance(body, str) else _length(body)
        length += _length(atom.get("sub", [])) + _length(atom.get("sup", []))
    return length


def _atoms(node: Any) -> list[dict]:
    """The tree as a flat row of atoms, marks for scripts still among them."""
    if isinstance(node, str):
        return _text_atoms(node)
    if isinstance(node, (list, tuple)):
        row: list[dict] = []
        for part in _joined(node):
            row += _atoms(part)
        return row
    if isinstance(node, dict) and len(node) == 1:
        (kind, content), *_ = node.items()
        if kind == "frac":
            above, below = (_attached(_atoms(part)) for part in content)
            return [{"kind": "frac", "above": above, "below": below}]
        if kind in ("result", "root"):
            return [{"kind": kind, "body": _attached(_atoms(content))}]
        if kind == "text":
            return [{"kind": "unit", "body": str(content)}]
    return _text_atoms(str(node))


def _joined(parts: list | tuple) -> list:
    """Neighbouring texts joined, so that "h", "^", "2" reads like "h^2"."""
    row: list = []
    for part in parts:
        if isinstance(part, (int, float)):
            part = str(part)
        if isinstance(part, str) and row and isinstance(row[-1], str):
            row[-1] += part
        else:
            row.append(part)
    return row


def _text_atoms(text: str) -> list[dict]:
    row, position = [], 0
    for match in UNIT.finditer(text):
        row += _plain_atoms(text[position : match.start()])
        row.append({"kind": "unit", "body": match[1]})
        position = match.end()
    return row + _plain_atoms(text[position:])


def _plain_atoms(text: str) -> list[dict]:
    row: list[dict] = []
    spaced = False
    for match in TOKEN.finditer(text):
        kind, body = match.lastgroup, match[0]
        if kind == "space":
            spaced = True
            continue
        if kind == "word" and not body[0].isalpha():
            kind = "par"
        words = kind == "word" or (row and row[-1]["kind"] == "word")
        scripted = len(row) > 1 and row[-2]["kind"] == "mark"
        if words and spaced and row and not scripted and {kind, row[-1]["kind"]}.isdisjoint(("rel", "op")):
            row.append({"kind": "gap", "wide": True})
        row.append({"kind": kind, "body": "−" if body == "-" else body})
        spaced = False
    if spaced and row and row[-1]["kind"] == "word":
        row.append({"kind": "gap", "wide": True})
    return row


def _attached(row: list[dict]) -> list[dict]:
    """The row with subscripts and superscripts hung on the atom before them."""
    found: list[dict] = []
    index = 0
    while index < len(row):
        atom = row[index]
        mark = atom["kind"] == "mark"
        if not mark or not found or index + 1 == len(row):
            found.append({"kind": "par", "body": atom["body"]} if mark else atom)
            index += 1
            continue
        script, index = _script(row, index + 1, atom["body"] == "^")
        place = "sup" if atom["body"] == "^" else "sub"
        earlier = found[-1].get(place, [])
        found[-1] = {**found[-1], place: [*earlier, *([{"kind": "par", "body": ","}] if earlier else []), *script]}
    return found


def _script(row: list[dict], start: int, power: bool) -> tuple[list[dict], int]:
    """What stands in a script: a bracket without its brackets, a sign with its number, else one atom."""
    first = row[start]
    if first["kind"] == "par" and first["body"] in OPEN:
        depth = 0
        for index in range(start, len(row)):
            body = row[index].get("body")
            depth += (row[index]["kind"] == "par") * ((body in OPEN) - (body in CLOSE) if isinstance(body, str) else 0)
            if not depth:
                return _attached(row[start + 1 : index]), index + 1
    end = start + 1
    signed = power and first["kind"] == "op"
    numbered = not power and first["kind"] != "num"
    if end < len(row) and (signed or (numbered and row[end]["kind"] == "num")):
        end += 1
    return [
        {**atom, "kind": "sub" if atom["kind"] in ("var", "word") else atom["kind"]} for atom in row[start:end]
    ], end


def spoken(node: Any) -> str:
    """The formula on one line of plain text, for readers that do not see it."""
    if isinstance(node, dict):
        if "frac" in node:
            above, below = (spoken(part) for part in node["frac"])
            return f"({above}) / ({below})"
        return " ".join(spoken(part) for part in node.values())
    if isinstance(node, (list, tuple)):
        return " ".join(spoken(part).strip() for part in node)
    return re.sub(r"\[([^\]]*)\]", r"\1", str(node)).replace("~", " ")
