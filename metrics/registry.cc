#include "metrics/registry.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "metrics/process_metrics.h"

namespace bth::metrics {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

void AppendReading(std::vector<MetricFamily>& families, MetricType type, const char* name,
                   const char* help, const std::optional<double>& value) {
  if (!value.has_value()) return;
  ClientMetric metric;
  if (type == MetricType::Counter) {
    metric.counter.value = *value;
  } else {
    metric.gauge.value = *value;
  }
  families.push_back(MetricFamily{name, help, type, {metric}});
}

void AppendProcess(std::vector<MetricFamily>& families, const ProcessReading& reading) {
  AppendReading(families, MetricType::Counter, "process_cpu_seconds_total",
                "User and system CPU time of the process in seconds.", reading.cpu_seconds);
  AppendReading(families, MetricType::Gauge, "process_start_time_seconds",
                "When the process started, in Unix seconds.", reading.start_time_seconds);
  AppendReading(families, MetricType::Gauge, "process_resident_memory_bytes",
                "Memory of the process that is in RAM.", reading.resident_memory_bytes);
  AppendReading(families, MetricType::Gauge, "process_virtual_memory_bytes",
                "Address space of the process.", reading.virtual_memory_bytes);
  AppendReading(families, MetricType::Gauge, "process_open_fds", "Open file descriptors.",
                reading.open_fds);
  AppendReading(families, MetricType::Gauge, "process_max_fds",
                "Most file descriptors the process may open.", reading.max_fds);
  AppendReading(families, MetricType::Counter, "batholith_log_lines_lost_total",
                "Lines of the log that could not be written.", reading.log_lines_lost);
}

bool LabelsBefore(const ClientMetric& a, const ClientMetric& b) {
  return std::lexicographical_compare(a.label.begin(), a.label.end(), b.label.begin(),
                                      b.label.end(), [](const auto& x, const auto& y) {
                                        return std::tie(x.name, x.value) <
                                               std::tie(y.name, y.value);
                                      });
}

}  // namespace

struct Registry::Rep {
  explicit Rep(std::string root) : proc_root(std::move(root)) {}

  // The name as the library wants it; kept for FamilyNames.
  std::string Note(std::string_view name) {
    const std::lock_guard lock(names_mutex);
    return *names.emplace(name).first;
  }

  const std::string proc_root;
  prometheus::Registry families;
  std::mutex names_mutex;
  std::set<std::string> names;  // Guarded by names_mutex.
};

Registry::Registry(std::string proc_root) : rep_(std::make_unique<Rep>(std::move(proc_root))) {}

Registry::~Registry() = default;

CounterFamily Registry::AddCounter(std::string_view name, std::string_view help) {
  return CounterFamily(&prometheus::BuildCounter()
                            .Name(rep_->Note(name))
                            .Help(std::string(help))
                            .Register(rep_->families));
}

GaugeFamily Registry::AddGauge(std::string_view name, std::string_view help) {
  return GaugeFamily(&prometheus::BuildGauge()
                          .Name(rep_->Note(name))
                          .Help(std::string(help))
                          .Register(rep_->families));
}

HistogramFamily Registry::AddHistogram(std::string_view name, std::string_view help,
                                       Buckets buckets) {
  return HistogramFamily(&prometheus::BuildHistogram()
                              .Name(rep_->Note(name))
                              .Help(std::string(help))
                              .Register(rep_->families),
                         std::move(buckets));
}

std::vector<std::string> Registry::FamilyNames() const {
  const std::lock_guard lock(rep_->names_mutex);
  return {rep_->names.begin(), rep_->names.end()};
}

std::string Registry::RenderText() const {
  std::vector<MetricFamily> families = rep_->families.Collect();
  AppendProcess(families, ReadProcess(rep_->proc_root));
  std::stable_sort(families.begin(), families.end(),
                   [](const auto& a, const auto& b) { return a.name < b.name; });
  for (MetricFamily& family : families) {
    std::sort(family.metric.begin(), family.metric.end(), LabelsBefore);
  }
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace bth::metrics
