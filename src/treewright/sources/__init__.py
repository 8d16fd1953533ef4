"""Rows that stay where they are: sources answer counting questions, and trees are grown from the answers."""
