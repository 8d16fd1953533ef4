"""A page as one HTML page that needs nothing else: no scripts, no fonts, no network."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from treewright.pages.blocks import Block, Drawing, Heading, Paragraph, Table, Verbatim, Working

_UNBROKEN = re.compile(r"(?<!\S)(--[a-z]+(-[a-z]+)*|[0-9]{4}-[0-9]{2}-[0-9]{2})|(?<![\w.-])[0-9.]+ %")
_LONG_WORD = re.compile(r"\w{25,}")  # may end a line inside, between the words that it is made of
_JOINT = re.compile(r"(?<=[^\W_]_)(?=[^\W_])|(?<=[a-z])(?=[A-Z])")
_WIDTH = re.compile(r'<svg[^>]* width="([0-9.]+)pt"')
_FITS_A_PHONE = 540  # points: a wider picture has letters that are not to be read there
_DEEPEST = 10  # steps that an entry is moved in by at most: beyond them there is no room for words

# There is nothing to load and nothing to run, and where a name slipped through, it could do neither.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2733; --quiet: #5b6875; --line: #d5dbe1; --paper: #fff; --mark: #e3f3e6;
  --link: #0b57d0; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ec; --quiet: #9aa7b3; --line: #3a444e; --paper: #14191e; --mark: #1f3d28; --link: #8ab4f8; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3, p, li, caption, figcaption { overflow-wrap: anywhere; } /* names may be long and without a space */
h1 { font-size: 1.6rem; line-height: 1.2; }
h2 { font-size: 1.2rem; margin-top: 2.2rem; padding-top: .6rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; }
.scroll { overflow-x: auto; margin: .8rem 0; /* a shade at the edge beyond which a table goes on */
  background: linear-gradient(90deg, var(--paper) 30%, transparent) 0 0 / 2.5rem 100% no-repeat local,
    linear-gradient(270deg, var(--paper) 30%, transparent) 100% 0 / 2.5rem 100% no-repeat local,
    linear-gradient(90deg, var(--line), transparent) 0 0 / .8rem 100% no-repeat,
    linear-gradient(270deg, var(--line), transparent) 100% 0 / .8rem 100% no-repeat; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--quiet); padding-bottom: .2rem; }
th, td { padding: .2rem .6rem; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--quiet); font-weight: 600; vertical-align: bottom; }
td { overflow-wrap: break-word; }
td:first-child { min-width: 5rem; }
td.n { white-space: nowrap; }
a { color: var(--link); }
.n { text-align: right; }
.whole { white-space: nowrap; }
tr.marked td { background: var(--mark); font-weight: 600; }
pre { overflow-x: auto; padding: .6rem .8rem; border: 1px solid var(--line); border-radius: .3rem; line-height: 1.4; }
.working { white-space: pre-wrap; }
figure { margin: 1rem 0; padding: .6rem; width: fit-content; max-width: 100%; box-sizing: border-box;
  border: 1px solid var(--line); border-radius: .3rem; overflow: auto; }
figure svg { max-width: 100%; height: auto; }
figcaption { color: var(--quiet); font-size: .9rem; position: sticky; left: 0; }
/* Pictures are drawn on white. In the dark their light is turned round and laid over the ground of the page. */
@media screen and (prefers-color-scheme: dark) {
  figure svg { filter: invert(1) hue-rotate(180deg); mix-blend-mode: screen; }
}
@media screen and (max-width: 40rem) {
  body { margin: 1rem auto; padding: 0 .7rem; }
  th, td { padding: .2rem .35rem; }
  table { font-size: .875rem; }
  td { max-width: 14rem; }
  th { white-space: nowrap; }
  td:first-child { min-width: 4rem; }
  table:has(th:nth-child(4)) { width: max-content; max-width: 66rem; } /* else columns beyond the edge make rows tall */
  figure { padding: .3rem; }
  figure.large svg { max-width: 38rem; } /* letters stay large enough to be read: the picture can be moved */
}
nav ol { columns: 18rem; padding-left: 0; list-style: none; }
nav li { break-inside: avoid; }
@media print { body { max-width: none; margin: 0; } h2 { break-after: avoid; } tr, figure { break-inside: avoid; } }
"""


