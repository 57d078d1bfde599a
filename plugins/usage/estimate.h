// How loaded a node is, measured and guessed. Pure functions.
#pragma once

#include <cstdint>

namespace bth::plugins::usage {

struct Weights {
  int64_t cpu = 1;
  int64_t memory = 1;
};

// What pods whose load is not measured yet probably use.
struct Estimator {
  double request_ratio = 0.7;   // Of what they request,
  double burst_ratio = 0;       // and of what their limit allows beyond that.
  double risk_threshold = 0.6;  // On nodes at least so loaded,
  double risk_factor = 1.2;     // guesses are multiplied by this.
  int64_t be_cpu_milli = 250;   // Of a pod that requests nothing.
  int64_t be_memory_bytes = int64_t{200} << 20;
};

// The share of `capacity` in use, 0 to 1: the measured percentage and what was guessed on top.
double Composite(double measured_percent, int64_t guessed, int64_t capacity);
// Weighted mean of both shares; 0 without weights.
double MeanLoad(double cpu, double memory, const Weights& weights);
double Risk(double load, double threshold, double factor);
// A pod's probable use of one resource; `limit` 0: none. Rounded to whole units.
int64_t Estimate(int64_t request, int64_t limit, const Estimator& estimator, double risk);
int64_t EstimateBestEffort(int64_t amount, double risk);
// 0 to 100 x `weight`, less for more load.
double NodeScore(double cpu, double memory, const Weights& weights, int64_t weight);

}  // namespace bth::plugins::usage
