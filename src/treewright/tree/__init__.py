"""Trees to look at: nodes and their tests in words, and the whole tree as text, dict, JSON or data frame.

A stored tree is a handful of arrays that know neither names nor algorithms. A `Tree` puts the names back: which
column a node asks, which levels take which branch, which class a leaf predicts. It is the same view whatever
algorithm grew the tree, and nothing in it recurses, so the deepest tree prints.

>>> from treewright.tree import example_tree
>>> tree = example_tree()
>>> tree.root.test.text
'outlook: overcast | sunny, rain'
>>> [node.prediction for node in tree.root.children]
['yes', 'yes']
"""

from treewright.tree.example import example_tree
from treewright.tree.node import Node
from treewright.tree.test import Branch, NodeTest
from treewright.tree.tree import Tree

__all__ = ["Branch", "Node", "NodeTest", "Tree", "example_tree"]
