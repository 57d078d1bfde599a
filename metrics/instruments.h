// Handles to single series and to the families they belong to. The handles are small values: copy
// them and keep them, so that an update costs no look-up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
template <typename T>
class Family;
}  // namespace prometheus

namespace bth::metrics {

// Label names and values. A repeated name keeps its last value.
using LabelSet = std::vector<std::pair<std::string, std::string>>;

// Upper bounds of a histogram, ascending; the +Inf bucket is implied.
using Buckets = std::vector<double>;

// `count` bounds from `first` to `last`, bound i = first * (last / first)^(i / (count - 1)).
Buckets GeometricBuckets(double first, double last, int count);
// `count` bounds from `first`, each `factor` times the one before.
Buckets ExponentialBuckets(double first, double factor, int count);

// Fractional milliseconds; a negative duration counts as 0.
double ToMilliseconds(absl::Duration duration);
// Fractional seconds; a negative duration counts as 0.
double ToSeconds(absl::Duration duration);

// Only grows. A default-constructed handle ignores updates. Thread: any.
class Counter {
 public:
  Counter() = default;
  explicit Counter(prometheus::Counter* series) : series_(series) {}
  void Increment(double by = 1);  // Negative amounts are ignored.
  double value() const;

 private:
  prometheus::Counter* series_ = nullptr;
};

// Goes up and down. A default-constructed handle ignores updates. Thread: any.
class Gauge {
 public:
  Gauge() = default;
  explicit Gauge(prometheus::Gauge* series) : series_(series) {}
  void Set(double value);
  void Add(double by);
  double value() const;

 private:
  prometheus::Gauge* series_ = nullptr;
};

// Counts observations by bucket. A default-constructed handle ignores updates. Thread: any.
class Histogram {
 public:
  Histogram() = default;
  explicit Histogram(prometheus::Histogram* series) : series_(series) {}
  void Observe(double value);

 private:
  prometheus::Histogram* series_ = nullptr;
};

// All series of one name. `With` makes a series on its first call (hashes the labels, takes the
// family's lock) and returns the same one afterwards; `Remove` ends the life of its handles.
// Families are small values that live as long as their registry. Thread: any.
class CounterFamily {
 public:
  CounterFamily() = default;
  explicit CounterFamily(prometheus::Family<prometheus::Counter>* family) : family_(family) {}
  Counter With(const LabelSet& labels = {}) const;
  void Remove(const LabelSet& labels) const;

 private:
  prometheus::Family<prometheus::Counter>* family_ = nullptr;
};

class GaugeFamily {
 public:
  GaugeFamily() = default;
  explicit GaugeFamily(prometheus::Family<prometheus::Gauge>* family) : family_(family) {}
  Gauge With(const LabelSet& labels = {}) const;
  void Remove(const LabelSet& labels) const;

 private:
  prometheus::Family<prometheus::Gauge>* family_ = nullptr;
};

class HistogramFamily {
 public:
  HistogramFamily() = default;
  HistogramFamily(prometheus::Family<prometheus::Histogram>* family, Buckets buckets)
      : family_(family), buckets_(std::make_shared<const Buckets>(std::move(buckets))) {}
  Histogram With(const LabelSet& labels = {}) const;
  void Remove(const LabelSet& labels) const;

 private:
  prometheus::Family<prometheus::Histogram>* family_ = nullptr;
  std::shared_ptr<const Buckets> buckets_;
};

}  // namespace bth::metrics
