// Reports on the CPUs of nodes that are gone.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "client/api_client.h"
#include "client/background.h"
#include "metrics/scheduler_metrics.h"
#include "net/awaitable.h"

namespace bth::scheduler {

// Deletes the Numatopology of a node that somebody deleted, while it is the same object and the
// node is not there again. One at a time; what cannot be deleted after some attempts stays, and a
// line says so. All parameters outlive it; `metrics` may be null. Thread: I/O.
class OrphanedReports {
 public:
  // Told whether there is a node of that name.
  using NodeTest = std::function<bool(const std::string& node)>;
  OrphanedReports(net::Executor& executor, client::ApiClient& api, NodeTest is_there,
                  metrics::SchedulerMetrics* metrics)
      : executor_(executor), api_(api), is_there_(std::move(is_there)), metrics_(metrics) {}

  void Start() { started_ = true; }
  // What is left then belongs to whoever leads next.
  void Stop();
  // The node is gone, its report with that UID is still there. Counts while started.
  void Add(const std::string& node, const std::string& uid);

 private:
  struct Report {
    std::string node;
    std::string uid;
  };

  net::Awaitable<void> DeleteAll();
  net::Awaitable<void> DeleteOne(Report report);

  net::Executor& executor_;
  client::ApiClient& api_;
  const NodeTest is_there_;
  metrics::SchedulerMetrics* const metrics_;
  bool started_ = false;
  std::deque<Report> reports_;
  client::Background worker_;
};

}  // namespace bth::scheduler
