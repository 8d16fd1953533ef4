"""Learners that take rows one by one: the perceptron rule, the delta rule, stochastic descent."""
