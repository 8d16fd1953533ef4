"""Model files: a header and arrays to bytes and back, checked whole before use and replaced in one step.

The format is described byte by byte in ``docs/model_file.md``. A model file holds JSON and numbers only, so
reading one never runs code. This folder knows no estimator: it carries a header (a dict of JSON values) and a
dict of numpy arrays.

>>> import numpy as np
>>> from treewright.save import from_bytes, to_bytes
>>> header, arrays = from_bytes(to_bytes({"kind": "stump"}, {"threshold": np.array([41.5, np.nan])}))
>>> header, arrays["threshold"].tolist()
({'kind': 'stump'}, [41.5, nan])
"""

from treewright.save.model_bytes import from_bytes, to_bytes
from treewright.save.model_file import read_model, write_model
from treewright.save.tree_header import check_tree_header, check_tree_tests

__all__ = ["check_tree_header", "check_tree_tests", "from_bytes", "read_model", "to_bytes", "write_model"]
