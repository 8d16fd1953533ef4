"""The models of a PMML document: a tree, or trees that are averaged or added up, with a link behind them."""

from __future__ import annotations

from dataclasses import replace
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from treewright.export.pmml.predicates import child_predicates, value_text
from treewright.export.program import NodeTable, Program

_LINKS = {"logistic": "logit", "softmax": "softmax", "exp": "exp"}


def target_name(program: Program) -> str:
    """The name of what is predicted; never that of a column."""
    name = program.target or "target"
    while any(program.columns[place].name == name for place in program.used):
        name += "_"
    return name


def add_model(root: Element, program: Program) -> Element:
    """Add the model that answers."""
    function = "regression" if program.labels is None else "classification"
    if program.link == "node":
        model = _add_tree(root, program, program.trees[0], function, has_target=True)
        _insert_output(model, program, with_node=True)
        return model
    model = SubElement(root, "MiningModel", functionName=function)
    mining_schema_of(model, program, has_target=True)
    if program.link in _LINKS:
        _add_chain(model, program, function)
    else:
        _insert_output(model, program)
        how = "average" if program.link == "mean" else "sum"
        _add_segments(model, program, _started(program, 0), how, function, has_target=True)
    return model


def mining_schema_of(model: Element, program: Program, has_target: bool) -> None:
    """Name the columns that a model reads; a level that nobody knows counts as missing."""
    schema = SubElement(model, "MiningSchema")
    if has_target:
        SubElement(schema, "MiningField", name=target_name(program), usageType="target")
    for place in program.used:
        treatment = "asIs" if program.columns[place].kind == "numeric" else "asMissing"
        SubElement(schema, "MiningField", name=program.columns[place].name, invalidValueTreatment=treatment)


def _insert_output(model: Element, program: Program, with_node: bool = False) -> None:
    output = Element("Output")
    for label in program.labels or ():
        name = f"probability({value_text(label)})"
        how = {"optype": "continuous", "dataType": "double", "feature": "probability", "value": value_text(label)}
        SubElement(output, "OutputField", how, name=name)
    if with_node:
        SubElement(output, "OutputField", name="node", optype="categorical", dataType="string", feature="entityId")
    if len(output):
        model.insert(1, output)


# ---------------------------------------------------------------- trees


def _add_tree(parent: Element, program: Program, tree: NodeTable, function: str, has_target: bool) -> Element:
    how = {"missingValueStrategy": "none", "noTrueChildStrategy": "returnLastPrediction"}
    model = SubElement(parent, "TreeModel", how, functionName=function, splitCharacteristic="multiSplit")
    mining_schema_of(model, program, has_target)
    root = SubElement(model, "Node", id="0")
    root.append(Element("True"))
    waiting = [(0, root)]
    while waiting:
        node, element = waiting.pop()
        _add_score(element, program, tree, node, function)
        for child, predicate in child_predicates(program, tree, node).items():
            below = SubElement(element, "Node", id=str(child))
            below.append(predicate)
            waiting.append((child, below))
    return model


def _add_score(element: Element, program: Program, tree: NodeTable, node: int, function: str) -> None:
    answers = tree.answers[node].tolist()
    if len(tree.known):
        element.set("recordCount", repr(float(tree.known["weight"][node])))
    if function == "regression":
        element.set("score", repr(answers[0]))
        return
    labels = program.labels or []
    said = int(tree.labels[node]) if tree.labels is not None else int(np.argmax(answers))
    element.set("score", value_text(labels[said]))
    weight = float(tree.known["weight"][node])
    for label, answer in zip(labels, answers, strict=True):
        count = {"recordCount": repr(weight * answer), "probability": repr(answer)}
        SubElement(element, "ScoreDistribution", count, value=value_text(label))


# ---------------------------------------------------------------- many trees


def _started(program: Program, output: int) -> list[NodeTable]:
    """The trees that add to an output; the first of them has what the sum starts from."""
    trees = program.trees[output :: program.n_outputs] if program.trees[0].answers.shape[1] == 1 else program.trees
    first = replace(trees[0], answers=trees[0].answers + program.start[output])
    return [first, *trees[1:]]


def _add_segments(
    model: Element, program: Program, trees: list[NodeTable], how: str, function: str, has_target: bool
) -> None:
    segmentation = SubElement(model, "Segmentation", multipleModelMethod=how)
    for number, tree in enumerate(trees):
        segment = SubElement(segmentation, "Segment", id=str(number + 1))
        segment.append(Element("True"))
        _add_tree(segment, program, tree, function, has_target)


def _add_chain(model: Element, program: Program, function: str) -> None:
    """First the sums, each a model with an output, then a regression that has the link."""
    chain = SubElement(model, "Segmentation", multipleModelMethod="modelChain")
    names = [f"sum {output}" for output in range(program.n_outputs)]
    for output, name in enumerate(names):
        segment = SubElement(chain, "Segment", id=str(output + 1))
        segment.append(Element("True"))
        part = SubElement(segment, "MiningModel", functionName="regression")
        mining_schema_of(part, program, has_target=False)
        told = SubElement(part, "Output")
        SubElement(told, "OutputField", name=name, optype="continuous", dataType="double", feature="predictedValue")
        _add_segments(part, program, _started(program, output), "sum", "regression", has_target=False)
    segment = SubElement(chain, "Segment", id=str(len(names) + 1))
    segment.append(Element("True"))
    _add_link(segment, program, names, function)


def _add_link(segment: Element, program: Program, names: list[str], function: str) -> None:
    how = _LINKS[program.link]
    model = SubElement(segment, "RegressionModel", functionName=function, normalizationMethod=how)
    schema = SubElement(model, "MiningSchema")
    SubElement(schema, "MiningField", name=target_name(program), usageType="target")
    for name in names:
        SubElement(schema, "MiningField", name=name)
    if program.link == "exp":
        _add_table(model, None, names[0])
    elif program.link == "logistic":
        first, second = program.labels or (None, None)
        _add_table(model, second, names[0])
        _add_table(model, first, None)
    else:
        for label, name in zip(program.labels or (), names, strict=True):
            _add_table(model, label, name)
    # Told by the last model of the chain: where classes are numbers, readers look for 0 in the chain and find "0".
    _insert_output(model, program)


def _add_table(model: Element, label: object, name: str | None) -> None:
    table = SubElement(model, "RegressionTable", intercept="0")
    if label is not None:
        table.set("targetCategory", value_text(label))
    if name is not None:
        SubElement(table, "NumericPredictor", name=name, coefficient="1")
