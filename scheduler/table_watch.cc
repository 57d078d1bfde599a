#include "scheduler/table_watch.h"

#include <string_view>

#include "base/strings.h"

namespace bth::scheduler {

void TableWatch::Look(const cache::Mirror& mirror, metrics::SchedulerMetrics& metrics) {
  const cache::TableSizes sizes = mirror.table_sizes();
  const auto show = [&metrics](std::string_view table, size_t entries) {
    metrics.SetTableEntries(table, static_cast<int64_t>(entries));
  };
  show("symbols", sizes.symbols);
  show("label_keys", sizes.label_keys);
  show("label_sets", sizes.label_sets);
  show("shapes", sizes.shapes);
  show("constraints", sizes.constraints);
  show("resources", sizes.resources);
  show("dimensions", static_cast<size_t>(sizes.dimensions));
  show("resources_without_dimension", sizes.without_dimension);
  if (sizes.without_dimension > without_dimension_) metrics.LimitReached("resource_dimensions");
  without_dimension_ = sizes.without_dimension;
  show("hyper_nodes", sizes.hyper_nodes);
  show("hyper_nodes_cut_off", sizes.hyper_nodes_cut_off);
  if (sizes.hyper_nodes_cut_off > hyper_nodes_cut_off_) metrics.LimitReached("hyper_node_members");
  hyper_nodes_cut_off_ = sizes.hyper_nodes_cut_off;

  if (metrics.jobs() > sizes.pod_groups) {
    metrics.RetainJobs([&mirror](std::string_view ns, std::string_view name) {
      return mirror.ShownOf(StrCat(ns, "/", name)) != nullptr;
    });
  }
  if (metrics.queues() > sizes.queues) {
    metrics.RetainQueues(
        [&mirror](std::string_view name) { return mirror.Queue(std::string(name)) != nullptr; });
  }
}

void TableWatch::LookAtEvents(size_t waiting, const client::EventRecorderCounters& counters,
                              metrics::SchedulerMetrics& metrics) {
  metrics.SetTableEntries("events_waiting", static_cast<int64_t>(waiting));
  if (counters.overflow != events_dropped_) metrics.LimitReached("events_waiting");
  events_dropped_ = counters.overflow;
}

}  // namespace bth::scheduler
