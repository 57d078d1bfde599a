#include "scheduler/orphaned_reports.h"

#include <algorithm>

#include "api/types/numa_topology.h"
#include "api/types/resource.h"
#include "base/log.h"
#include "client/server_contact.h"
#include "client/typed_client.h"

namespace bth::scheduler {
namespace {

constexpr size_t kReportsMax = 10'000;
constexpr int kAttemptsMax = 6;
constexpr absl::Duration kDeletePauseFirst = absl::Milliseconds(200);
constexpr absl::Duration kDeletePauseMax = absl::Seconds(30);

// It is gone, or is another one by now.
bool IsSettled(const absl::Status& status) {
  return status.ok() || absl::IsNotFound(status) || absl::IsAborted(status) ||
         absl::IsAlreadyExists(status);
}

}  // namespace

void OrphanedReports::Stop() {
  started_ = false;
  worker_.Stop();
  reports_.clear();
}

void OrphanedReports::Add(const std::string& node, const std::string& uid) {
  if (!started_) return;
  if (reports_.size() >= kReportsMax) {
    if (metrics_ != nullptr) metrics_->LimitReached("orphaned_reports");
    return;
  }
  reports_.push_back({.node = node, .uid = uid});
  if (worker_.running()) return;
  worker_.Stop();
  worker_.Keep(executor_, "orphaned_reports", [this] { return DeleteAll(); });
}

net::Awaitable<void> OrphanedReports::DeleteAll() {
  while (!reports_.empty()) {
    Report report = std::move(reports_.front());
    reports_.pop_front();
    co_await DeleteOne(std::move(report));
  }
}

net::Awaitable<void> OrphanedReports::DeleteOne(Report report) {
  absl::Duration pause = kDeletePauseFirst;
  for (int attempt = 1;; ++attempt) {
    if (is_there_(report.node)) co_return;
    client::ApiPath path = client::PathOf<types::Numatopology>("", report.node);
    client::DeleteOptions options{.uid = report.uid};
    const client::ApiClient::Text answer =
        co_await api_.Delete(std::move(path), std::move(options));
    if (IsSettled(answer.status())) co_return;
    if (attempt == kAttemptsMax || absl::IsPermissionDenied(answer.status())) {
      Log(LogLevel::kWarning, "numa_report.not_deleted",
          {{"node", report.node},
           {"status", answer.status()},
           {"remedy",
            "grant delete on numatopologies, as deploy/scheduler/rbac.yaml does, and "
            "delete the Numatopology of the node"}});
      co_return;
    }
    co_await net::Sleep(executor_, pause);
    pause = std::min(2 * pause, kDeletePauseMax);
  }
}

}  // namespace bth::scheduler
