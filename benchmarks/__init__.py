"""How fast, how exact and how small treewright is beside other libraries: `python -m benchmarks`.

The way through: `lines` says what is compared and which bar must be reached, `data` makes the tables,
`worker` runs one contestant on one table in its own process, `rounds` starts the workers in alternating order,
`results` keeps what they measured, `verdicts` judges it, `tables` prints it.
"""
