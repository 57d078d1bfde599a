// All metrics of one process, and their text for /metrics.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/instruments.h"

namespace bth::metrics {

// The Content-Type of RenderText().
inline constexpr std::string_view kTextContentType = "text/plain; version=0.0.4; charset=utf-8";

// Owns every family; outlives all handles. Names that are asked for twice give the same family, so
// two parts of a process may share one. Names and labels are ours, never input: an invalid name or
// one name with two types is a bug and ends the process.
// Thread: any; a scrape may run while other threads update.
class Registry {
 public:
  // `proc_root` is where /proc is found: process metrics are read from there at each scrape.
  explicit Registry(std::string proc_root = "/proc");
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  CounterFamily AddCounter(std::string_view name, std::string_view help);
  GaugeFamily AddGauge(std::string_view name, std::string_view help);
  HistogramFamily AddHistogram(std::string_view name, std::string_view help, Buckets buckets);

  // The exposition format. Families come in order of their names, series in order of their labels.
  // Cost: linear in the number of series.
  std::string RenderText() const;
  // Every name that was registered, with series or without, in order.
  std::vector<std::string> FamilyNames() const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace bth::metrics
