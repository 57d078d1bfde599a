#include "client/informer.h"

#include <utility>

#include "absl/hash/hash.h"
#include "base/strings.h"
#include "client/server_contact.h"

namespace bth::client {
namespace {

constexpr size_t kReportedMax = 1000;

std::string ReportKey(const ObjectKey& key) {
  return StrCat(key.namespace_name, "/", key.name, "/", key.uid);
}

}  // namespace

InformerBase::InformerBase(ApiClient& api, Rng& rng, InformerOptions options)
    : executor_(api.executor()),
      options_(std::move(options)),
      reflector_(api, *this, rng, options_.reflector) {}

void InformerBase::KeepMalformed(const ObjectKey& key, const absl::Status& status) {
  ++malformed_;
  ObjectKey replaced;
  if (!key.name.empty()) {
    if (known_.Keep(key, &replaced)) DeliverDelete(replaced);
    unreadable_[{key.namespace_name, key.name}] = true;
  }
  // Beyond the limit everything is reported once more, rather than never again.
  if (reported_.size() >= kReportedMax) reported_.clear();
  const size_t reason = absl::HashOf(status.message());
  const auto [at, is_new] = reported_.try_emplace(ReportKey(key), reason);
  if (!is_new && std::exchange(at->second, reason) == reason) return;
  if (options_.on_malformed) options_.on_malformed(key, status);
}

void InformerBase::NoteReadable(const ObjectKey& key) {
  if (!reported_.empty()) reported_.erase(ReportKey(key));
  if (!unreadable_.empty()) unreadable_.erase({key.namespace_name, key.name});
}

void InformerBase::TellMalformedGone(const ObjectKey& key) {
  if (options_.on_malformed_gone) options_.on_malformed_gone(key);
}

void InformerBase::ApplyDelete(const ObjectKey& key) {
  const bool was_unreadable =
      !unreadable_.empty() && unreadable_.contains({key.namespace_name, key.name});
  NoteReadable(key);
  ObjectKey gone;
  if (known_.Forget(key, &gone)) {
    DeliverDelete(gone);
  } else if (was_unreadable) {
    TellMalformedGone(key);
  }
}

void InformerBase::NotePage(const std::string& version) {
  if (!version.empty()) list_version_ = version;
}

void InformerBase::NoteEvent(const std::string& version) {
  if (!version.empty()) told_ = version;
}

void InformerBase::BeginList() {
  known_.BeginList();
  for (auto& [name, is_listed] : unreadable_) is_listed = false;
  list_version_.clear();
}

void InformerBase::EndBatch() {
  DeliverTold(told_, false);
  DeliverBatchEnd();
}

void InformerBase::EndList() {
  for (const ObjectKey& key : known_.EndList()) {
    if (!unreadable_.empty()) unreadable_.erase({key.namespace_name, key.name});
    DeliverDelete(key);
  }
  for (auto at = unreadable_.begin(); at != unreadable_.end();) {
    const auto gone = at++;
    if (gone->second) continue;
    const ObjectKey key{gone->first.first, gone->first.second, ""};
    unreadable_.erase(gone);
    TellMalformedGone(key);
  }
  told_ = std::exchange(list_version_, {});
  DeliverTold(told_, true);
  DeliverBatchEnd();
  if (std::exchange(synced_, true)) return;
  if (on_synced_) on_synced_();
}

void InformerSet::Add(InformerBase& informer) {
  informers_.push_back(&informer);
  informer.SetOnSynced([this] { Wake(); });
}

void InformerSet::StartAll() {
  for (InformerBase* informer : informers_) informer->Start();
}

void InformerSet::StopAll() {
  for (InformerBase* informer : informers_) informer->Stop();
}

bool InformerSet::AllSynced() const {
  for (const InformerBase* informer : informers_) {
    if (!informer->HasSynced()) return false;
  }
  return true;
}

std::vector<std::string> InformerSet::Unsynced() const {
  std::vector<std::string> names;
  for (const InformerBase* informer : informers_) {
    if (!informer->HasSynced()) names.push_back(informer->name());
  }
  return names;
}

std::vector<std::string> InformerSet::Missing() const {
  std::vector<std::string> names;
  for (const InformerBase* informer : informers_) {
    if (informer->IsMissing()) names.push_back(informer->name());
  }
  return names;
}

void InformerSet::Wake() {
  for (const net::Promised<bool>& waiter : std::exchange(waiting_, {})) waiter.Set(true);
}

net::Awaitable<absl::Status> InformerSet::WaitForSync(absl::Duration timeout) {
  const absl::Duration deadline = executor_.Monotonic() + timeout;
  while (!AllSynced()) {
    const absl::Duration left = deadline - executor_.Monotonic();
    if (left <= absl::ZeroDuration()) {
      std::string message = "not synced in time:";
      for (const InformerBase* informer : informers_) {
        if (informer->HasSynced()) continue;
        const absl::Status& error = informer->last_error();
        const std::string_view reason = WasTold(error) ? "" : ToStd(error.message());
        StrAppend(&message, " ", informer->name(), reason.empty() ? "" : " (", reason,
                  reason.empty() ? "" : ")");
      }
      co_return absl::DeadlineExceededError(message);
    }
    const net::Promised<bool> woken(executor_);
    waiting_.push_back(woken);
    const net::Executor::TimerId timer = executor_.RunAfter(left, [woken] { woken.Set(true); });
    co_await woken.Wait();
    executor_.CancelTimer(timer);
  }
  co_return absl::OkStatus();
}

}  // namespace bth::client
