"""Small dense networks: layers, activations, outputs with their loss, back-propagation, ways to go down."""
