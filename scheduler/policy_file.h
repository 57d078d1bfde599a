// scheduler.conf: read at start, watched, swapped in between two cycles.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "client/file_watch.h"
#include "conf/policy.h"
#include "conf/reload.h"
#include "framework/hooks/plugin.h"
#include "framework/session/cycle.h"
#include "metrics/scheduler_metrics.h"
#include "net/awaitable.h"

namespace bth::scheduler {

struct PolicyFileOptions {
  std::string path;  // Empty: the built-in policy.
  bool disable_default = false;
  bool agent = false;  // The built-in policy is that of the agent scheduler.
  absl::Duration poll = client::FileWatchOptions().poll;  // How often the file is looked at.
};

// A bad file at start is an error unless Volcano's fallback applies; a bad file later keeps the
// policy in force and says so in log, metric and event. When a file counts as changed, says
// client::FileWatch. Thread: I/O; the policies it makes are handed to the scheduling thread.
class PolicyFile {
 public:
  using Install = std::function<void(std::unique_ptr<framework::PolicyInstance>)>;
  using Refused = std::function<void(const absl::Status&)>;

  PolicyFile(net::Executor& executor, const framework::Registry& registry,
             metrics::SchedulerMetrics* metrics, PolicyFileOptions options);

  // Reads the file for the first time.
  absl::StatusOr<std::unique_ptr<framework::PolicyInstance>> Load();
  // From now on gives each accepted new policy to `install`, and tells `refused` of each bad file.
  void Watch(Install install, Refused refused = nullptr);
  // The policy in force with nothing remembered from former cycles.
  absl::StatusOr<std::unique_ptr<framework::PolicyInstance>> Remake() const;
  // Looks at once, whatever the file's time stamp says (SIGHUP).
  void Reload();
  // What the last refused file was refused for; OK when the newest file is in force.
  const absl::Status& refusal() const { return refusal_; }

 private:
  absl::StatusOr<std::unique_ptr<framework::PolicyInstance>> Decide(bool at_start);

  const framework::Registry& registry_;
  metrics::SchedulerMetrics* const metrics_;
  const PolicyFileOptions options_;
  Install install_;
  Refused refused_;
  std::shared_ptr<const conf::Policy> policy_;
  absl::Status refusal_;
  client::FileWatch watch_;
};

}  // namespace bth::scheduler
