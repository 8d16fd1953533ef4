"""Models of other libraries as models of treewright: each reader gives tables of nodes, one builder takes them."""
