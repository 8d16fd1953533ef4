"""How good is a model: cross-validation, scores on new rows, and how sure a number is.

Read in this order: `intervals` (how sure is a share), `scores` (one model on one table),
`cross_validation` (one recipe on folds of one table), `missing_comparison` (one recipe with every missing policy).
"""
