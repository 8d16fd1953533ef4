"""Every contestant by its title."""

from __future__ import annotations

from benchmarks import classic_trees, contestants, reference_programs
from benchmarks.contestants import Contestant

CONTESTANTS: dict[str, type[Contestant]] = {
    contestant.title: contestant
    for contestant in (
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
    )
}
