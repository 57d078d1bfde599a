// Metrics of talking to the API server, for every daemon.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

#include "metrics/registry.h"

namespace bth::metrics {

// Lives as long as its registry; several objects on one registry share their series.
// Thread: any. Label values come from a closed set (resources, methods, hosts of the kubeconfig);
// beyond kSeriesMax different ones per family they are counted under "other".
class ClientMetrics {
 public:
  static constexpr size_t kSeriesMax = 512;

  explicit ClientMetrics(Registry& registry);

  // One HTTP request that ended; `code` 0 means that no answer came ("<error>").
  void RestRequest(int code, std::string_view method, std::string_view host);
  // Its series below are there with 0.
  void Publish(std::string_view resource);
  void InformerRelisted(std::string_view resource);
  void WatchRestarted(std::string_view resource);
  // An object that could not be parsed and was left out.
  void MalformedObject(std::string_view resource);
  // An exception ended at the barrier of an executor (net/barrier.h): a defect of the program.
  void ExceptionCaught(std::string_view place);

 private:
  struct ByLabel {
    CounterFamily family;
    std::string label;
    std::map<std::string, Counter, std::less<>> series;
  };
  using RestKey = std::tuple<int, std::string, std::string>;  // Code, method, host.
  void Count(ByLabel& counters, std::string_view value, double times = 1);

  std::mutex mutex_;
  CounterFamily rest_requests_;
  std::map<RestKey, Counter> rest_series_;
  ByLabel relists_;
  ByLabel watch_restarts_;
  ByLabel malformed_;
  ByLabel exceptions_;
};

}  // namespace bth::metrics
