from treewright import datasets as datasets
from treewright.converters.from_lightgbm import from_lightgbm as from_lightgbm
from treewright.converters.from_r import from_r as from_r
from treewright.converters.from_sklearn import from_sklearn as from_sklearn
from treewright.converters.from_xgboost import from_xgboost as from_xgboost
from treewright.export.export import export as export
from treewright.export.scikit_learn import to_sklearn as to_sklearn
from treewright.inspection.align import align as align
from treewright.inspection.diff import diff as diff
from treewright.inspection.importance import Importance as Importance
from treewright.inspection.importance import importance as importance
from treewright.inspection.partial_dependence import PartialDependence as PartialDependence
from treewright.inspection.partial_dependence import partial_dependence as partial_dependence
from treewright.inspection.questionnaire import questionnaire as questionnaire
from treewright.inspection.surrogate_model import surrogate_model as surrogate_model
from treewright.learners.adaboost.adaboost import AdaBoostClassifier as AdaBoostClassifier
from treewright.learners.adaboost.adaboost import AdaBoostRegressor as AdaBoostRegressor
from treewright.learners.bagging.bagging import BaggingTreesClassifier as BaggingTreesClassifier
from treewright.learners.bagging.bagging import BaggingTreesRegressor as BaggingTreesRegressor
from treewright.learners.boosting.gradient_boosting import GradientBoostingClassifier as GradientBoostingClassifier
from treewright.learners.boosting.gradient_boosting import GradientBoostingRegressor as GradientBoostingRegressor
from treewright.learners.forest.extra_trees import ExtraTreesClassifier as ExtraTreesClassifier
from treewright.learners.forest.extra_trees import ExtraTreesRegressor as ExtraTreesRegressor
from treewright.learners.forest.random_forest import RandomForestClassifier as RandomForestClassifier
from treewright.learners.forest.random_forest import RandomForestRegressor as RandomForestRegressor
from treewright.learners.linear.linear_regression import LinearRegression as LinearRegression
from treewright.learners.local_regression.locally_weighted import LocallyWeightedRegression as LocallyWeightedRegression
from treewright.learners.logistic.logistic_regression import LogisticRegression as LogisticRegression
from treewright.learners.naive_bayes.naive_bayes import NaiveBayesClassifier as NaiveBayesClassifier
from treewright.learners.neighbors.k_neighbors import KNeighborsClassifier as KNeighborsClassifier
from treewright.learners.neighbors.k_neighbors import KNeighborsRegressor as KNeighborsRegressor
from treewright.learners.neural_network.autoencoder import Autoencoder as Autoencoder
from treewright.learners.neural_network.multilayer_perceptron import MLPClassifier as MLPClassifier
from treewright.learners.neural_network.multilayer_perceptron import MLPRegressor as MLPRegressor
from treewright.learners.perceptron.perceptron import Perceptron as Perceptron
from treewright.learners.regularized.regularized_regression import RegularizedRegression as RegularizedRegression
from treewright.learners.trees.c45 import C45Classifier as C45Classifier
from treewright.learners.trees.chaid import CHAIDClassifier as CHAIDClassifier
from treewright.learners.trees.chaid import CHAIDRegressor as CHAIDRegressor
from treewright.learners.trees.conditional_tree import ConditionalTreeClassifier as ConditionalTreeClassifier
from treewright.learners.trees.conditional_tree import ConditionalTreeRegressor as ConditionalTreeRegressor
from treewright.learners.trees.decision_tree import DecisionTreeClassifier as DecisionTreeClassifier
from treewright.learners.trees.decision_tree import DecisionTreeRegressor as DecisionTreeRegressor
from treewright.learners.trees.id3 import ID3Classifier as ID3Classifier
from treewright.learners.trees.model_tree import ModelTreeRegressor as ModelTreeRegressor
from treewright.learners.trees.oblique_tree import ObliqueTreeClassifier as ObliqueTreeClassifier
from treewright.learners.trees.oblique_tree import ObliqueTreeRegressor as ObliqueTreeRegressor
from treewright.lesson import Lesson as Lesson
from treewright.lesson import lesson as lesson
from treewright.model_selection.calibrate import calibrate as calibrate
from treewright.model_selection.compare import compare as compare
from treewright.model_selection.comparison import Comparison as Comparison
from treewright.model_selection.conformal import conformal as conformal
from treewright.model_selection.evaluation import Evaluation as Evaluation
from treewright.model_selection.evaluation import evaluate as evaluate
from treewright.model_selection.gains import gains_table as gains_table
from treewright.model_selection.learners import learners as learners
from treewright.model_selection.learning_curve import LearningCurve as LearningCurve
from treewright.model_selection.learning_curve import learning_curve as learning_curve
from treewright.model_selection.missing_comparison import compare_missing as compare_missing
from treewright.model_selection.tune import tune as tune
from treewright.model_selection.tuning import Tuning as Tuning
from treewright.plot import boundary as boundary
from treewright.plot import draw as draw
from treewright.plot import plot_calibration as plot_calibration
from treewright.plot import plot_confusion as plot_confusion
from treewright.plot import plot_gains as plot_gains
from treewright.plot import plot_pruning as plot_pruning
from treewright.plot import plot_roc as plot_roc
from treewright.plot import plot_shap as plot_shap
from treewright.plot import plot_shap_dependence as plot_shap_dependence
from treewright.plot import plot_shap_waterfall as plot_shap_waterfall
from treewright.prune import ChiSquare as ChiSquare
from treewright.prune import CostComplexity as CostComplexity
from treewright.prune import CriticalValue as CriticalValue
from treewright.prune import DescriptionLength as DescriptionLength
from treewright.prune import MergeEqualLeaves as MergeEqualLeaves
from treewright.prune import MinimumDescription as MinimumDescription
from treewright.prune import MinimumError as MinimumError
from treewright.prune import PessimisticError as PessimisticError
from treewright.prune import Readable as Readable
from treewright.prune import ReducedError as ReducedError
from treewright.prune import ValidationGain as ValidationGain
from treewright.report import Report as Report
from treewright.report import report as report
from treewright.save.persist import load as load
from treewright.save.persist import save as save
from treewright.sources.answers import write_predictions as write_predictions
from treewright.sources.open_source import source as source
from treewright.table.reading.read import read as read

