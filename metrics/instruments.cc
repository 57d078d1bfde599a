#include "metrics/instruments.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <algorithm>
#include <cmath>

namespace bth::metrics {
namespace {

prometheus::Labels ToLabels(const LabelSet& labels) {
  prometheus::Labels out;
  for (const auto& [name, value] : labels) out[name] = value;
  return out;
}

// Label names are constants of ours, so that Add cannot throw for them; noexcept turns a wrong one
// into a plain stop.
template <typename T, typename... Args>
T* AddSeries(prometheus::Family<T>* family, const LabelSet& labels, Args&&... args) noexcept {
  return family == nullptr ? nullptr : &family->Add(ToLabels(labels), args...);
}

template <typename T, typename... Args>
void RemoveSeries(prometheus::Family<T>* family, const LabelSet& labels, Args&&... args) noexcept {
  if (family == nullptr) return;
  const prometheus::Labels wanted = ToLabels(labels);
  if (family->Has(wanted)) family->Remove(&family->Add(wanted, args...));
}

}  // namespace

Buckets GeometricBuckets(double first, double last, int count) {
  Buckets bounds;
  for (int i = 0; i < count; ++i) {
    bounds.push_back(first * std::pow(last / first, static_cast<double>(i) / (count - 1)));
  }
  return bounds;
}

Buckets ExponentialBuckets(double first, double factor, int count) {
  Buckets bounds;
  for (double bound = first; count > 0; --count, bound *= factor) bounds.push_back(bound);
  return bounds;
}

double ToMilliseconds(absl::Duration duration) {
  return std::max(0.0, absl::ToDoubleMilliseconds(duration));
}

double ToSeconds(absl::Duration duration) {
  return std::max(0.0, absl::ToDoubleSeconds(duration));
}

void Counter::Increment(double by) {
  if (series_ != nullptr && by > 0) series_->Increment(by);
}

double Counter::value() const {
  return series_ == nullptr ? 0 : series_->Value();
}

void Gauge::Set(double value) {
  if (series_ != nullptr) series_->Set(value);
}

void Gauge::Add(double by) {
  if (series_ != nullptr) series_->Increment(by);
}

double Gauge::value() const {
  return series_ == nullptr ? 0 : series_->Value();
}

void Histogram::Observe(double value) {
  if (series_ != nullptr) series_->Observe(value);
}

Counter CounterFamily::With(const LabelSet& labels) const {
  return Counter(AddSeries(family_, labels));
}

void CounterFamily::Remove(const LabelSet& labels) const {
  RemoveSeries(family_, labels);
}

Gauge GaugeFamily::With(const LabelSet& labels) const {
  return Gauge(AddSeries(family_, labels));
}

void GaugeFamily::Remove(const LabelSet& labels) const {
  RemoveSeries(family_, labels);
}

Histogram HistogramFamily::With(const LabelSet& labels) const {
  return Histogram(family_ == nullptr ? nullptr : AddSeries(family_, labels, *buckets_));
}

void HistogramFamily::Remove(const LabelSet& labels) const {
  if (family_ != nullptr) RemoveSeries(family_, labels, *buckets_);
}

}  // namespace bth::metrics
