// Where the load of nodes is measured.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/api_client.h"
#include "client/connection.h"
#include "net/awaitable.h"
#include "scheduler/node_load/answers.h"

namespace bth::scheduler::node_load {

// Thread: the executor's. Lives longer than its calls.
class LoadSource {
 public:
  virtual ~LoadSource() = default;
  // Averages over ten minutes of these nodes. Nodes that the source knows nothing about are left
  // out. Every exchange of the round ends by `deadline` (monotonic).
  virtual net::Awaitable<absl::StatusOr<Reading>> Read(std::vector<std::string> nodes,
                                                       absl::Duration deadline) = 0;
};

// What sources stand on; all outlive them.
struct SourceContext {
  net::Executor& executor;
  client::ApiClient& api;
  const client::TransportFactory& transports;
};

// The section `metrics` of scheduler.conf.
using LoadSettings = std::map<std::string, std::string>;

// Null when the settings name no source. kInvalidArgument says which key is unusable.
absl::StatusOr<std::unique_ptr<LoadSource>> MakeLoadSource(const SourceContext& context,
                                                           const LoadSettings& settings);

// One function per kind; see the files of the same names.
absl::StatusOr<std::unique_ptr<LoadSource>> MakePrometheusSource(const SourceContext& context,
                                                                 const LoadSettings& settings);
absl::StatusOr<std::unique_ptr<LoadSource>> MakeElasticsearchSource(const SourceContext& context,
                                                                    const LoadSettings& settings);
std::unique_ptr<LoadSource> MakeCustomMetricsSource(const SourceContext& context);
absl::StatusOr<std::unique_ptr<LoadSource>> MakeFileSource(const SourceContext& context,
                                                           const LoadSettings& settings);

// An entry of the settings, or `fallback` when it is absent or empty.
std::string Setting(const LoadSettings& settings, const std::string& key,
                    const std::string& fallback = "");

}  // namespace bth::scheduler::node_load
