// A subscription to one collection: a bounded queue of events between store and response.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "apiserver/store/object.h"
#include "apiserver/store/selector.h"

namespace bth::apiserver {

enum class EventType : uint8_t { kAdded, kModified, kDeleted, kBookmark };

// What happened to an object. `object` is the new state, or for a deletion the last state with
// the deletion's revision; `previous` is null for a creation.
struct StoreEvent {
  int64_t revision = 0;
  EventType type = EventType::kAdded;
  ObjectPtr object;
  ObjectPtr previous;
};

// One event as a watcher sees it, after its selectors.
struct WatchItem {
  EventType type = EventType::kAdded;
  ObjectPtr object;  // Null for a bookmark.
  int64_t revision = 0;
  bool initial_end = false;  // Bookmark that closes the initial events.
};

// Made by Store::Watch, read by one response. Lifetime: until the response drops it; the store
// holds it weakly by registration. Thread: the executor's.
class Watcher {
 public:
  // At most this much may wait to be read; a watcher that falls further behind is closed.
  struct Bounds {
    size_t items_max = 10'000;
    size_t bytes_max = size_t{64} << 20;
  };
  Watcher(Selection selection, int64_t start, Bounds bounds)
      : selection_(std::move(selection)), start_(start), bounds_(bounds) {}

  // Called by the store for what is already there; does not count against the bound because the
  // objects are shared with the collection.
  void AddInitial(WatchItem item) {
    items_.push_back(std::move(item));
    ++initial_left_;
  }
  // Called by the store for an event after `start`; translates by the selectors.
  void Deliver(const StoreEvent& event);
  // No more events follow, for example because the resource is no longer served.
  void Close();

  bool has_items() const { return !items_.empty(); }
  WatchItem Take();
  // True when the reader was too slow and the queue was dropped, or after Close.
  bool closed() const { return closed_; }
  bool overflowed() const { return overflowed_; }
  // Called at most once per call of SetWakeup, when something can be taken or it is closed.
  void SetWakeup(std::function<void()> wakeup) { wakeup_ = std::move(wakeup); }
  const Selection& selection() const { return selection_; }
  int64_t start() const { return start_; }

 private:
  void Push(WatchItem item);
  void Wake();

  const Selection selection_;
  const int64_t start_;
  const Bounds bounds_;
  size_t initial_left_ = 0;  // How many of the first items are uncounted initial ones.
  size_t live_bytes_ = 0;    // Of the others.
  std::deque<WatchItem> items_;
  bool closed_ = false;
  bool overflowed_ = false;
  std::function<void()> wakeup_;
};

}  // namespace bth::apiserver
