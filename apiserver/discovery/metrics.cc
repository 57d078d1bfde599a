#include <string>

#include "apiserver/discovery/discovery.h"
#include "base/strings.h"

namespace bth::apiserver {

std::string MetricsText(const Core& core) {
  std::string out =
      "# HELP apiserver_request_total Requests by verb, resource and answered code.\n"
      "# TYPE apiserver_request_total counter\n";
  for (const auto& [labels, count] : core.counters.requests) {
    const auto& [verb, resource, code] = labels;
    StrAppend(&out, "apiserver_request_total{verb=\"", verb, "\",resource=\"", resource,
              "\",code=\"", code, "\"} ", count, "\n");
  }
  auto plain = [&out](const char* name, const char* type, const char* help, uint64_t value) {
    StrAppend(&out, "# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n", name, " ",
              value, "\n");
  };
  plain("apiserver_watch_events_total", "counter", "Events sent to watches.",
        core.counters.watch_events);
  plain("apiserver_watchers", "gauge", "Watches that are open.", core.store->watchers());
  plain("apiserver_watchers_overflowed_total", "counter",
        "Watches closed because their reader was too slow.", core.store->watchers_overflowed());
  plain("apiserver_storage_revision", "gauge", "The newest resourceVersion.",
        static_cast<uint64_t>(core.store->revision()));
  plain("apiserver_collected_objects_total", "counter",
        "Objects deleted because their owners are gone or going.", core.counters.objects_collected);
  plain("apiserver_dropped_owner_references_total", "counter",
        "Objects that lost references to owners that are gone, going or let them go.",
        core.counters.owner_references_dropped);
  plain("apiserver_broken_owner_circles_total", "counter",
        "Circles of owners that waited for each other, opened.",
        core.counters.owner_circles_broken);
  plain("apiserver_collector_backlog", "gauge", "Objects the collector has to look at.",
        core.counters.collector_backlog);
  plain("apiserver_expired_events_total", "counter",
        "Events removed because they were old, or too many.", core.counters.events_expired);
  plain("apiserver_proxy_refused_total", "counter",
        "Requests to services that were refused because too many were under way.",
        core.counters.proxy_refused);
  out +=
      "# HELP apiserver_storage_objects Objects by resource.\n"
      "# TYPE apiserver_storage_objects gauge\n";
  for (const auto& [name, collection] : core.store->collections()) {
    StrAppend(&out, "apiserver_storage_objects{resource=\"", name, "\"} ", collection->size(),
              "\n");
  }
  for (const auto& section : core.metric_sections) section(&out);
  if (core.extra_metrics) out += core.extra_metrics();
  return out;
}

}  // namespace bth::apiserver
