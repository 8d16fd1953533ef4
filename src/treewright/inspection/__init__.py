"""Looking into fitted models: why a row gets its answer, rules, the smallest change, importance, dependence, diffs.

Everything about one tree reads the stored tree, so it works for every algorithm; nothing recurses over the depth.
`importance`, `partial_dependence` and `surrogate_model` ask the model for answers, and take models of other libraries.
"""