def write_html(blocks: Iterable[Block], title: str) -> str:
    """Write the blocks as a page; names and values from the table are escaped.

    Examples
    --------
    >>> page = write_html([Heading(1, "a < b"), Paragraph("x & y")], "a < b")
    >>> "<h1>a &lt; b</h1>" in page, "<p>x &amp; y</p>" in page
    (True, True)
    >>> page = write_html([Heading(1, "Nodes"), Heading(2, "Node 7: a and b", "n7", entry="Node 7: b", depth=1)], "")
    >>> '<li style="padding-left: 0.8rem"><a href="#n7">Node 7: b</a></li>' in page
    True
    """
    written = list(blocks)
    body = "\n".join([_write(block) for block in written[:1]] + [_contents(written)] + [_write(b) for b in written[1:]])
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def write_fragment(blocks: Iterable[Block]) -> str:
    """Write the blocks without a page around them, for a notebook or a page of others.

    >>> write_fragment([Paragraph("a < b")])
    '<p>a &lt; b</p>'
    """
    return "\n".join(map(_write, blocks))


def _contents(blocks: list[Block]) -> str:
    linked = [block for block in blocks if isinstance(block, Heading) and block.anchor]
    items = "".join(
        f'<li{_moved_in(h.depth)}><a href="#{escape(h.anchor)}">{_words(h.entry or h.text)}</a></li>' for h in linked
    )
    return f'<nav aria-label="Contents"><ol>{items}</ol></nav>' if items else ""


def _moved_in(depth: int) -> str:
    return f' style="padding-left: {0.8 * min(depth, _DEEPEST):.1f}rem"' if depth else ""


def _write(block: Block) -> str:
    match block:
        case Heading(level, text, anchor):
            name = f' id="{escape(anchor)}"' if anchor else ""
            return f"<h{level}{name}>{_words(text)}</h{level}>"
        case Paragraph(text):
            return f"<p>{_cell(text)}</p>"
        case Working(lines):
            return f'<pre class="working">{escape(chr(10).join(lines))}</pre>'
        case Table():
            return _table(block)
        case Verbatim(text):
            return f"<pre>{escape(text)}</pre>"
        case Drawing(svg, words, _):
            told = f'role="img" aria-label="{escape(words)}"'
            return f"<figure{_size(svg)} {told}>{svg}<figcaption>{_words(words)}</figcaption></figure>"


def _size(svg: str) -> str:
    width = _WIDTH.search(svg)
    return ' class="large"' if width and float(width[1]) > _FITS_A_PHONE else ""


def _table(table: Table) -> str:
    caption = f"<caption>{_words(table.caption)}</caption>" if table.caption else ""
    head = "".join(f"<th{_class(table, j)}>{_cell(heading)}</th>" for j, heading in enumerate(table.headings))
    body = ""
    for place, row in enumerate(table.rows):
        mark = ' class="marked"' if place in table.marked else ""
        fields = "".join(f"<td{_class(table, j)}>{_cell(cell)}</td>" for j, cell in enumerate(row))
        body += f"<tr{mark}>{fields}</tr>\n"
    return f'<div class="scroll"><table>{caption}<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>'


def _cell(text: str) -> str:
    """Give a text in which no line ends inside an option, a date or before the sign of a percentage."""
    return _UNBROKEN.sub(r'<span class="whole">\g<0></span>', _words(text))


def _words(text: str) -> str:
    """Give a text in which a long name may end a line between the words that it is made of.

    >>> _words("a < days_since_last_contact_with_us")
    'a &lt; days_<wbr>since_<wbr>last_<wbr>contact_<wbr>with_<wbr>us'
    """
    return _LONG_WORD.sub(lambda word: _JOINT.sub("<wbr>", word[0]), escape(text))


def _class(table: Table, j: int) -> str:
    return ' class="n"' if j in table.numbers else ""
