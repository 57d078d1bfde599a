#include "client/leader_election.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "api/types/time.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/server_contact.h"

namespace bth::client {
namespace {

using types::Json;

// Attempts are spread over [retry_period, 2.2 x retry_period), as other candidates do.
constexpr double kJitter = 1.2;
constexpr absl::Duration kReleaseTimeout = absl::Seconds(3);

// Durations in messages look as users of these flags know them: "1m30s", "500ms", "0s".
std::string GoDuration(absl::Duration d) {
  if (d == absl::ZeroDuration()) return "0s";
  if (d < absl::Minutes(1)) return absl::FormatDuration(d);
  const int64_t hours = d / absl::Hours(1);
  const int64_t minutes = (d % absl::Hours(1)) / absl::Minutes(1);
  const double seconds = absl::ToDoubleSeconds(d % absl::Minutes(1));
  return StrCat(hours > 0 ? StrCat(hours, "h") : "", minutes, "m", seconds, "s");
}

int64_t LeaseSeconds(absl::Duration d) {
  return std::max<int64_t>(1, absl::ToInt64Seconds(absl::Ceil(d, absl::Seconds(1))));
}

}  // namespace

absl::Status CheckLeaderElection(const LeaderElectionOptions& options) {
  std::vector<std::string> errors;
  auto positive = [&errors](const char* field, absl::Duration value) {
    if (value > absl::ZeroDuration()) return;
    errors.push_back(StrCat("leaderElection.", field, ": Invalid value: \"", GoDuration(value),
                            "\": must be greater than zero"));
  };
  positive("leaseDuration", options.lease_duration);
  positive("renewDeadline", options.renew_deadline);
  positive("retryPeriod", options.retry_period);
  if (options.lease_duration <= options.renew_deadline) {
    errors.push_back(StrCat("leaderElection.leaseDuration: Invalid value: \"",
                            GoDuration(options.lease_duration),
                            "\": must be greater than `RenewDeadline`"));
  }
  if (options.renew_deadline <= options.retry_period * kJitter) {
    errors.push_back(StrCat("leaderElection.renewDeadline: Invalid value: \"",
                            GoDuration(options.renew_deadline),
                            "\": must be greater than 1.2 times `RetryPeriod`"));
  }
  if (options.namespace_name.empty()) {
    errors.push_back("leaderElection.resourceNamespace: Required value");
  }
  if (options.lease_name.empty()) errors.push_back("leaderElection.resourceName: Required value");
  if (errors.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrJoin(errors, ", "));
}

LeaderElector::LeaderElector(ApiClient& api, Rng& rng, LeaderElectionOptions options)
    : api_(api), rng_(rng), options_(std::move(options)) {}

bool LeaderElector::is_leader() const {
  return leading_ && api_.executor().Monotonic() - renewed_at_ < options_.renew_deadline;
}

void LeaderElector::Start() {
  work_.Stop();
  leading_ = false;
  work_.Keep(api_.executor(), "leader_election", [this] { return Run(); });
}

ApiPath LeaderElector::LeasePath() const {
  return {"leases", StrCat("/apis/coordination.k8s.io/v1/namespaces/",
                           net::PercentEncode(options_.namespace_name), "/leases/",
                           net::PercentEncode(options_.lease_name))};
}

void LeaderElector::SetHolder(const std::string& holder) {
  if (holder == observed_holder_) return;
  observed_holder_ = holder;
  if (!options_.on_leader || holder.empty()) return;
  api_.executor().Post([notify = options_.on_leader, holder] { notify(holder); });
}

absl::StatusOr<Json> LeaderElector::Observe(const std::string& text) {
  BTH_ASSIGN_OR_RETURN(Json lease, Json::Parse(text));
  std::string spec = lease["spec"].Dump();
  if (spec != observed_spec_) {
    observed_spec_ = std::move(spec);
    observed_at_ = api_.executor().Monotonic();
  }
  SetHolder(std::string(lease["spec"]["holderIdentity"].AsString()));
  lease_ = lease;
  return lease;
}

Json LeaderElector::Claimed(Json lease) const {
  const std::string now = types::FormatMicroTimestamp(api_.executor().Now());
  Json& spec = lease["spec"];
  if (spec["holderIdentity"].AsString() != options_.identity) {
    spec.Set("acquireTime", now);
    const bool first = spec["holderIdentity"].is_null();
    spec.Set("leaseTransitions", spec["leaseTransitions"].AsInt() + (first ? 0 : 1));
  }
  spec.Set("holderIdentity", options_.identity);
  spec.Set("leaseDurationSeconds", LeaseSeconds(options_.lease_duration));
  spec.Set("renewTime", now);
  return lease;
}

// While leading, no attempt may outlast the deadline, so that the loss is noticed in time.
absl::Duration LeaderElector::AttemptTimeout() const {
  if (!leading_) return options_.renew_deadline;
  const absl::Duration left = renewed_at_ + options_.renew_deadline - api_.executor().Monotonic();
  return std::max(left, absl::Milliseconds(1));
}

net::Awaitable<absl::Status> LeaderElector::Write(Json lease, bool create) {
  const absl::Duration sent_at = api_.executor().Monotonic();
  ApiRequest request;
  request.verb = create ? "create" : "update";
  request.method = create ? "POST" : "PUT";
  request.path = LeasePath();
  if (create) request.path.path.resize(request.path.path.rfind('/'));
  request.body = lease.Dump();
  request.timeout = AttemptTimeout();
  ApiClient::Text answer = co_await api_.Call(std::move(request));
  if (!answer.ok()) {
    // Whatever happened, what we know of the lease may be outdated.
    lease_.reset();
    co_return WithContext(answer.status(), create ? "create lease" : "update lease");
  }
  BTH_CO_RETURN_IF_ERROR(Observe(*answer));
  renewed_at_ = sent_at;
  co_return absl::OkStatus();
}

net::Awaitable<absl::Status> LeaderElector::TryHold() {
  // While leading, the last answer is the newest state unless somebody interfered.
  if (is_leader() && lease_.has_value()) {
    Json renewed = Claimed(*lease_);
    const absl::Status status = co_await Write(std::move(renewed), false);
    if (status.ok()) co_return status;
    if (!absl::IsAborted(status) && !absl::IsNotFound(status)) co_return status;
  }
  ApiRequest read;
  read.verb = "get";
  read.path = LeasePath();
  read.timeout = AttemptTimeout();
  ApiClient::Text text = co_await api_.Call(std::move(read));
  if (absl::IsNotFound(text.status())) {
    Json metadata =
        Json::MakeObject({{"name", options_.lease_name}, {"namespace", options_.namespace_name}});
    Json fresh = Json::MakeObject({{"apiVersion", "coordination.k8s.io/v1"},
                                   {"kind", "Lease"},
                                   {"metadata", std::move(metadata)}});
    Json claimed = Claimed(std::move(fresh));
    co_return co_await Write(std::move(claimed), true);
  }
  if (!text.ok()) co_return WithContext(text.status(), "get lease");
  BTH_CO_ASSIGN_OR_RETURN(Json lease, Observe(*text));
  const Json& spec = lease["spec"];
  const std::string_view holder = spec["holderIdentity"].AsString();
  if (!holder.empty() && holder != options_.identity) {
    const int64_t seconds = std::clamp<int64_t>(spec["leaseDurationSeconds"].AsInt(), 1, 86'400);
    if (api_.executor().Monotonic() < observed_at_ + absl::Seconds(seconds)) {
      co_return absl::AbortedError(StrCat("lease is held by ", std::string(holder)));
    }
  }
  Json claimed = Claimed(std::move(lease));
  co_return co_await Write(std::move(claimed), false);
}

net::Awaitable<void> LeaderElector::Run() {
  if (leading_) co_return Lost();  // A run that was cut off while it led renews no more.
  for (;;) {
    last_error_ = co_await TryHold();
    if (last_error_.ok()) break;
    // Losing a race against another candidate is no failure.
    const bool lost_race = absl::IsAborted(last_error_) || absl::IsAlreadyExists(last_error_);
    if (!lost_race && !WasTold(last_error_)) TellFailedAttempt();
    co_await net::Sleep(api_.executor(), options_.retry_period * (1 + kJitter * rng_.Unit()));
  }
  leading_ = true;
  Log(LogLevel::kInfo, "leader_election.acquired", {{"lease", options_.lease_name}});
  if (options_.on_started) api_.executor().Post([notify = options_.on_started] { notify(); });
  co_await Renewing();
  Lost();
}

// Attempts come every few seconds, for as long as it takes to grant a right.
void LeaderElector::TellFailedAttempt() {
  const auto line = failures_.Note(std::string(last_error_.message()), api_.executor().Monotonic());
  if (!line) return;
  const std::string remedy =
      absl::IsPermissionDenied(last_error_)
          ? StrCat("grant create on leases, and get and update on lease ", options_.lease_name,
                   " in namespace ", options_.namespace_name)
          : "none needed if it ends by itself: it is tried again";
  Log(LogLevel::kWarning, "leader_election.attempt_failed",
      {{"error", last_error_},
       {"remedy", remedy},
       {"times", line->times},
       {"next_line_in", line->next_in}});
}

void LeaderElector::Lost() {
  leading_ = false;
  Log(LogLevel::kError, "leader_election.lost",
      {{"lease", options_.lease_name}, {"error", last_error_}});
  if (options_.on_lost) api_.executor().Post([notify = options_.on_lost] { notify(); });
}

net::Awaitable<void> LeaderElector::Renewing() {
  while (is_leader()) {
    const absl::Duration left = renewed_at_ + options_.renew_deadline - api_.executor().Monotonic();
    co_await net::Sleep(api_.executor(), std::min(left, options_.retry_period));
    // After a long pause of the process others may lead already: renewing would be too late.
    if (!is_leader()) break;
    last_error_ = co_await TryHold();
    const bool taken = observed_holder_ != options_.identity;
    if (!last_error_.ok() && taken) break;
  }
}

net::Awaitable<absl::Status> LeaderElector::Release() {
  ApiRequest read;
  read.verb = "get";
  read.path = LeasePath();
  read.timeout = kReleaseTimeout;
  ApiClient::Text text = co_await api_.Call(std::move(read));
  BTH_CO_RETURN_IF_ERROR(text);
  BTH_CO_ASSIGN_OR_RETURN(Json lease, Json::Parse(*text));
  Json& spec = lease["spec"];
  if (spec["holderIdentity"].AsString() != options_.identity) co_return absl::OkStatus();
  const std::string now = types::FormatMicroTimestamp(api_.executor().Now());
  spec.Set("holderIdentity", "");
  spec.Set("leaseDurationSeconds", 1);
  spec.Set("renewTime", now);
  spec.Set("acquireTime", now);
  ApiRequest write;
  write.verb = "update";
  write.method = "PUT";
  write.path = LeasePath();
  write.body = lease.Dump();
  write.timeout = kReleaseTimeout;
  const ApiClient::Text answer = co_await api_.Call(std::move(write));
  co_return answer.status();
}

net::Awaitable<void> LeaderElector::Stop() {
  work_.Stop();
  const bool holds = std::exchange(leading_, false);
  if (!holds) co_return;
  const absl::Status status = co_await Release();
  if (!status.ok()) Log(LogLevel::kWarning, "leader_election.not_released", {{"error", status}});
}

}  // namespace bth::client
