"""A model as PMML 4.4: trees with predicates that say all by themselves, and rows with known answers."""
