"""The slow, obviously right definition of a tree: what the fast engine is compared with.

Read in this order: `table` (the rows), `criteria` (how good is a division of rows), `splits` (every division that one
column offers), `tree` (take the best, divide, go on), `prune` (cut back). Plain Python, no speed, no cleverness.
Numbers are decimals of 60 digits, so that two scores that are equal on paper are equal here: ties are exact.
"""
