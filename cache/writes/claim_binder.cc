#include "cache/writes/claim_binder.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "cache/intake/compile_devices.h"
#include "cache/intake/object_key.h"
#include "cache/writes/allocation_body.h"
#include "cache/writes/claim_objects.h"
#include "client/finalizers.h"
#include "client/patch.h"
#include "client/typed_client.h"

namespace bth::cache {

using model::ClaimPlan;
using types::ResourceClaim;

namespace {

constexpr int kClaimTriesMax = 5;
constexpr absl::Duration kTellAfter = absl::Seconds(2);

bool IsUsedByOthers(const ResourceClaim& claim, const std::string& uid) {
  const auto& users = claim.status.reserved_for;
  return std::any_of(users.begin(), users.end(),
                     [&uid](const types::ClaimConsumer& user) { return user.uid != uid; });
}

absl::Status Gone(const std::string& key) {
  return absl::FailedPreconditionError(StrCat("resource claim ", key, " is gone"));
}

}  // namespace

ClaimBinder::ClaimBinder(client::ApiClient& api, Mirror& mirror, Report report, Notice notice,
                         std::function<void()> on_return)
    : api_(api),
      mirror_(mirror),
      report_(std::move(report)),
      notice_(std::move(notice)),
      returns_(api, mirror, attempts_, std::move(on_return)) {}

ClaimBinder::~ClaimBinder() {
  if (timer_ != 0) api_.executor().CancelTimer(timer_);
}

net::Awaitable<absl::StatusOr<bool>> ClaimBinder::Write(Order order) {
  attempts_.active.insert(order.uid);
  if (returns_.IsUnderWay(order.uid)) {
    co_return absl::ResourceExhaustedError("what the last attempt was given is being taken back");
  }
  const absl::Duration start = api_.executor().Monotonic();
  // Also if it is cut off.
  const bool was_sure = attempts_.unsure.insert(order.uid).second;
  for (size_t index = 0; index < order.plan->claims.size(); ++index) {
    absl::Status status = co_await WriteClaim(order, index);
    if (status.ok()) continue;
    if (was_sure && !client::OutcomeUnknown(status)) attempts_.unsure.erase(order.uid);
    co_return status;
  }
  attempts_.unsure.erase(order.uid);
  const bool waits = std::any_of(
      order.plan->claims.begin(), order.plan->claims.end(), [](const ClaimPlan::Claim& claim) {
        return claim.allocation != nullptr &&
               std::any_of(claim.allocation->devices.begin(), claim.allocation->devices.end(),
                           [](const auto& device) { return !device.binding_conditions.empty(); });
      });
  if (!waits) co_return true;
  Waiting entry;
  entry.deadline = start + order.plan->timeout;
  entry.tell_at = api_.executor().Monotonic() + kTellAfter;
  const std::string uid = order.uid;
  entry.order = std::move(order);
  waiting_[uid] = std::move(entry);
  // Not now: the caller is not ready for the answer.
  Rearm(absl::ZeroDuration());
  co_return false;
}

net::Awaitable<absl::Status> ClaimBinder::WriteClaim(const Order& order, size_t index) {
  for (int tries = 1;; ++tries) {
    absl::Status status = co_await WriteOnce(order, index);
    // Something changed between the read and the write: worth another look at once.
    if (!absl::IsAborted(status) || tries == kClaimTriesMax) co_return status;
  }
}

net::Awaitable<absl::Status> ClaimBinder::WriteOnce(const Order& order, size_t index) {
  const ClaimPlan::Claim& wanted = order.plan->claims[index];
  types::Pod pod;
  if (wanted.extended != nullptr) {
    absl::StatusOr<types::Pod> unbound = co_await ReadUnbound(order);
    if (!unbound.ok()) co_return unbound.status();
    pod = *std::move(unbound);
  }
  absl::StatusOr<ResourceClaim> claim;
  if (wanted.key.empty()) {
    claim = co_await EnsureExtended(order, index, pod.status.extended_claim);
    if (!claim.ok()) co_return claim.status();
    if (claim->meta.deletion_time) co_return Gone(claim->meta.Key());
  } else {
    auto [ns, name] = SplitKey(wanted.key);
    claim = co_await client::GetObject<ResourceClaim>(api_, ns, name);
    if (absl::IsNotFound(claim.status())) co_return Gone(wanted.key);
    if (!claim.ok()) co_return claim.status();
    if (claim->meta.uid != wanted.uid || claim->meta.deletion_time) co_return Gone(wanted.key);
  }
  const auto& allocation = claim->status.allocation;
  if (wanted.allocation == nullptr) {
    if (!allocation) {
      co_return absl::FailedPreconditionError(
          StrCat("resource claim ", wanted.key, " lost its devices"));
    }
  } else if (allocation && !HasDevices(*allocation, *wanted.allocation)) {
    if (IsUsedByOthers(*claim, order.uid)) {
      co_return absl::FailedPreconditionError(
          StrCat("resource claim ", wanted.key, " was allocated for another pod"));
    }
    if (IsUsedBy(*claim, order.uid)) {
      const absl::StatusOr<bool> runs_with_it = co_await returns_.IsBoundWith(order, *claim);
      if (!runs_with_it.ok()) co_return runs_with_it.status();
      if (*runs_with_it) {
        co_return absl::AlreadyExistsError(
            StrCat("pod ", order.pod, " is bound, with other devices of claim ", wanted.key));
      }
    }
    // What nobody uses is given up: an allocation is not changed, only taken back.
    client::MergePatch patch;
    patch.RequireResourceVersion(claim->meta.resource_version);
    patch.Remove({"status", "allocation"});
    patch.Remove({"status", "reservedFor"});
    const client::ApiClient::Text text =
        co_await api_.PatchStatus(PathOfClaim(*claim), patch.Build());
    if (!text.ok()) co_return text.status();
    claim = types::Decode<ResourceClaim>(std::string_view(*text));
    if (!claim.ok()) co_return claim.status();
  }
  if (wanted.allocation != nullptr && !claim->status.allocation) {
    claim = co_await AddFinalizer(*std::move(claim));
    if (!claim.ok()) co_return claim.status();
  }
  std::string written = claim->meta.name;
  absl::Status status = co_await WriteStatus(order, index, *std::move(claim));
  if (!status.ok() || wanted.extended == nullptr) co_return status;
  co_return co_await TellPod(order, index, std::move(written), std::move(pod));
}

net::Awaitable<absl::StatusOr<types::Pod>> ClaimBinder::ReadUnbound(const Order& order) {
  auto [ns, name] = SplitKey(order.pod);
  absl::StatusOr<types::Pod> pod = co_await client::GetObject<types::Pod>(api_, ns, name);
  if (absl::IsNotFound(pod.status()) || (pod.ok() && pod->meta.uid != order.uid)) {
    co_return absl::CancelledError(StrCat("pod ", order.pod, " is gone"));
  }
  if (!pod.ok()) co_return pod;
  if (!pod->spec.node_name.empty()) {
    co_return absl::AlreadyExistsError(
        StrCat("pod ", order.pod, " is bound to node ", pod->spec.node_name));
  }
  co_return pod;
}

net::Awaitable<absl::StatusOr<ResourceClaim>> ClaimBinder::EnsureExtended(const Order& order,
                                                                          size_t index,
                                                                          std::string told) {
  auto [ns, pod] = SplitKey(order.pod);
  std::string ours;
  if (const auto made = attempts_.made.find(order.uid); made != attempts_.made.end()) {
    ours = SplitKey(made->second).second;
  }
  if (!told.empty() && told != ours) {
    absl::StatusOr<ResourceClaim> there = co_await client::GetObject<ResourceClaim>(api_, ns, told);
    if (!there.ok() && !absl::IsNotFound(there.status())) co_return there;
    if (there.ok() && IsMadeFor(*there, order.uid)) {
      co_return absl::FailedPreconditionError(StrCat("resource claim ", there->meta.Key(),
                                                     ", made for pod ", order.pod,
                                                     " by another scheduler, is not known yet"));
    }
  }
  if (!ours.empty()) {
    absl::StatusOr<ResourceClaim> there = co_await client::GetObject<ResourceClaim>(api_, ns, ours);
    if (!absl::IsNotFound(there.status())) co_return there;
    attempts_.made.erase(order.uid);
  }
  const std::string body = ExtendedClaimBody({.ns = ns, .name = order.name, .uid = order.uid},
                                             *order.plan->claims[index].extended)
                               .Dump();
  client::ApiPath path = client::PathOf<ResourceClaim>(ns);
  const client::ApiClient::Text text = co_await api_.Create(std::move(path), body);
  if (!text.ok()) co_return text.status();
  absl::StatusOr<ResourceClaim> created = types::Decode<ResourceClaim>(std::string_view(*text));
  if (!created.ok()) co_return created.status();
  attempts_.made[order.uid] = created->meta.Key();
  mirror_.device_claims().NoteMade(order.uid, created->meta.Key());
  co_return created;
}

// Kubelets look there for what the containers get.
net::Awaitable<absl::Status> ClaimBinder::TellPod(const Order& order, size_t index,
                                                  std::string claim, types::Pod pod) {
  if (pod.status.extended_claim == claim) co_return absl::OkStatus();
  client::MergePatch patch;
  patch.RequireResourceVersion(pod.meta.resource_version);  // Bound since then: told by another.
  patch.Set({"status", "extendedResourceClaimStatus"},
            ExtendedStatusBody(*order.plan->claims[index].extended, claim));
  client::ApiPath path = client::PathOf<types::Pod>(pod.meta.ns, order.name);
  co_return (co_await api_.PatchStatus(std::move(path), patch.Build())).status();
}

net::Awaitable<absl::StatusOr<ResourceClaim>> ClaimBinder::AddFinalizer(ResourceClaim claim) {
  const auto& there = claim.meta.finalizers;
  if (std::find(there.begin(), there.end(), kDeviceFinalizer) != there.end())
    co_return std::move(claim);
  const client::ApiClient::Text text =
      co_await api_.Patch(PathOfClaim(claim), client::WithFinalizer(claim.meta, kDeviceFinalizer));
  if (!text.ok()) co_return text.status();
  co_return types::Decode<ResourceClaim>(std::string_view(*text));
}

net::Awaitable<absl::Status> ClaimBinder::WriteStatus(const Order& order, size_t index,
                                                      ResourceClaim claim) {
  const ClaimPlan::Claim& wanted = order.plan->claims[index];
  client::MergePatch patch;
  patch.RequireResourceVersion(claim.meta.resource_version);
  if (wanted.allocation != nullptr && !claim.status.allocation) {
    patch.Set({"status", "allocation"}, AllocationBody(*wanted.allocation, api_.executor().Now()));
  }
  if (!IsUsedBy(claim, order.uid)) {
    if (claim.status.reserved_for.size() >= model::kClaimConsumersMax) {
      co_return absl::FailedPreconditionError(
          StrCat("resource claim ", wanted.key, " has as many users as one may have"));
    }
    std::vector<types::ClaimConsumer> users = claim.status.reserved_for;
    users.push_back({.api_group = "", .resource = "pods", .name = order.name, .uid = order.uid});
    patch.Set({"status", "reservedFor"}, UsersBody(users));
  }
  uint64_t version = ClaimVersion(claim);
  if (!patch.empty()) {
    const client::ApiClient::Text text =
        co_await api_.PatchStatus(PathOfClaim(claim), patch.Build());
    if (!text.ok()) co_return text.status();
    const absl::StatusOr<ResourceClaim> written =
        types::Decode<ResourceClaim>(std::string_view(*text));
    if (!written.ok()) co_return written.status();
    version = ClaimVersion(*written);
  }
  mirror_.device_claims().NoteWritten(order.uid, wanted.key, version);
  co_return absl::OkStatus();
}

void ClaimBinder::Ended(const Order& order, bool is_bound) {
  waiting_.erase(order.uid);
  const bool tried = attempts_.active.erase(order.uid) > 0;
  const bool is_unsure = attempts_.unsure.erase(order.uid) > 0;
  if (tried && (is_unsure || !is_bound)) {
    mirror_.device_claims().TakeBack(order.uid);
    returns_.Add(order);  // But for what a pod that was bound runs with.
  } else {
    mirror_.device_claims().Forget(order.uid);
    attempts_.made.erase(order.uid);
  }
}

void ClaimBinder::GiveBack(Order order) {
  if (!attempts_.active.contains(order.uid)) returns_.AddLeft(std::move(order));
}

absl::Status ClaimBinder::Look(const Order& order) const {
  const std::optional<PodView> pod = mirror_.Pod(order.pod, order.uid);
  if (!pod || pod->status != model::TaskStatus::kBinding) {
    return absl::CancelledError(StrCat("pod ", order.pod, " is no more to be bound"));
  }
  absl::Status not_yet;
  for (const ClaimPlan::Claim& wanted : order.plan->claims) {
    if (wanted.allocation == nullptr) continue;
    const auto made = attempts_.made.find(order.uid);
    const bool is_made = wanted.key.empty() && made != attempts_.made.end();
    const std::string& key = is_made ? made->second : wanted.key;
    const model::DeviceClaimFacts* claim = mirror_.device_claims().Claim(key);
    if (claim == nullptr && is_made) {
      not_yet = absl::UnavailableError(StrCat("claim ", key, " does not show yet"));
      continue;
    }
    if (claim == nullptr || (!is_made && claim->uid != wanted.uid)) return Gone(key);
    const auto has = [claim](const model::AllocatedDeviceFacts& device, const std::string& type) {
      return std::find(claim->conditions.begin(), claim->conditions.end(),
                       model::DeviceConditionFacts{
                           .device = device.Key(), .share_id = device.share_id, .type = type}) !=
             claim->conditions.end();
    };
    for (const model::AllocatedDeviceFacts& device : wanted.allocation->devices) {
      for (const std::string& type : device.failure_conditions) {
        if (!has(device, type)) continue;
        return absl::FailedPreconditionError(
            StrCat("device ", device.Key(), " of claim ", wanted.key, " cannot be used: ", type));
      }
      for (const std::string& type : device.binding_conditions) {
        if (has(device, type) || !not_yet.ok()) continue;
        not_yet = absl::UnavailableError(StrCat("device ", device.Key(), " of claim ", wanted.key,
                                                " is not ready: waits for ", type));
      }
    }
  }
  return not_yet;
}

void ClaimBinder::Review() {
  const absl::Duration now = api_.executor().Monotonic();
  std::vector<std::pair<std::string, absl::Status>> done;
  absl::Duration first = absl::InfiniteDuration();
  for (auto& [uid, entry] : waiting_) {
    absl::Status status = Look(entry.order);
    if (absl::IsUnavailable(status)) {
      if (entry.deadline > now) {
        if (entry.tell_at <= now) Tell(entry, status);
        first = std::min(first, entry.tell_at <= now ? entry.deadline : entry.tell_at);
        continue;
      }
      status = absl::DeadlineExceededError(StrCat("timed out after ",
                                                  absl::FormatDuration(entry.order.plan->timeout),
                                                  ": ", std::string(status.message())));
    }
    done.emplace_back(uid, std::move(status));
  }
  for (const auto& [uid, status] : done) waiting_.erase(uid);
  for (auto& [uid, status] : done) report_(uid, std::move(status));
  if (first != absl::InfiniteDuration()) Rearm(first - now);
}

void ClaimBinder::Tell(Waiting& entry, const absl::Status& why) {
  if (entry.told == why.message()) return;
  entry.told = std::string(why.message());
  notice_(entry.order, entry.told);
}

void ClaimBinder::Rearm(absl::Duration wait) {
  if (timer_ != 0) api_.executor().CancelTimer(timer_);
  timer_ = api_.executor().RunAfter(std::max(wait, absl::ZeroDuration()), [this] {
    timer_ = 0;
    Review();
  });
}

}  // namespace bth::cache
