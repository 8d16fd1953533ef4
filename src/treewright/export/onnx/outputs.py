"""The outputs of an ONNX model, and the file: names that no column has, classes as they are, answers."""

from __future__ import annotations

import numpy as np

from treewright.export.code.head import head_lines
from treewright.export.formula import Formula
from treewright.export.onnx.graph import Graph, onnx_package
from treewright.export.program import Program

OPSET, ML_OPSET, IR_VERSION = 18, 5, 10
Exported = Program | Formula


def model_bytes(graph: Graph, program: Exported) -> bytes:
    """Give the file of a graph."""
    onnx = onnx_package()
    helper, kinds = onnx.helper, onnx.TensorProto
    inputs = [
        helper.make_tensor_value_info(name, kinds.STRING if is_text else kinds.DOUBLE, ["rows", 1])
        for name, is_text in graph.inputs
    ]
    outputs = [
        helper.make_tensor_value_info(name, getattr(kinds, holds), ["rows"] if width is None else ["rows", width])
        for name, holds, width in graph.outputs
    ]
    made = helper.make_graph(
        graph.nodes, "treewright", inputs, outputs, graph.tensors(), doc_string="\n".join(head_lines(program))
    )
    sets = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
    model = helper.make_model(made, opset_imports=sets, ir_version=IR_VERSION, producer_name="treewright")
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString(deterministic=True))


def free_name(name: str, program: Exported) -> str:
    """Give a name with which no column begins."""
    while any(program.columns[place].name.startswith(name) for place in program.used):
        name = "_" + name
    return name


def put_label(graph: Graph, program: Exported, numbers: str) -> None:
    """Add the classes, out of their numbers."""
    labels = program.labels or []
    if all(isinstance(label, str) for label in labels):
        holds, values = "STRING", np.array(labels, dtype=object)
    elif all(isinstance(label, bool) for label in labels):
        holds, values = "BOOL", np.array(labels)
    elif all(isinstance(label, int) for label in labels):
        holds, values = "INT64", np.array(labels, np.int64)
    else:
        holds, values = "DOUBLE", np.array(labels, np.float64)
    put_output(graph, program, "label", (holds, None), "Gather", graph.constant(values), numbers)


def put_answers(graph: Graph, program: Exported, answers: str) -> None:
    """Add the probabilities, or the prediction."""
    if program.labels is None:
        put_output(graph, program, "prediction", ("DOUBLE", None), "Squeeze", answers, graph.whole(1))
    else:
        put_output(graph, program, "probabilities", ("DOUBLE", program.n_answers), "Identity", answers)


def put_output(
    graph: Graph, program: Exported, name: str, holds: tuple[str, int | None], operator: str, *inputs: str
) -> None:
    """Name an output; one that has the name of a column gets a line under it."""
    while any(program.columns[place].name == name for place in program.used):
        name += "_"
    graph.put_as(operator, inputs, [name])
    graph.outputs.append((name, *holds))
