"""How good is a model, and which one to take: measures, cross-validation, comparison, learning curves, tuning.

Read in this order: `measures` (one model on one table), `cross_validation` (folds), `task` (who takes part, on what),
`run_jobs` (one fit on one fold, many of those at once), `compare` with `comparison` (its result), `learning_curve`,
`tune` with `tuning`, and `learners` (the table of all of them).
"""
