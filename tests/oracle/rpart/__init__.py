"""CART as rpart does it, in slow and plain Python: what the fast engine and rpart's own answers are compared with.

Read in this order: `lesson` (the rows), `classes`, `means` and `rates` (what a set of rows is worth, its answer and
its risk), `primary` (the best cut of a column), `surrogate` (the cut of another column that agrees most with it),
`grow` (choose, divide, go on), `price` (cut back, cp table, cross-validated error), `importance`.
Sums of weights are whole numbers and scores have 40 digits, so what is equal on paper is equal here.
"""
