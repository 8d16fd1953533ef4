"""Rules that every tree must obey, tried on thousands of random tables.

`tables` draws the tables, `engine` grows a tree of the engine's from one of them and lays it beside the oracle's.
"""
