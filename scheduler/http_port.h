// Lets the scheduling thread wait for HTTP exchanges that run on the network thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/connection.h"
#include "framework/session/http_port.h"
#include "metrics/scheduler_metrics.h"
#include "net/awaitable.h"
#include "scheduler/web_client.h"

namespace bth::scheduler {

// Connections to at most kServersMax servers are kept alive; those of the least recently new one
// go when another is asked. Thread: Exchange on any thread but the executor's, where it fails at
// once because it would wait for itself; everything else on the executor's.
class BlockingHttp final : public framework::HttpPort {
 public:
  static constexpr int kSideBySide = 8;
  static constexpr size_t kServersMax = 8;

  // `executor` and `metrics` (may be null) outlive it.
  BlockingHttp(net::Executor& executor, client::TransportFactory transports,
               metrics::SchedulerMetrics* metrics);
  ~BlockingHttp() override;
  // Fails what some thread waits for now.
  void Interrupt();

  std::vector<Answer> Exchange(absl::Span<const Request> requests) override;

 private:
  struct Batch;
  struct Net;  // What lives on the executor; shared with exchanges under way.

  net::Executor& executor_;
  metrics::SchedulerMetrics* const metrics_;
  const std::shared_ptr<Net> net_;
};

}  // namespace bth::scheduler
