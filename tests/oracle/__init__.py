"""Slow, obviously right definitions of what is no single tree, or not yet in `treewright.reference`: ensembles,
boosting, SHAP values, neighbours, linear models, networks, rpart's own ways. The fast engine is compared with them.

Plain Python, no speed, no cleverness. The tree algorithms are defined in `treewright.reference`, which lessons print.
"""
