"""scikit-learn's own tests, run on our estimators: which pass, and why the others do not."""
