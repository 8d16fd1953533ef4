"""Models that leave: a model as a file that runs without treewright, with the proof that it answers the same."""
