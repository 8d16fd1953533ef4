"""A small writer of ONNX graphs: constants and nodes get names, and a node hands back the name of what it gives."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError


def onnx_package() -> Any:
    """Give the package onnx, or say how to get it."""
    try:
        import onnx
    except ImportError:
        raise DataError(
            "An ONNX file is written with the package onnx, which is not installed. pip install 'treewright[onnx]'."
        ) from None
    return onnx


class Graph:
    """The nodes and constants of a graph under names that no column can have.

    Examples
    --------
    >>> graph = Graph("inner/")
    >>> graph.constant(np.array([1.5])), graph.constant(np.array([1.5])), graph.constant(np.array([2.5]))
    ('inner/c0', 'inner/c0', 'inner/c1')
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.nodes: list[Any] = []
        self.constants: dict[str, NDArray[Any]] = {}
        self._known: dict[tuple[Any, ...], str] = {}
        self.inputs: list[tuple[str, bool]] = []  # name, and whether it holds text
        self.outputs: list[tuple[str, str, int | None]] = []  # name, what it holds, width
        self.uses_ml = False

    def constant(self, array: NDArray[Any]) -> str:
        """Name a constant; an equal one has the same name."""
        key = (array.dtype.str, array.shape, repr(array.tolist()) if array.dtype == object else array.tobytes())
        if key not in self._known:
            self._known[key] = f"{self.prefix}c{len(self.constants)}"
            self.constants[self._known[key]] = array
        return self._known[key]

    def number(self, value: float) -> str:
        """Name a double."""
        return self.constant(np.array(value, dtype=np.float64))

    def whole(self, *values: int) -> str:
        """Name a list of whole numbers."""
        return self.constant(np.array(values, dtype=np.int64))

    def put(self, operator: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add a node and name what it gives."""
        name = f"{self.prefix}{operator}{len(self.nodes)}"
        self.put_as(operator, inputs, [name], domain, **attributes)
        return name

    def put_as(self, operator: str, inputs: Any, outputs: list[str], domain: str = "", **attributes: Any) -> None:
        """Add a node whose outputs have given names."""
        made = onnx_package().helper.make_node(operator, list(inputs), outputs, domain=domain, **attributes)
        self.uses_ml = self.uses_ml or bool(domain)
        self.nodes.append(made)

    def tensors(self) -> list[Any]:
        """The constants as ONNX has them."""
        return [tensor(array, name) for name, array in self.constants.items()]


def tensor(array: NDArray[Any], name: str = "") -> Any:
    """Give an array as a tensor of ONNX; texts in UTF-8."""
    onnx = onnx_package()
    if array.dtype == object:
        texts = [text.encode("utf-8") for text in array.ravel().tolist()]
        return onnx.helper.make_tensor(name, onnx.TensorProto.STRING, array.shape, texts)
    return onnx.numpy_helper.from_array(np.asarray(array, order="C"), name)
