"""The rules of a node as predicates of its children.

A child is entered where one of its rules holds and the rules before it failed. In PMML a predicate of a missing value
is neither true nor false, so "failed" says so: the value is missing, or it is a level that the node never saw.
"""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement

from treewright.export.program import ABOVE, BELOW, KNOWN, MEMBER, NodeTable, Program

_PLAIN = re.compile(r"[\w .,:;+()/%=&'\-]*")  # what stands in an array without doubts


def child_predicates(program: Program, tree: NodeTable, node: int) -> dict[int, Element]:
    """Give the predicate of every child of a node, in the order in which they are asked."""
    ways: dict[int, list[list[Element]]] = {}
    failed: list[Element] = []  # what is known where the rules so far did not hold
    for number, rule in enumerate(rules := list(tree.rules(node))):
        ways.setdefault(tree.rule_child[rule], []).append([*failed, _test(program, tree, rule)])
        following = rules[number + 1] if number + 1 < len(rules) else None
        if following is None or not _same_test(tree, rule, following):
            failed.append(_failure(program, tree, node, rule))
    if tree.fallback[node] >= 0:
        ways.setdefault(tree.fallback[node], []).append(failed)
    return {child: _any_of([_all_of(way) for way in of_child]) for child, of_child in ways.items()}


def _same_test(tree: NodeTable, rule: int, following: int) -> bool:
    """Whether two rules ask for the same value: what fails is then told behind the last of them."""
    return tree.rule_column[rule] == tree.rule_column[following]


def _test(program: Program, tree: NodeTable, rule: int) -> Element:
    column, kind, number = tree.rule_column[rule], tree.rule_kind[rule], tree.rule_number[rule]
    name = program.columns[column].name
    if kind == KNOWN:
        return _simple(name, "isNotMissing")
    if program.columns[column].kind == "numeric":
        return _simple(name, "lessOrEqual" if kind == BELOW else "greaterThan", repr(number + 0.0))
    return _one_of(program, column, _codes(program, tree, rule), "isIn")


def _codes(program: Program, tree: NodeTable, rule: int) -> list[int]:
    column, kind, number = tree.rule_column[rule], tree.rule_kind[rule], tree.rule_number[rule]
    if kind == MEMBER:
        return list(tree.sets[int(number)])
    codes = range(1, len(program.columns[column].levels) + 1)
    return [code for code in codes if (code <= number if kind == BELOW else code > number)]


def _failure(program: Program, tree: NodeTable, node: int, rule: int) -> Element:
    """That no rule of this column could be asked: no value, above all bounds, or a level of none of its sets."""
    column = tree.rule_column[rule]
    alike = [other for other in tree.rules(node) if tree.rule_column[other] == column and other <= rule]
    missing = _simple(program.columns[column].name, "isMissing")
    if program.columns[column].kind == "numeric":
        bounds = [tree.rule_number[other] for other in alike if tree.rule_kind[other] == BELOW]
        closed = any(tree.rule_kind[other] in (ABOVE, KNOWN) for other in alike)
        if closed or not bounds:
            return missing
        return _any_of([_simple(program.columns[column].name, "greaterThan", repr(max(bounds) + 0.0)), missing])
    if any(tree.rule_kind[other] == KNOWN for other in alike):
        return missing
    seen = sorted({code for other in alike for code in _codes(program, tree, other)})
    if len(seen) == len(program.columns[column].levels):
        return missing
    return _any_of([_one_of(program, column, seen, "isNotIn"), missing])


def _simple(name: str, operator: str, value: str | None = None) -> Element:
    found = Element("SimplePredicate", field=name, operator=operator)
    if value is not None:
        found.set("value", value)
    return found


def _one_of(program: Program, column: int, codes: list[int], operator: str) -> Element:
    """A set of levels; names that could be misread in an array are compared one by one."""
    name, levels = program.columns[column].name, [program.columns[column].levels[code - 1] for code in codes]
    texts = [value_text(level) for level in levels]
    if not texts:
        return Element("False" if operator == "isIn" else "True")
    if len(texts) == 1 or not all(_PLAIN.fullmatch(text) and text for text in texts):
        single = "equal" if operator == "isIn" else "notEqual"
        parts = [_simple(name, single, text) for text in texts]
        return _any_of(parts) if operator == "isIn" else _all_of(parts)
    found = Element("SimpleSetPredicate", field=name, booleanOperator=operator)
    is_text = any(isinstance(level, str) for level in levels)
    kind = "string" if is_text or isinstance(levels[0], bool) else "int" if isinstance(levels[0], int) else "real"
    array = SubElement(found, "Array", type=kind, n=str(len(texts)))
    array.text = " ".join(f'"{text}"' if kind == "string" else text for text in texts)
    return found


def value_text(value: object) -> str:
    """Write a level as PMML does.

    >>> value_text("a"), value_text(True), value_text(2), value_text(0.1)
    ('a', 'true', '2', '0.1')
    """
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else repr(value)


def _any_of(parts: list[Element]) -> Element:
    return _compound("or", parts)


def _all_of(parts: list[Element]) -> Element:
    return _compound("and", parts) if parts else Element("True")


def _compound(operator: str, parts: list[Element]) -> Element:
    if len(parts) == 1:
        return parts[0]
    found = Element("CompoundPredicate", booleanOperator=operator)
    found.extend(parts)
    return found
