"""AdaBoost over any kind of tree."""
