"""The perceptron of the lectures: threshold, linear and sigmoid neurons, learnt row by row."""