__version__: str
_HOME: dict[str, str]
__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "Autoencoder",
    "BaggingTreesClassifier",
    "BaggingTreesRegressor",
    "C45Classifier",
    "CHAIDClassifier",
    "CHAIDRegressor",
    "ChiSquare",
    "Comparison",
    "ConditionalTreeClassifier",
    "ConditionalTreeRegressor",
    "CostComplexity",
    "CriticalValue",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "DescriptionLength",
    "Evaluation",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "ID3Classifier",
    "Importance",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "LearningCurve",
    "Lesson",
    "LinearRegression",
    "LocallyWeightedRegression",
    "LogisticRegression",
    "MLPClassifier",
    "MLPRegressor",
    "MergeEqualLeaves",
    "MinimumDescription",
    "MinimumError",
    "ModelTreeRegressor",
    "NaiveBayesClassifier",
    "ObliqueTreeClassifier",
    "ObliqueTreeRegressor",
    "PartialDependence",
    "Perceptron",
    "PessimisticError",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Readable",
    "ReducedError",
    "RegularizedRegression",
    "Report",
    "Tuning",
    "ValidationGain",
    "align",
    "boundary",
    "calibrate",
    "compare",
    "compare_missing",
    "conformal",
    "datasets",
    "diff",
    "draw",
    "evaluate",
    "export",
    "from_lightgbm",
    "from_r",
    "from_sklearn",
    "from_xgboost",
    "gains_table",
    "importance",
    "learners",
    "learning_curve",
    "lesson",
    "load",
    "partial_dependence",
    "plot_calibration",
    "plot_confusion",
    "plot_gains",
    "plot_pruning",
    "plot_roc",
    "plot_shap",
    "plot_shap_dependence",
    "plot_shap_waterfall",
    "questionnaire",
    "read",
    "report",
    "save",
    "source",
    "surrogate_model",
    "to_sklearn",
    "tune",
    "write_predictions",
]
