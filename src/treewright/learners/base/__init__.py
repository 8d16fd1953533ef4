"""What learners share: fit, state, targets, parameters, folds, matrices, threads, the bar while a fit goes on."""
