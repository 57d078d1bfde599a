// scheduler.conf: read at start, watched, swapped in between two cycles.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
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
  absl::Duration poll = absl::Seconds(1);  // One stat of the file per poll.
  // How long a file that changed must rest before it is read: whoever writes it in place may not
  // have come to its end.
  absl::Duration rest = absl::Milliseconds(200);
};

// A bad file at start is an error unless Volcano's fallback applies; a bad file later keeps the
// policy in force and says so in log, metric and event. A file that is replaced whole is never read
// by half; one that is written in place is not as long as its writer makes no pause of `rest`.
// Thread: I/O; the policies it makes are handed to the scheduling thread.
class PolicyFile {
 public:
  using Install = std::function<void(std::unique_ptr<framework::PolicyInstance>)>;
  using Refused = std::function<void(const absl::Status&)>;

  PolicyFile(net::Executor& executor, const framework::Registry& registry,
             metrics::SchedulerMetrics* metrics, PolicyFileOptions options);
  ~PolicyFile();

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
  // Identity of the file's content as far as one stat tells.
  struct Stamp {
    uint64_t inode = 0;
    int64_t modified_ns = 0;
    int64_t size = -1;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  Stamp Look() const;
  void Poll();
  void LookAgainIn(absl::Duration delay);
  absl::StatusOr<std::unique_ptr<framework::PolicyInstance>> Decide(bool at_start);

  net::Executor& executor_;
  const framework::Registry& registry_;
  metrics::SchedulerMetrics* const metrics_;
  const PolicyFileOptions options_;
  Install install_;
  Refused refused_;
  Stamp stamp_;       // Of what was read last.
  Stamp seen_stamp_;  // At the last look.
  std::shared_ptr<const conf::Policy> policy_;
  absl::Status refusal_;
  net::Executor::TimerId timer_ = 0;
};

}  // namespace bth::scheduler
