"""The closing section of a lesson: what pruning would do to the grown tree, step by step."""
