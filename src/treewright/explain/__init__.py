"""Explaining fitted trees: why a row gets its answer, the rules of a tree, how two trees differ, and more.

Everything here reads the stored tree, so it works for every algorithm; nothing recurses over the depth.
"""
