"""A description for people: text, Markdown, or a page with small pictures of released numbers."""

from __future__ import annotations

from html import escape
from textwrap import wrap

from leastnoise.record.description import Description
from leastnoise.record.description_facts import promises, sections

_LINE_OF_TEXT = 100
_STYLE = (
    "body{font:16px/1.45 system-ui,sans-serif;max-width:60rem;margin:1rem auto;padding:0 1rem;"
    "color:#111;background:#fff}table{border-collapse:collapse;width:100%;table-layout:fixed}"
    "td,th{text-align:left;vertical-align:top;padding:.2rem .8rem .2rem 0;"
    "border-bottom:1px solid #ddd;overflow-wrap:anywhere}th{width:20%;white-space:pre-wrap}"
    "td.n{width:26%;font-variant-numeric:tabular-nums}td.p{width:190px}"
    ".sure{color:#444}h2{font-size:1.15rem;margin:1.6rem 0 .3rem}.hint{font-weight:600}"
)


def _clean(value: str) -> str:
    """Text without characters that a terminal would obey."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in value)


def text(description: Description) -> str:
    """For a terminal."""
    found = sections(description)
    every = [line for one in found for line in one.lines]
    names = min(30, max(8, *(len(_clean(line.name)) for line in every)))
    values = min(32, max(len(_clean(line.value)) for line in every))
    lines = list[str]()
    for one in found:
        lines += ["", _clean(one.title)]
        lines += [
            f"  {_clean(x.name):<{names}}  {_clean(x.value):<{values}}  {_clean(x.sure)}".rstrip()
            for x in one.lines
        ]
        lines += _wrapped(one.hint, "  ") if one.hint else ()
    lines.append("")
    for name, value in promises(description):
        lines += _wrapped(f"{name}: {_clean(value)}", "")
    return "\n".join(lines[1:]) + "\n"


def _wrapped(value: str, indent: str) -> list[str]:
    return wrap(value, _LINE_OF_TEXT, initial_indent=indent, subsequent_indent="  ")


def markdown(description: Description) -> str:
    """Tables of Markdown."""

    def cell(value: str) -> str:
        plain = escape(_clean(value), quote=False)
        for sign in "\\`*_|[]":
            plain = plain.replace(sign, f"\\{sign}")
        return plain

    lines = ["# Description", ""]
    for one in sections(description):
        lines += [f"## {cell(one.title)}", "", "| fact | released | how sure |", "|---|---|---|"]
        lines += [f"| {cell(x.name)} | {cell(x.value)} | {cell(x.sure)} |" for x in one.lines]
        lines.append("")
        if one.hint:
            lines += [cell(one.hint), ""]
    lines += [f"- {name}: {cell(value)}" for name, value in promises(description)]
    return "\n".join(lines) + "\n"


def html(description: Description) -> str:
    """One page without a script."""
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        f"<title>Description</title><style>{_STYLE}</style></head><body><h1>Description</h1>",
    ]
    for one in sections(description):
        parts.append(f"<h2>{_written(one.title)}</h2><table><tbody>")
        parts += [
            f'<tr><th scope="row">{_written(x.name)}</th><td class="n">{_written(x.value)}</td>'
            f'<td class="p">{x.picture}</td><td class="sure">{_written(x.sure)}</td></tr>'
            for x in one.lines
        ]
        parts.append("</tbody></table>")
        if one.hint:
            parts.append(f'<p class="hint">{_written(one.hint)}</p>')
    parts.append("<h2>What is promised</h2><table><tbody>")
    parts += [
        f'<tr><th scope="row">{_written(name)}</th><td>{_written(value)}</td></tr>'
        for name, value in promises(description)
    ]
    parts.append("</tbody></table></body></html>\n")
    return "".join(parts)


def _written(value: str) -> str:
    return escape(_clean(value))
