"""Every tree algorithm once more, slowly: a definition to read, to teach from, and to compare the fast core with.

Read in this order: `table` (the rows and the cases of a node), `tally` (what they hold), `criteria` (how good is a
division of rows), `divisions` (every division in two that one column offers), `growing` (look, divide, go on), and then
one file an algorithm, with what it alone needs beside it:

- `cart`; `id3`
- `c45` (`gain_ratio`, `c45_subsets`), pruned by `error_based`
- `chaid` (`group_tests`, `row_effects`, `chaid_merging`, `chaid_sampling`)
- `conditional` (`permutation_test`, `chance`, `upper_tail`)
- `oblique` (`directions`, `sums`)

Plain Python, no speed, no cleverness, nothing of the core. Each algorithm leaves a trace of its steps: all candidates
of a node with their numbers, and the choice. `tw.lesson` puts it into words, and the tests compare it with the core.
"""
