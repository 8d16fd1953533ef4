#include "grow/boost/loss.hpp"

#include <limits>  // for numeric_limits

#include "base/error.hpp"
#include "grow/boost/class_loss.hpp"
#include "grow/boost/rank_loss.hpp"
#include "grow/boost/smooth_loss.hpp"

namespace tw {

double Loss::largest_step() const { return std::numeric_limits<double>::infinity(); }

std::unique_ptr<Loss> make_loss(const std::string& name, const Labels& labels, double alpha) {
  if (name == "log_loss" && labels.n_classes == 2) return std::make_unique<BinaryLogLoss>(labels);
  if (name == "log_loss") return std::make_unique<SoftmaxLoss>(labels);
  if (name == "squared_error") return std::make_unique<SquaredError>(labels);
  if (name == "poisson") return std::make_unique<PoissonLoss>(labels);
  if (name == "gamma") return std::make_unique<GammaLoss>(labels);
  if (name == "absolute_error") return std::make_unique<QuantileLoss>(labels, 0.5, 2.0);
  if (name == "quantile") return std::make_unique<QuantileLoss>(labels, alpha, 1.0);
  if (name == "huber") return std::make_unique<HuberLoss>(labels, alpha);
  throw BadInput("unknown loss '" + name + "'");
}

}  // namespace tw
