#include "cache/writes/volume_binder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "api/types/storage.h"
#include "base/status.h"
#include "base/strings.h"
#include "cache/intake/compile_volumes.h"
#include "cache/intake/object_key.h"
#include "client/patch.h"
#include "client/typed_client.h"

namespace bth::cache {

using model::ClaimFacts;
using model::VolumeFacts;
using model::VolumePlan;

namespace {

// Versions of one kind count up (KEP-5504); 0: not known.
uint64_t VersionNumber(const std::string& version) {
  uint64_t out = 0;
  return absl::SimpleAtoi(version, &out) ? out : 0;
}

template <typename T>
absl::StatusOr<uint64_t> VersionIn(const std::string& text) {
  BTH_ASSIGN_OR_RETURN(const T object, types::Decode<T>(std::string_view(text)));
  return VersionNumber(object.meta.resource_version);
}

types::Json ReferenceTo(const VolumePlan::Choice& choice) {
  const auto [ns, name] = SplitKey(choice.claim);
  types::Json out = types::Json::MakeObject();
  out["apiVersion"] = types::Json("v1");
  out["kind"] = types::Json("PersistentVolumeClaim");
  out["namespace"] = types::Json(ns);
  out["name"] = types::Json(name);
  out["uid"] = types::Json(choice.claim_uid);
  return out;
}

}  // namespace

VolumeBinder::VolumeBinder(client::ApiClient& api, const Mirror& mirror, Report report)
    : api_(api), mirror_(mirror), report_(std::move(report)) {}

VolumeBinder::~VolumeBinder() {
  if (timer_ != 0) api_.executor().CancelTimer(timer_);
}

net::Awaitable<absl::Status> VolumeBinder::Write(Order order) {
  constexpr int kTriesMax = 5;
  Waiting entry;
  entry.written.resize(order.plan->choices.size());
  const absl::Duration start = api_.executor().Monotonic();
  for (size_t choice = 0; choice < entry.written.size(); ++choice) {
    for (int tries = 1;; ++tries) {
      const absl::Status status = co_await WriteOnce(order, choice, &entry.written[choice]);
      if (status.ok()) break;
      // Something changed between the read and the write: worth another look at once.
      if (!absl::IsAborted(status) || tries == kTriesMax) co_return status;
    }
  }
  entry.deadline = start + order.plan->timeout;
  const std::string uid = order.uid;
  entry.order = std::move(order);
  waiting_[uid] = std::move(entry);
  // Not now: the caller is not ready for the answer.
  if (timer_ != 0) api_.executor().CancelTimer(timer_);
  timer_ = api_.executor().RunAfter(absl::ZeroDuration(), [this] {
    timer_ = 0;
    Review();
  });
  co_return absl::OkStatus();
}

net::Awaitable<absl::Status> VolumeBinder::WriteOnce(const Order& order, size_t choice,
                                                     Written* written) {
  const VolumePlan::Choice& chosen = order.plan->choices[choice];
  if (chosen.volume.empty()) {
    co_return co_await Annotate(chosen, order.node, written);
  }
  co_return co_await Claim(chosen, written);
}

// Reads first: what others write to a volume between two cycles must not make the binding fail.
net::Awaitable<absl::Status> VolumeBinder::Claim(const VolumePlan::Choice& choice,
                                                 Written* written) {
  const auto object =
      co_await client::GetObject<types::PersistentVolume>(api_, std::string(), choice.volume);
  if (!object.ok()) co_return object.status();
  Interner symbols;
  const std::shared_ptr<const VolumeFacts> volume = Compile(*object, symbols);
  if (volume->uid != choice.volume_uid || volume->deleting) {
    co_return absl::FailedPreconditionError(StrCat("volume ", choice.volume, " is being deleted"));
  }
  const bool reserved = !volume->claim.empty();
  if (reserved && (volume->claim != choice.claim ||
                   (!volume->claim_uid.empty() && volume->claim_uid != choice.claim_uid))) {
    co_return absl::FailedPreconditionError(
        StrCat("volume ", choice.volume, " was given to claim ", volume->claim));
  }
  written->version = VersionNumber(volume->resource_version);
  if (reserved && !volume->claim_uid.empty()) co_return absl::OkStatus();
  client::MergePatch patch;
  patch.RequireResourceVersion(volume->resource_version);
  patch.Set({"spec", "claimRef"}, ReferenceTo(choice));
  // Of volumes that their owner reserved, the mark stays off: they are not given back.
  if (!reserved) patch.Set({"metadata", "annotations", kBoundByController}, types::Json("yes"));
  client::ApiPath path = client::PathOf<types::PersistentVolume>("", choice.volume);
  const client::ApiClient::Text text = co_await api_.Patch(std::move(path), patch.Build());
  if (!text.ok()) co_return text.status();
  const absl::StatusOr<uint64_t> version = VersionIn<types::PersistentVolume>(*text);
  if (!version.ok()) co_return version.status();
  written->version = *version;
  co_return absl::OkStatus();
}

net::Awaitable<absl::Status> VolumeBinder::Annotate(const VolumePlan::Choice& choice,
                                                    const std::string& node, Written* written) {
  auto [ns, name] = SplitKey(choice.claim);
  const auto object = co_await client::GetObject<types::PersistentVolumeClaim>(api_, ns, name);
  if (!object.ok()) co_return object.status();
  Interner symbols;
  const std::shared_ptr<const ClaimFacts> claim = Compile(*object, symbols);
  if (claim->uid != choice.claim_uid || claim->deleting) {
    co_return absl::FailedPreconditionError(StrCat("claim ", choice.claim, " is being deleted"));
  }
  written->version = VersionNumber(claim->resource_version);
  if (claim->selected_node == node) co_return absl::OkStatus();
  if (!claim->selected_node.empty() || !claim->volume.empty()) {
    co_return absl::FailedPreconditionError(
        StrCat("claim ", choice.claim, " was bound otherwise meanwhile"));
  }
  client::MergePatch patch;
  patch.RequireResourceVersion(claim->resource_version);
  patch.Set({"metadata", "annotations", kSelectedNode}, types::Json(node));
  client::ApiPath path = client::PathOf<types::PersistentVolumeClaim>(ns, name);
  const client::ApiClient::Text text = co_await api_.Patch(std::move(path), patch.Build());
  if (!text.ok()) co_return text.status();
  const absl::StatusOr<uint64_t> version = VersionIn<types::PersistentVolumeClaim>(*text);
  if (!version.ok()) co_return version.status();
  written->version = *version;
  co_return absl::OkStatus();
}

void VolumeBinder::Review() {
  const absl::Duration now = api_.executor().Monotonic();
  std::vector<std::pair<std::string, absl::Status>> done;
  for (const auto& [uid, entry] : waiting_) {
    absl::Status status = Look(entry);
    if (absl::IsUnavailable(status)) {
      if (entry.deadline > now) continue;
      status = absl::DeadlineExceededError(StrCat("timed out after ",
                                                  absl::FormatDuration(entry.order.plan->timeout),
                                                  ": ", std::string(status.message())));
    }
    done.emplace_back(uid, std::move(status));
  }
  for (const auto& [uid, status] : done) waiting_.erase(uid);
  for (auto& [uid, status] : done) report_(uid, std::move(status));
  Rearm();
}

void VolumeBinder::Rearm() {
  if (timer_ != 0) api_.executor().CancelTimer(timer_);
  timer_ = 0;
  if (waiting_.empty()) return;
  absl::Duration first = absl::InfiniteDuration();
  for (const auto& [uid, entry] : waiting_) first = std::min(first, entry.deadline);
  const absl::Duration wait = first - api_.executor().Monotonic();
  timer_ = api_.executor().RunAfter(std::max(wait, absl::ZeroDuration()), [this] {
    timer_ = 0;
    Review();
  });
}

absl::Status VolumeBinder::Look(const Waiting& entry) const {
  const std::optional<PodView> pod = mirror_.Pod(entry.order.pod, entry.order.uid);
  if (!pod || pod->status != model::TaskStatus::kBinding) {
    return absl::CancelledError(StrCat("pod ", entry.order.pod, " is no more to be bound"));
  }
  const model::NodeFacts* node = mirror_.NodeNamed(entry.order.node);
  if (node == nullptr) {
    return absl::FailedPreconditionError(StrCat("node ", entry.order.node, " is gone"));
  }
  absl::Status not_yet;
  for (size_t choice = 0; choice < entry.order.plan->choices.size(); ++choice) {
    absl::Status status = LookAt(entry, choice, *node);
    if (!status.ok() && !absl::IsUnavailable(status)) return status;
    if (not_yet.ok()) not_yet = std::move(status);
  }
  return not_yet;
}

absl::Status VolumeBinder::LookAt(const Waiting& entry, size_t choice,
                                  const model::NodeFacts& node) const {
  const VolumePlan::Choice& chosen = entry.order.plan->choices[choice];
  const uint64_t written = entry.written[choice].version;
  const ClaimFacts* claim = mirror_.storage().Claim(chosen.claim);
  if (claim == nullptr || claim->uid != chosen.claim_uid) {
    return absl::FailedPreconditionError(StrCat("claim ", chosen.claim, " was deleted"));
  }
  if (claim->bound) {
    const VolumeFacts* volume = mirror_.storage().Volume(claim->volume);
    if (volume == nullptr) {
      return absl::UnavailableError(
          StrCat("volume ", claim->volume, " of claim ", chosen.claim, " is not known yet"));
    }
    if (volume->Reaches(node)) return absl::OkStatus();
    return absl::FailedPreconditionError(StrCat("volume ", claim->volume, " of claim ",
                                                chosen.claim, " cannot be used on node ",
                                                node.name));
  }
  if (chosen.volume.empty()) {
    const bool shows = VersionNumber(claim->resource_version) >= written;
    if (shows && claim->selected_node != node.name) {
      return absl::FailedPreconditionError(
          StrCat("no volume could be made for claim ", chosen.claim, " on node ", node.name));
    }
    return absl::UnavailableError(
        StrCat("claim ", chosen.claim, " waits for a volume to be made for node ", node.name));
  }
  const VolumeFacts* volume = mirror_.storage().Volume(chosen.volume);
  const bool shows = volume != nullptr && VersionNumber(volume->resource_version) >= written;
  if (volume == nullptr || (shows && !volume->IsClaimedBy(*claim))) {
    return absl::FailedPreconditionError(
        StrCat("volume ", chosen.volume, " went to another claim than ", chosen.claim));
  }
  return absl::UnavailableError(
      StrCat("claim ", chosen.claim, " waits to be bound to ", "volume ", chosen.volume));
}

}  // namespace bth::cache
