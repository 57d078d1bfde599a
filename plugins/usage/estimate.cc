#include "plugins/usage/estimate.h"

#include <algorithm>
#include <cmath>

#include "algo/node_scores.h"

namespace bth::plugins::usage {

double Composite(double measured_percent, int64_t guessed, int64_t capacity) {
  if (capacity <= 0) return 0;
  const auto whole = static_cast<double>(capacity);
  const double used = measured_percent / 100 * whole + static_cast<double>(guessed);
  return std::clamp(used / whole, 0.0, 1.0);
}

double MeanLoad(double cpu, double memory, const Weights& weights) {
  const auto sum = static_cast<double>(weights.cpu + weights.memory);
  if (sum <= 0) return 0;
  return (cpu * static_cast<double>(weights.cpu) + memory * static_cast<double>(weights.memory)) /
         sum;
}

double Risk(double load, double threshold, double factor) {
  return load >= threshold ? std::max(factor, 1.0) : 1.0;
}

int64_t Estimate(int64_t request, int64_t limit, const Estimator& estimator, double risk) {
  request = std::max<int64_t>(request, 0);
  const int64_t top = limit > 0 && limit >= request ? limit : request;
  const double guess = (static_cast<double>(request) * estimator.request_ratio +
                        static_cast<double>(top - request) * estimator.burst_ratio) *
                       risk;
  return std::clamp<int64_t>(std::llround(guess), 0, top);
}

int64_t EstimateBestEffort(int64_t amount, double risk) {
  return std::llround(static_cast<double>(std::max<int64_t>(amount, 0)) * risk);
}

double NodeScore(double cpu, double memory, const Weights& weights, int64_t weight) {
  if (weights.cpu + weights.memory <= 0) return 0;
  return MeanLoad(1 - cpu, 1 - memory, weights) * static_cast<double>(algo::kScoreTop) *
         static_cast<double>(weight);
}

}  // namespace bth::plugins::usage
