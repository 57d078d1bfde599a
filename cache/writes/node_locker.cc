#include "cache/writes/node_locker.h"

#include <utility>

#include "api/model/devices.h"
#include "api/types/node.h"
#include "api/types/time.h"
#include "base/strings.h"
#include "client/patch.h"
#include "client/typed_client.h"
#include "net/awaitable.h"

namespace bth::cache {
namespace {

constexpr int kTriesMax = 5;  // While others write to the node.
constexpr absl::Duration kPause = absl::Milliseconds(100);

}  // namespace

net::Awaitable<absl::Status> NodeLocker::Take(Lock* lock) {
  for (int tries = 1;; ++tries) {
    const absl::Status status = co_await TryTake(lock);
    if (!absl::IsAborted(status)) co_return status;
    if (tries == kTriesMax) {
      co_return absl::AbortedError(StrCat("setNodeLock exceeds retry count ", kTriesMax));
    }
    co_await net::Sleep(api_.executor(), kPause);
  }
}

net::Awaitable<absl::Status> NodeLocker::TryTake(Lock* lock) {
  const auto node = co_await client::GetObject<types::Node>(api_, std::string(), lock->node);
  if (!node.ok()) co_return node.status();
  const absl::Time now = api_.executor().Now();
  if (const std::string* text = node->meta.annotations.Find(lock->name); text != nullptr) {
    absl::Time since;
    if (!absl::ParseTime(absl::RFC3339_full, *text, &since, nullptr)) {
      co_return absl::AlreadyExistsError(
          StrCat("lock ", lock->name, " of node ", lock->node, " has no time: \"", *text, "\""));
    }
    if (since > now - model::kNodeLockLasts) {
      co_return absl::AlreadyExistsError(
          StrCat("node ", lock->node, " has been locked within 5 minutes"));
    }
  }
  std::string value = types::FormatTimestamp(now);
  client::MergePatch patch;
  patch.RequireResourceVersion(node->meta.resource_version);
  patch.Set({"metadata", "annotations", lock->name}, types::Json(value));
  client::ApiPath path = client::PathOf<types::Node>("", lock->node);
  const client::ApiClient::Text text = co_await api_.Patch(std::move(path), patch.Build());
  // Of an outcome that is unknown it is told later whether it was taken: by its value.
  if (text.ok() || client::OutcomeUnknown(text.status())) lock->value = std::move(value);
  co_return text.status();
}

net::Awaitable<absl::Status> NodeLocker::GiveBack(Lock lock) {
  for (int tries = 1;; ++tries) {
    const absl::Status status = co_await TryGiveBack(lock);
    if (!absl::IsAborted(status) || tries == kTriesMax) co_return status;
    co_await net::Sleep(api_.executor(), kPause);
  }
}

net::Awaitable<absl::Status> NodeLocker::TryGiveBack(const Lock& lock) {
  const auto node = co_await client::GetObject<types::Node>(api_, std::string(), lock.node);
  if (absl::IsNotFound(node.status())) co_return absl::OkStatus();
  if (!node.ok()) co_return node.status();
  if (node->meta.Annotation(lock.name) != lock.value) co_return absl::OkStatus();
  client::MergePatch patch;
  patch.RequireResourceVersion(node->meta.resource_version);
  patch.Remove({"metadata", "annotations", lock.name});
  client::ApiPath path = client::PathOf<types::Node>("", lock.node);
  const client::ApiClient::Text text = co_await api_.Patch(std::move(path), patch.Build());
  co_return text.status();
}

}  // namespace bth::cache
