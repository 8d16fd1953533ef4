"""Nearest neighbours on mixed tables: distances, search, votes, the choice of k."""
