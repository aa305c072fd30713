"""Formulas as atoms: scripts, fractions, units, and no character lost."""

import pytest

from reportgen.memo.mathematics import typeset


def written(node) -> str:
    """The atoms of a formula on one line."""

    def line(atoms) -> str:
        found = ""
        for atom in atoms:
            if atom["kind"] == "frac":
                found += f"<{line(atom['above'])}|{line(atom['below'])}>"
            elif atom["kind"] == "gap":
                found += " "
            else:
                body = atom["body"]
                found += body if isinstance(body, str) else line(body)
            found += f"_{{{line(atom['sub'])}}}" if "sub" in atom else ""
            found += f"^{{{line(atom['sup'])}}}" if "sup" in atom else ""
        return found

    return " / ".join(line(piece["atoms"]) for piece in typeset(node))


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ("C = 6 P D_x", "C / =6PD_{x}"),
        ("70.6×10^9", "70.6×10^{9}"),
        ("10^−3", "10^{−3}"),
        ("x^-2", "x^{−2}"),
        (["T =", {"frac": ["W", "86,400 ~ S"]}, "=", {"result": "9.90 [days]"}], "T / =<W|86,400 S> / =9.90days"),
        (["e^", "(", "−", "x", ")", " if ", "a"], "e^{−x} if a"),
        (["M_opt", " × ", "row(", "x", ")", "[", "3", "]"], "M_{opt}×row(x)[3]"),
        ("T_p^2 (1 + c^2)", "T_{p}^{2}(1+c^{2})"),
        ("T_{p,max}", "T_{p,max}"),
        ("k_a_b", "k_{a,b}"),
        ("7.41 → 8 [and 4 for a lost node]", "7.41 / →8and 4 for a lost node"),
        ([{"frac": [["N", " × ", "b"], ["d"]]}], "<N×b|d>"),
        ("√(a + b)", "√(a+b)"),
        ({"root": "a + b"}, "a+b"),
        ("= 4 [个副本]", "=4个副本"),
        ("^ _ x_", "^_{x}_"),
        ("", ""),
        ([], ""),
        (["N = ", 8], "N / =8"),
    ],
)
def test_typeset(node, expected):
    assert written(node) == expected


def test_what_the_formula_language_writes_can_be_typeset():
    from reportgen.formula.as_math import mathematics
    from reportgen.formula.expression import Symbol

    tree = (Symbol("a") + Symbol("b") ** 2) / Symbol("c")
    atoms = mathematics(tree, lambda key: {"a": "M_opt", "b": "h", "c": "N_GPU"}[key]).atoms
    assert written(atoms) == "<M_{opt}+h^{2}|N_{GPU}>"


def test_a_long_piece_may_break_inside():
    pieces = typeset("T = " + " + ".join(f"T_part{index}" for index in range(20)))
    assert [piece["long"] for piece in pieces] == [False, True]


@pytest.mark.parametrize("text", ["%", "((", "]]", "[", "a_", "^^", "😀 = 3", "x = 'y'", "a…b", "１２"])
def test_odd_texts_keep_every_character(text):
    assert written(text).replace(" ", "").replace("/", "").replace("{", "").replace("}", "").count(text[0]) >= 1
