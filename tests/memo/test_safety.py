"""Nothing is fetched, nothing is executed, and what is missing is said in a sentence."""

import shutil

import pytest

from reportgen.errors import OutputError
from reportgen.memo import render
from reportgen.memo.environment import find_templates
from reportgen.memo.render import render_html, render_pdf
from tests.memo.pages import DATE
from tests.memo.training_demo import training_memo

HOSTILE = "<script>alert(1)</script> {{ 7*7 }} {% raw %} <img src=file:///etc/hostname> & \"'> **a** </title> \u202eabc"


def hostile_memo():
    """A memo whose texts are attacks."""
    from dataclasses import replace

    base = training_memo("en")
    head = tuple(replace(item, value=HOSTILE) for item in base.document.head)
    chart = base.size.figures[0].chart
    rows = tuple(replace(row, label=HOSTILE) for row in chart.rows)
    figure = replace(base.size.figures[0], chart=replace(chart, rows=rows, alt=HOSTILE))
    return replace(
        base,
        document=replace(base.document, title=HOSTILE, subject=HOSTILE, short=HOSTILE, identity=HOSTILE, head=head),
        why=(HOSTILE,),
        size=replace(base.size, figures=(figure,)),
    )


def templates_with(tmp_path, markup: str):
    """A copy of the templates whose first page holds this markup."""
    folder = tmp_path / "templates"
    shutil.copytree(find_templates(), folder)
    memo = folder / "memo.html.j2"
    memo.write_text(memo.read_text(encoding="utf-8").replace("<body>", f"<body>{markup}"), encoding="utf-8")
    return folder


def test_text_of_a_scenario_is_only_text():
    html = render_html(hostile_memo(), "en", DATE)
    assert (
        "<script>alert" not in html
        and "<img" not in html
        and "{{ 7*7 }}" in html
        and "49" not in html.split("7*7")[1][:9]
    )
    assert "\u202e" not in html
    assert render_pdf(hostile_memo(), "en", (), DATE).startswith(b"%PDF")


@pytest.mark.parametrize(
    "markup",
    [
        '<img src="file:///etc/hostname" alt="x">',
        '<img src="http://127.0.0.1:9/x.png" alt="x">',
        '<link rel="stylesheet" href="http://127.0.0.1:9/x.css">',
        '<style>@import url("file:///etc/hostname");</style>',
        '<a rel="attachment" href="file:///etc/hostname">x</a>',
        '<img src="asset:../render.py" alt="x">',
        '<img src="data:image/png;base64,AAAA" alt="x">',
    ],
)
def test_templates_reach_no_file_and_no_address(tmp_path, markup):
    with pytest.raises(OutputError, match="outside"):
        render_pdf(training_memo("en"), "en", (), DATE, templates_dir=templates_with(tmp_path, markup))


@pytest.mark.parametrize(
    "markup", ["{{ c.__class__ }}", "{{ ''.__class__.__mro__ }}", "{{ nothing_here }}", "{% for %}"]
)
def test_templates_are_sandboxed_and_strict(tmp_path, markup):
    with pytest.raises(OutputError) as caught:
        render_html(training_memo("en"), "en", DATE, templates_dir=templates_with(tmp_path, markup))
    assert caught.value.problems[0].code == "template"


def test_a_folder_without_templates_is_an_error(tmp_path):
    with pytest.raises(OutputError, match=r"no memo\.html\.j2"):
        render_html(training_memo("en"), "en", DATE, templates_dir=tmp_path)


@pytest.mark.parametrize(
    ("failure", "fix"),
    [
        (OSError("cannot load library 'libpango-1.0-0'"), "apt-get install"),
        (ModuleNotFoundError("No module"), "pip install"),
    ],
)
def test_a_machine_without_pango_gets_a_command(monkeypatch, failure, fix):
    import builtins

    real = builtins.__import__

    def failing(name, *args, **kwargs):
        if name == "weasyprint":
            raise failure
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", failing)
    render._engine.cache_clear()
    try:
        with pytest.raises(OutputError) as caught:
            render_pdf(training_memo("en"), "en", (), DATE)
    finally:
        render._engine.cache_clear()
    assert fix in caught.value.problems[0].fix
