"""A model as an ONNX file: the TreeEnsemble operator where it can say the tree, plain operators otherwise."""
