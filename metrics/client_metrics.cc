#include "metrics/client_metrics.h"

#include <utility>

namespace bth::metrics {

ClientMetrics::ClientMetrics(Registry& registry)
    : rest_requests_(registry.AddCounter("rest_client_requests_total",
                                         "HTTP requests by status code, method and host.")),
      relists_{registry.AddCounter("batholith_informer_relists_total",
                                   "Complete lists read again, by resource."),
               "resource",
               {}},
      watch_restarts_{registry.AddCounter("batholith_watch_restarts_total",
                                          "Watches opened again, by resource."),
                      "resource",
                      {}},
      malformed_{registry.AddCounter("batholith_malformed_objects_total",
                                     "Objects left out because they could not be read."),
                 "resource",
                 {}},
      exceptions_{registry.AddCounter("batholith_exceptions_total",
                                      "Exceptions that cut work off, by where it was started."),
                  "place",
                  {}} {}

void ClientMetrics::RestRequest(int code, std::string_view method, std::string_view host) {
  const std::lock_guard lock(mutex_);
  const RestKey key(code, method, host);
  auto found = rest_series_.find(key);
  if (found == rest_series_.end()) {
    const bool room = rest_series_.size() < kSeriesMax;
    const std::string host_label(room ? host : "other");
    Counter counter = rest_requests_.With({{"code", code == 0 ? "<error>" : std::to_string(code)},
                                           {"method", std::string(method)},
                                           {"host", host_label}});
    if (!room) return counter.Increment();
    found =
        rest_series_.emplace(std::make_tuple(code, std::string(method), std::string(host)), counter)
            .first;
  }
  found->second.Increment();
}

void ClientMetrics::Publish(std::string_view resource) {
  for (ByLabel* counters : {&relists_, &watch_restarts_, &malformed_}) {
    Count(*counters, resource, 0);
  }
}

void ClientMetrics::InformerRelisted(std::string_view resource) {
  Count(relists_, resource);
}

void ClientMetrics::WatchRestarted(std::string_view resource) {
  Count(watch_restarts_, resource);
}

void ClientMetrics::MalformedObject(std::string_view resource) {
  Count(malformed_, resource);
}

void ClientMetrics::ExceptionCaught(std::string_view place) {
  Count(exceptions_, place);
}

void ClientMetrics::Count(ByLabel& counters, std::string_view value, double times) {
  const std::lock_guard lock(mutex_);
  auto found = counters.series.find(value);
  if (found == counters.series.end()) {
    if (counters.series.size() >= kSeriesMax) {
      return counters.family.With({{counters.label, "other"}}).Increment(times);
    }
    const std::string name(value);
    found = counters.series.emplace(name, counters.family.With({{counters.label, name}})).first;
  }
  found->second.Increment(times);
}

}  // namespace bth::metrics
