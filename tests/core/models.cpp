#include "models.hpp"

#include <functional>  // for function

#include "check.hpp"
#include "checksum.hpp"
#include "grow/boost/booster.hpp"
#include "grow/forest/grow_forest.hpp"
#include "grow/grow_tree.hpp"
#include "model_tree/model_tree.hpp"
#include "sample_table.hpp"

namespace tw::tests {
namespace {

using Grow = std::function<std::uint64_t(Workers&)>;

class Models {
 public:
  // Grows the model at every level of vectors with three threads, at the first one with one and two as well.
  void add(const std::string& name, const Grow& grow) {
    std::vector<std::uint64_t> sums;
    at_every_level([&] {
      for (int n_threads = sums.empty() ? 1 : 3; n_threads <= 3; ++n_threads) {
        Workers workers(n_threads);
        sums.push_back(grow(workers));
      }
    });
    for (const std::uint64_t sum : sums) CHECK(sum == sums[0]);
    found.emplace_back(name, sums[0]);
  }

  std::vector<std::pair<std::string, std::uint64_t>> found;
};

Recipe recipe_of(CriterionName criterion, MissingPolicy missing) {
  Recipe recipe;
  recipe.criterion = criterion, recipe.missing = missing;
  recipe.stop.min_samples_leaf = 5;
  return recipe;
}

struct Splitter {
  const char* name;
  const char* missing;
  std::vector<std::pair<std::string, Options::Value>> options;
};

Recipe recipe_of(CriterionName criterion, const Splitter& splitter) {
  Recipe recipe = recipe_of(criterion, MissingPolicy::learn);
  recipe.splitter = splitter.name, recipe.missing_name = splitter.missing;
  for (const auto& [name, value] : splitter.options) recipe.options.set(name, value);
  return recipe;
}

void add_tree(Models& models, const std::string& name, const SampleTable& sample, const Target& target,
              const Recipe& recipe) {
  models.add(name, [&](Workers& workers) {
    return Checksum().add(grow_tree(sample.table, target, target.rows, recipe, workers)).value();
  });
}

Recipe with_surrogates(Recipe recipe) {
  recipe.missing = MissingPolicy::larger;
  recipe.surrogates.asked = true;
  recipe.surrogates.most_surrogates = 3;
  return recipe;
}

void add_binary_trees(Models& models, const SampleTable& sample, const std::string& size) {
  using C = CriterionName;
  using M = MissingPolicy;
  add_tree(models, "gini, two classes, " + size, sample, sample.two_target, recipe_of(C::gini, M::learn));
  add_tree(models, "entropy, two classes, " + size, sample, sample.two_target, recipe_of(C::entropy, M::larger));
  add_tree(models, "hellinger, two classes, " + size, sample, sample.two_target, recipe_of(C::hellinger, M::branch));
  add_tree(models, "squared error, " + size, sample, sample.number_target, recipe_of(C::squared_error, M::learn));
  add_tree(models, "poisson, " + size, sample, sample.rate_target, recipe_of(C::poisson, M::learn));
}

void add_list_trees(Models& models, const SampleTable& sample) {
  using C = CriterionName;
  using M = MissingPolicy;
  add_tree(models, "gini, three classes", sample, sample.three_target, recipe_of(C::gini, M::learn));
  add_tree(models, "entropy, three classes", sample, sample.three_target, recipe_of(C::entropy, M::learn));
  add_tree(models, "twoing, three classes", sample, sample.three_target, recipe_of(C::twoing, M::larger));
  add_tree(models, "absolute error", sample, sample.number_target, recipe_of(C::absolute_error, M::learn));
  add_tree(models, "surrogates", sample, sample.two_target, with_surrogates(recipe_of(C::gini, M::larger)));
}

const Splitter kC45{"gain_ratio",
                    "fractional",
                    {{"variant", "j48"},
                     {"min_weight", 2.0},
                     {"binary", 0.0},
                     {"subsets", 0.0},
                     {"mdl_correction", 1.0},
                     {"observed_threshold", 1.0},
                     {"value_gap", 1e-5}}};

Splitter chaid(const char* statistic) {
  return {"merged_categories",
          "branch",
          {{"alpha_merge", 0.05},
           {"alpha_split", 0.05},
           {"exhaustive", 0.0},
           {"exhaustive_adjust", "biggs"},
           {"bonferroni", 1.0},
           {"weights", "frequency"},
           {"min_parent", 100.0},
           {"min_child", 50.0},
           {"min_segment", 0.0},
           {"bins", 10.0},
           {"statistic", statistic},
           {"scores", std::vector<double>{}}}};
}

const Splitter kConditional{"conditional",
                            "larger",
                            {{"alpha", 0.05},
                             {"adjust", 1.0},
                             {"n_permutations", 0.0},
                             {"statistic", "quadratic"},
                             {"split_statistic", "quadratic"},
                             {"min_weight_split", 20.0},
                             {"min_weight_leaf", 7.0},
                             {"min_branch_share", 0.01},
                             {"split_tries", 2.0},
                             {"max_surrogates", 3.0},
                             {"class_scores", std::vector<double>{}},
                             {"seed", 0.0}}};

const Splitter kOblique{"oblique",
                        "learn",
                        {{"max_terms", 24.0},
                         {"penalty", 1.0},
                         {"ridge", 1.0},
                         {"n_counted", 255.0},
                         {"pays_only", 1.0},
                         {"may_add", std::vector<double>{1, 1, 1, 1, 1, 0, 1, 1}}}};

// Trees grown from tables: the other algorithms.
void add_other_trees(Models& models, const SampleTable& sample) {
  using C = CriterionName;
  const Target &classes = sample.three_target, &numbers = sample.number_target;
  add_tree(models, "C4.5", sample, classes, recipe_of(C::entropy, kC45));
  add_tree(models, "CHAID, classes", sample, classes, recipe_of(C::gini, chaid("pearson")));
  add_tree(models, "CHAID, numbers", sample, numbers, recipe_of(C::squared_error, chaid("f")));
  add_tree(models, "conditional, classes", sample, classes, recipe_of(C::gini, kConditional));
  add_tree(models, "conditional, numbers", sample, numbers, recipe_of(C::squared_error, kConditional));
  add_tree(models, "oblique, classes", sample, sample.two_target, recipe_of(C::entropy, kOblique));
  add_tree(models, "oblique, numbers", sample, numbers, recipe_of(C::squared_error, kOblique));
  models.add("model tree", [&](Workers& workers) {
    const Recipe recipe = recipe_of(C::squared_error, MissingPolicy::learn);
    const Tree grown = grow_tree(sample.table, numbers, numbers.rows, recipe, workers);
    return Checksum().add(make_model_tree(grown, sample.table, numbers, ModelTreeRules{}, workers)).value();
  });
}

void add_forest(Models& models, const std::string& name, const SampleTable& sample, const Target& target,
                CriterionName criterion, bool random_cuts) {
  ForestRules rules;
  rules.recipe.criterion = criterion;
  rules.seed = 7, rules.n_trees = 4, rules.max_features = 3, rules.random_cuts = random_cuts;
  if (random_cuts) rules.sampling = Sampling::all_rows;
  models.add(name, [&](Workers& workers) {
    const RowDrawer drawer(sample.table, target, rules, workers);
    std::vector<SmallTree> trees(rules.n_trees);
    Progress progress;
    with_cells_of(sample.table, rules, workers, [&](const auto& cells) {
      grow_trees(cells, {target, drawer, rules, workers, progress},
                 [&](std::uint32_t tree, SmallTree& grown, const auto&) { trees[tree] = std::move(grown); });
    });
    Checksum sum;
    for (const SmallTree& tree : trees) sum.add(tree);
    return sum.value();
  });
}

void add_forests(Models& models, const SampleTable& sample) {
  for (const bool random_cuts : {false, true}) {
    const std::string kind = random_cuts ? "extra trees, " : "forest, ";
    add_forest(models, kind + "two classes", sample, sample.two_target, CriterionName::gini, random_cuts);
    add_forest(models, kind + "three classes", sample, sample.three_target, CriterionName::entropy, random_cuts);
    add_forest(models, kind + "numbers", sample, sample.number_target, CriterionName::squared_error, random_cuts);
  }
}

void add_booster(Models& models, const std::string& loss, const SampleTable& sample, const std::vector<double>& y,
                 std::uint32_t n_classes, double subsample = 1) {
  BoostRules rules;
  rules.loss = loss, rules.n_estimators = 6, rules.max_leaf_nodes = 16, rules.subsample = subsample;
  rules.columns_per_node = subsample < 1 ? 5 : 0, rules.l2_regularization = 0.5;
  const std::string classes = n_classes ? ", " + std::to_string(n_classes) + " classes" : "";
  models.add("boosting, " + loss + classes + (subsample < 1 ? ", drawn" : ""), [&](Workers& workers) {
    BoostTask task;
    task.table = &sample.table;
    task.labels = {y, {}, n_classes};
    task.rows = sample.number_target.rows;
    Progress progress;
    const Boosted boosted = boost(std::move(task), rules, workers, progress);
    Checksum sum;
    for (const SmallTree& tree : boosted.trees) sum.add(tree);
    return sum.add(boosted.start).value();
  });
}

void add_boosters(Models& models, const SampleTable& sample) {
  add_booster(models, "squared_error", sample, sample.y, 0);
  add_booster(models, "squared_error", sample, sample.y, 0, 0.5);
  add_booster(models, "log_loss", sample, sample.two_classes, 2);
  add_booster(models, "log_loss", sample, sample.two_classes, 2, 0.5);
  add_booster(models, "log_loss", sample, sample.three_classes, 3);
  for (const char* loss : {"poisson", "absolute_error", "quantile", "huber"})
    add_booster(models, loss, sample, sample.rates, 0);
}

}  // namespace

std::vector<std::pair<std::string, std::uint64_t>> checksums_of_models() {
  const SampleTable small(3000, 31), large(kOneBlockRows + 4000, 32);  // lists from the root on; buckets
  Models models;
  add_binary_trees(models, small, "one block");
  add_binary_trees(models, large, "buckets");
  add_list_trees(models, small);
  add_other_trees(models, small);
  add_forests(models, small);
  add_boosters(models, small);
  return models.found;
}

}  // namespace tw::tests
