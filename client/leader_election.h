// One leader among several candidates, through a coordination.k8s.io/v1 Lease.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "api/types/json.h"
#include "base/rng.h"
#include "base/spaced_lines.h"
#include "client/api_client.h"
#include "client/background.h"

namespace bth::client {

struct LeaderElectionOptions {
  std::string namespace_name = "volcano-system";
  std::string lease_name;
  std::string identity;  // Unique among candidates: "<hostname>_<uuid>".
  absl::Duration lease_duration = absl::Seconds(15);
  absl::Duration renew_deadline = absl::Seconds(10);
  absl::Duration retry_period = absl::Seconds(2);
  // All of them are posted, so that they may stop or destroy the elector.
  std::function<void()> on_started;                   // We lead from now on.
  std::function<void()> on_lost;                      // We led and must stop acting at once.
  std::function<void(const std::string&)> on_leader;  // The holder changed.
};

// The messages that the flags of leader election are answered with, joined by ", ".
absl::Status CheckLeaderElection(const LeaderElectionOptions& options);

// Runs until lost or stopped. Times of other hosts are never compared with ours: a lease expires
// when we have not seen it change for its duration, by our monotonic clock. We count as leader for
// `renew_deadline` after the start of the last renewal that succeeded, which is shorter than the
// lease, so that two leaders never overlap as long as clocks run at about the same speed.
// Its `api` should be one of its own, so that renewals never wait behind other requests.
// Thread: the executor's.
class LeaderElector final {
 public:
  LeaderElector(ApiClient& api, Rng& rng, LeaderElectionOptions options);
  LeaderElector(const LeaderElector&) = delete;

  // Begins, or begins anew after the lease was lost.
  void Start();
  // Stops and, when leading, gives the lease back so that a successor need not wait for its
  // expiry. on_lost is not called.
  net::Awaitable<void> Stop();

  // Holds the lease and has renewed it in time: true is also right after a long pause of the
  // process, because the time is looked at, not a flag.
  bool is_leader() const;
  const std::string& leader() const { return observed_holder_; }
  const absl::Status& last_error() const { return last_error_; }

 private:
  net::Awaitable<void> Run();
  net::Awaitable<void> Renewing();
  void TellFailedAttempt();
  void Lost();
  // One attempt to get or keep the lease. kAborted: somebody else holds it or was faster.
  net::Awaitable<absl::Status> TryHold();
  net::Awaitable<absl::Status> Write(types::Json lease, bool create);
  net::Awaitable<absl::Status> Release();
  absl::StatusOr<types::Json> Observe(const std::string& text);
  types::Json Claimed(types::Json lease) const;
  absl::Duration AttemptTimeout() const;
  ApiPath LeasePath() const;
  void SetHolder(const std::string& holder);

  ApiClient& api_;
  Rng& rng_;
  const LeaderElectionOptions options_;
  std::optional<types::Json> lease_;  // As last read or written, with every field.
  std::string observed_spec_;         // Its spec, to notice changes.
  absl::Duration observed_at_;        // When we saw it change.
  std::string observed_holder_;
  bool leading_ = false;
  absl::Duration renewed_at_;  // Start of the last renewal that succeeded.
  absl::Status last_error_;
  SpacedLines failures_;
  Background work_;
};

}  // namespace bth::client
