"""Multilayer perceptrons and autoencoders: layers, propagation, training."""
