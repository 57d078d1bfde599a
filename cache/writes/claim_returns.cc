#include "cache/writes/claim_returns.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/doubled.h"
#include "base/log.h"
#include "base/strings.h"
#include "cache/intake/compile_devices.h"
#include "cache/intake/object_key.h"
#include "client/finalizers.h"
#include "client/typed_client.h"

namespace bth::cache {

using model::ClaimPlan;
using types::ResourceClaim;

namespace {

constexpr int kReturnTriesMax = 5;
constexpr absl::Duration kReturnPauseLeast = absl::Seconds(1);
constexpr absl::Duration kReturnPauseMost = absl::Minutes(1);

// The claim has the devices of the plan, or those that it had before.
bool HasPlanned(const ResourceClaim& claim, const ClaimPlan::Claim& wanted) {
  return claim.status.allocation &&
         (wanted.allocation == nullptr || HasDevices(*claim.status.allocation, *wanted.allocation));
}

}  // namespace

ClaimReturns::ClaimReturns(client::ApiClient& api, Mirror& mirror, ClaimAttempts& attempts,
                           std::function<void()> on_work)
    : api_(api),
      mirror_(mirror),
      attempts_(attempts),
      on_work_(std::move(on_work)),
      later_(api.executor(), [this](Return wanted) { AddReady(std::move(wanted)); }) {}

void ClaimReturns::Add(ClaimOrder order) {
  AddReady({.order = std::move(order), .is_assumed = true});
}

void ClaimReturns::AddLeft(ClaimOrder order) {
  const bool is_on_its_way =
      IsUnderWay(order.uid) ||
      std::any_of(ready_.begin(), ready_.end(),
                  [&order](const Return& other) { return other.order.uid == order.uid; });
  if (is_on_its_way) return;
  AddReady({.order = std::move(order), .is_assumed = false});
}

void ClaimReturns::AddReady(Return wanted) {
  ready_.push_back(std::move(wanted));
  on_work_();
}

void ClaimReturns::TryLater(Return wanted) {
  const absl::Duration pause = Doubled(kReturnPauseLeast, wanted.failures++, kReturnPauseMost);
  later_.Park(std::move(wanted), pause);
}

net::Awaitable<void> ClaimReturns::ReturnOne() {
  Return wanted = std::move(ready_.front());
  ready_.pop_front();
  // The next attempt counts on what this one wrote.
  if (attempts_.active.contains(wanted.order.uid)) {
    if (wanted.is_assumed) TryLater(std::move(wanted));
    co_return;
  }
  const auto mark = under_way_.insert(wanted.order.uid);
  bool is_done = false;
  try {
    is_done = co_await ReturnAll(wanted.order);
  } catch (...) {
    under_way_.erase(mark);
    if (wanted.is_assumed) TryLater(std::move(wanted));
    throw;
  }
  under_way_.erase(mark);
  if (!wanted.is_assumed) co_return;
  if (is_done) {
    mirror_.device_claims().Forget(wanted.order.uid);
  } else {
    TryLater(std::move(wanted));
  }
}

// False: not all of it could be taken back.
net::Awaitable<bool> ClaimReturns::ReturnAll(const ClaimOrder& order) {
  bool is_done = true;
  for (size_t index = 0; index < order.plan->claims.size(); ++index) {
    const absl::Status status = co_await ReturnClaim(order, index);
    if (status.ok()) continue;
    is_done = false;
    // A cycle that does not place the pod asks again for what an earlier life left.
    Log(LogLevel::kWarning, "claim.not_released",
        {{"claim", order.plan->claims[index].key}, {"pod", order.pod}, {"status", status}});
  }
  co_return is_done;
}

net::Awaitable<absl::Status> ClaimReturns::ReturnClaim(const ClaimOrder& order, size_t index) {
  for (int tries = 1;; ++tries) {
    absl::Status status = co_await ReturnOnce(order, index);
    if (absl::IsAborted(status) && tries < kReturnTriesMax) continue;
    if (status.ok() && order.plan->claims[index].key.empty()) attempts_.made.erase(order.uid);
    co_return status;
  }
}

net::Awaitable<absl::Status> ClaimReturns::ReturnOnce(const ClaimOrder& order, size_t index) {
  const ClaimPlan::Claim& wanted = order.plan->claims[index];
  std::string key = wanted.key;
  if (const auto made = attempts_.made.find(order.uid);
      key.empty() && made != attempts_.made.end()) {
    key = made->second;
  }
  if (key.empty()) co_return absl::OkStatus();
  auto [ns, name] = SplitKey(key);
  const absl::StatusOr<ResourceClaim> claim =
      co_await client::GetObject<ResourceClaim>(api_, ns, name);
  const bool is_made = wanted.key.empty();
  const bool is_gone =
      absl::IsNotFound(claim.status()) || (claim.ok() && !is_made && claim->meta.uid != wanted.uid);
  if (is_gone) {
    mirror_.device_claims().NoteWritten(order.uid, key, std::numeric_limits<uint64_t>::max());
    co_return absl::OkStatus();
  }
  if (!claim.ok()) co_return claim.status();
  mirror_.device_claims().NoteWritten(order.uid, key, ClaimVersion(*claim));
  std::vector<types::ClaimConsumer> users = claim->status.reserved_for;
  std::erase_if(users,
                [&order](const types::ClaimConsumer& user) { return user.uid == order.uid; });
  const bool was_user = users.size() != claim->status.reserved_for.size();
  // Devices that nobody uses are nobody's, whichever attempt chose them.
  const bool gives_back = users.empty() && HasPlanned(*claim, wanted);
  if (!is_made && !was_user && !gives_back) co_return absl::OkStatus();
  // After the claim was read: who bound it since then found it as it was read, or changed it.
  const absl::StatusOr<bool> runs_with_it = co_await IsBoundWith(order, *claim);
  if (!runs_with_it.ok()) co_return runs_with_it.status();
  if (*runs_with_it) co_return absl::OkStatus();
  if (is_made) co_return co_await Delete(*claim);
  client::MergePatch patch;
  patch.RequireResourceVersion(claim->meta.resource_version);
  if (was_user) patch.Set({"status", "reservedFor"}, UsersBody(users));
  if (gives_back) patch.Remove({"status", "allocation"});
  const client::ApiClient::Text text =
      co_await api_.PatchStatus(PathOfClaim(*claim), patch.Build());
  if (!text.ok()) co_return text.status();
  const absl::StatusOr<ResourceClaim> written =
      types::Decode<ResourceClaim>(std::string_view(*text));
  if (!written.ok()) co_return written.status();
  mirror_.device_claims().NoteWritten(order.uid, key, ClaimVersion(*written));
  if (!gives_back) co_return absl::OkStatus();
  const client::ApiClient::Text unprotected = co_await Unprotect(*written);
  co_return unprotected.status();
}

net::Awaitable<absl::StatusOr<bool>> ClaimReturns::IsBoundWith(const ClaimOrder& order,
                                                               const ResourceClaim& claim) {
  auto [ns, name] = SplitKey(order.pod);
  const absl::StatusOr<types::Pod> pod = co_await client::GetObject<types::Pod>(api_, ns, name);
  if (absl::IsNotFound(pod.status())) co_return false;
  if (!pod.ok()) co_return pod.status();
  if (pod->meta.uid != order.uid || pod->spec.node_name.empty()) co_return false;
  // Two schedulers may have made one each: the pod runs with the one that it was told of.
  if (IsMadeFor(claim, order.uid)) co_return pod->status.extended_claim == claim.meta.name;
  co_return IsUsedBy(claim, order.uid);
}

// Takes off the finalizer that keeps it while it has devices.
net::Awaitable<client::ApiClient::Text> ClaimReturns::Unprotect(const ResourceClaim& claim) {
  co_return co_await api_.Patch(PathOfClaim(claim),
                                client::WithoutFinalizer(claim.meta, kDeviceFinalizer));
}

// Nobody else can use it: it was made for that pod.
net::Awaitable<absl::Status> ClaimReturns::Delete(ResourceClaim claim) {
  const client::ApiClient::Text text = co_await Unprotect(claim);
  if (absl::IsNotFound(text.status())) co_return absl::OkStatus();
  if (!text.ok()) co_return text.status();
  client::DeleteOptions options;
  options.uid = claim.meta.uid;
  client::ApiPath path = PathOfClaim(claim);
  const client::ApiClient::Text gone = co_await api_.Delete(std::move(path), std::move(options));
  co_return absl::IsNotFound(gone.status()) ? absl::OkStatus() : gone.status();
}

}  // namespace bth::cache
