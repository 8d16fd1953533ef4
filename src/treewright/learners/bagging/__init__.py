"""Bagging of any kind of tree."""
