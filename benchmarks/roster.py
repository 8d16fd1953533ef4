"""Every contestant by its title."""

from __future__ import annotations

from benchmarks import (
    classic_trees,
    contestants,
    linear_models,
    logistic_models,
    near_learners,
    networks,
    our_ensembles,
    peer_boosting,
    peer_forests,
    reference_programs,
)
from benchmarks.contestants import Contestant
from benchmarks.levels import at_every_level, widest_title

_BOOSTERS: tuple[type[Contestant], ...] = (
    peer_boosting.LightGBMBoosting,
    peer_boosting.LightGBMQuantised,
    peer_boosting.Lleaves,
    peer_boosting.XGBoostBoosting,
    peer_boosting.ScikitBoosting,
    peer_boosting.OnnxBoosting,
    peer_boosting.CatBoostBoosting,
    peer_boosting.PerpetualBoosting,
    peer_boosting.YdfBoosting,
)

_ALL: tuple[type[Contestant], ...] = (
    contestants.Treewright,
    contestants.TreewrightEntropy,
    contestants.TreewrightTwoThreads,
    contestants.ScikitLearn,
    contestants.OnnxRuntime,
    contestants.LightGBM,
    contestants.XGBoost,
    contestants.XGBoostExact,
    contestants.YggdrasilForests,
    classic_trees.OursC45,
    classic_trees.OursConditional,
    classic_trees.OursAsRpart,
    classic_trees.OursWithoutSurrogates,
    classic_trees.OursWithSurrogates,
    classic_trees.OursChaid,
    classic_trees.OursOblique,
    reference_programs.WekaJ48,
    reference_programs.Rpart,
    reference_programs.PartykitCtree,
    our_ensembles.OurForest,
    our_ensembles.OurExtraTrees,
    our_ensembles.OurBoosting,
    our_ensembles.OurBagging,
    our_ensembles.OurAdaBoost,
    peer_forests.ScikitForest,
    peer_forests.ScikitExtraTrees,
    peer_forests.IntelForest,
    peer_forests.IntelExtraTrees,
    peer_forests.ScikitBagging,
    peer_forests.ScikitAdaBoost,
    peer_forests.YdfForest,
    peer_forests.XGBoostForest,
    peer_forests.OnnxForest,
    *linear_models.LINEAR_MODELS,
    near_learners.OurNeighbours,
    near_learners.ScikitNeighbours,
    near_learners.ScikitBallTree,
    near_learners.IntelNeighbours,
    near_learners.FaissNeighbours,
    near_learners.OurNaiveBayes,
    near_learners.ScikitNaiveBayes,
    networks.OurNetwork,
    networks.OurSingleNetwork,
    networks.OurDeepNetwork,
    networks.ScikitNetwork,
    networks.ScikitDeepNetwork,
    networks.TorchNetwork,
    logistic_models.OurLogistic,
    logistic_models.ScikitLogistic,
    logistic_models.ScikitNewton,
    logistic_models.IntelLogistic,
    logistic_models.GlumLogistic,
    logistic_models.OurPerceptron,
    logistic_models.ScikitPerceptron,
    *_BOOSTERS,
    peer_boosting.ShapPackage,
    *(peer_boosting.on_two_threads(contestant) for contestant in (our_ensembles.OurBoosting, *_BOOSTERS)),
)

CONTESTANTS: dict[str, type[Contestant]] = {contestant.title: contestant for contestant in at_every_level(_ALL)}


def at_both_levels(titles: tuple[str, ...]) -> list[str]:
    """Give the titles, each of ours followed by the same at the widest level of vectors, where that is another.

    >>> at_both_levels(("scikit-learn",))
    ['scikit-learn']
    """
    both = [[title, widest_title(title)] for title in titles]
    return [title for pair in both for title in pair if title in CONTESTANTS]
