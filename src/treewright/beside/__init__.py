"""The learners beside the trees, on the same tables: neighbours, linear and logistic models, networks, Bayes."""
