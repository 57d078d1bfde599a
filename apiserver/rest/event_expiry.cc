#include "apiserver/rest/event_expiry.h"

#include <utility>

namespace bth::apiserver {
namespace {

constexpr const char* kEvents = "events";
// Between them requests are served.
constexpr int kRemovedPerTurn = 64;

}  // namespace

void EventExpiry::Start() {
  for (const ObjectPtr& event : core_.store->Find(kEvents)->All("")) {
    entries_.emplace(event->revision, Entry{event->key, core_.executor.Monotonic()});
  }
  core_.store->OnCommit(
      [self = shared_from_this()](Collection& collection, const StoreEvent& event) {
        if (collection.name() == kEvents) self->OnCommit(event);
      });
  Arm();
}

void EventExpiry::OnCommit(const StoreEvent& event) {
  if (event.previous != nullptr) entries_.erase(event.previous->revision);
  if (event.type != EventType::kDeleted) {
    entries_.emplace(event.revision, Entry{event.object->key, core_.executor.Monotonic()});
  }
  if (timer_ == 0 || entries_.size() == limits_.count_max + 1) Arm();
}

bool EventExpiry::IsDue() const {
  if (entries_.empty()) return false;
  return entries_.size() > limits_.count_max ||
         core_.executor.Monotonic() - entries_.begin()->second.written >= limits_.age_max;
}

void EventExpiry::Arm() {
  core_.executor.CancelTimer(std::exchange(timer_, 0));
  if (entries_.empty()) return;
  absl::Duration wait = absl::ZeroDuration();
  if (!IsDue()) {
    wait = entries_.begin()->second.written + limits_.age_max - core_.executor.Monotonic();
  }
  timer_ = core_.executor.RunAfter(wait, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    self->timer_ = 0;
    self->Sweep();
  });
}

void EventExpiry::Sweep() {
  Collection& events = *core_.store->Find(kEvents);
  for (int i = 0; i < kRemovedPerTurn && IsDue(); ++i) {
    const ObjectPtr oldest = events.Get(entries_.begin()->second.key);
    core_.store->Remove(events, ParseStored(*oldest));  // Comes back through OnCommit.
    ++core_.counters.events_expired;
  }
  Arm();
}

void ExpireEvents(const std::shared_ptr<Core>& core, EventLimits limits) {
  std::make_shared<EventExpiry>(*core, limits)->Start();
}

}  // namespace bth::apiserver
