#include <string>

#include "absl/strings/str_cat.h"
#include "apiserver/discovery/discovery.h"

namespace bth::apiserver {

std::string MetricsText(const Core& core) {
  std::string out =
      "# HELP apiserver_request_total Requests by verb, resource and answered code.\n"
      "# TYPE apiserver_request_total counter\n";
  for (const auto& [labels, count] : core.counters.requests) {
    const auto& [verb, resource, code] = labels;
    absl::StrAppend(&out, "apiserver_request_total{verb=\"", verb, "\",resource=\"", resource,
                    "\",code=\"", code, "\"} ", count, "\n");
  }
  auto plain = [&out](const char* name, const char* type, const char* help, uint64_t value) {
    absl::StrAppend(&out, "# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n", name, " ",
                    value, "\n");
  };
  plain("apiserver_watch_events_total", "counter", "Events sent to watches.",
        core.counters.watch_events);
  plain("apiserver_watchers", "gauge", "Watches that are open.", core.store->watchers());
  plain("apiserver_watchers_overflowed_total", "counter",
        "Watches closed because their reader was too slow.", core.store->watchers_overflowed());
  plain("apiserver_storage_revision", "gauge", "The newest resourceVersion.",
        static_cast<uint64_t>(core.store->revision()));
  out +=
      "# HELP apiserver_storage_objects Objects by resource.\n"
      "# TYPE apiserver_storage_objects gauge\n";
  for (const auto& [name, collection] : core.store->collections()) {
    absl::StrAppend(&out, "apiserver_storage_objects{resource=\"", name, "\"} ", collection->size(),
                    "\n");
  }
  if (core.extra_metrics) out += core.extra_metrics();
  return out;
}

}  // namespace bth::apiserver
