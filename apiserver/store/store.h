// All objects of the server under one growing revision, in memory and optionally on disk.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/json.h"
#include "apiserver/store/collection.h"
#include "apiserver/store/journal.h"
#include "apiserver/store/watcher.h"
#include "net/awaitable.h"

namespace bth::apiserver {

struct StoreOptions {
  std::string data_dir;  // Empty: memory only.
  // The disk under `data_dir`; absent: the machine's. Asked once.
  std::function<std::unique_ptr<Disk>(const std::string& data_dir)> disk;
  HistoryLimits history;
  Watcher::Bounds watch;
  size_t watchers_max = 10'000;
  // The journal is rewritten when it has grown by this and by as much as a snapshot holds.
  size_t journal_bytes_min = size_t{16} << 20;
};

// A write is applied at once, and visible to later requests; whoever answers a request first
// awaits Durable(), and watchers hear of it when it is on disk. In memory nothing ever waits.
// Thread: the executor's.
class Store {
 public:
  // Reads what `data_dir` holds. Errors: it cannot be used, or committed data is damaged.
  static absl::StatusOr<std::unique_ptr<Store>> Create(net::Executor& executor,
                                                       StoreOptions options);
  ~Store();

  // The collection of that name, made on first use. References stay valid. With other fields than
  // before it is retired, so that clients list again.
  Collection& Declare(const std::string& name, std::vector<SelectableField> fields);
  Collection* Find(const std::string& name);
  const std::map<std::string, std::unique_ptr<Collection>>& collections() const {
    return collections_;
  }
  int64_t revision() const { return revision_; }

  // Creates or replaces; stamps metadata.resourceVersion. Preconditions are the caller's duty.
  ObjectPtr Put(Collection& collection, Json* object);
  ObjectPtr Put(Collection& collection, Json object) { return Put(collection, &object); }
  // Removes the object of `last`'s name; `last`, stamped as well, is what watchers are told.
  ObjectPtr Remove(Collection& collection, Json* last);
  ObjectPtr Remove(Collection& collection, Json last) { return Remove(collection, &last); }

  // Waits until everything applied so far is on disk. Errors: the disk failed, and nobody knows
  // whether it will be.
  net::Awaitable<absl::Status> Durable();
  bool NeedsSync() const { return journal_ != nullptr && synced_ < revision_; }
  // Watchers have been told of everything up to here.
  int64_t delivered() const { return journal_ == nullptr ? revision_ : synced_; }
  // Not OK while the disk fails. What was applied last is tried again each second; until it is on
  // disk neither readers nor writers are served.
  const absl::Status& health() const { return health_; }

  // Events after `since`, or without it the present objects as additions. Errors: kOutOfRange:
  // too old; kResourceExhausted: too many watchers.
  absl::StatusOr<std::shared_ptr<Watcher>> Watch(Collection& collection, Selection selection,
                                                 std::optional<int64_t> since);
  // How many are kept: one that ended, or whose reader went away, is dropped at once.
  size_t watchers() const;
  uint64_t watchers_overflowed() const { return watchers_overflowed_; }
  // Called after each event was applied, before the writer goes on; must not write itself.
  void OnCommit(std::function<void(Collection&, const StoreEvent&)> observer) {
    observers_.push_back(std::move(observer));
  }
  // The same for what is on disk, before watchers are told of it; in memory that is at once.
  void OnDurable(std::function<void(Collection&, const StoreEvent&)> observer) {
    durable_observers_.push_back(std::move(observer));
  }
  // Ends all watches of a collection and forgets its past, for example when it is no longer served.
  void Retire(Collection& collection);
  void CloseWatches();

 private:
  Store(net::Executor& executor, StoreOptions options);
  absl::Status Load();
  void Commit(Collection& collection, StoreEvent event);
  void Deliver(Collection& collection, const StoreEvent& event);
  void ForgetWatchers(const std::string& collection);
  void ScheduleSync();
  void Sync();
  void Fail(absl::Status failure);
  void CompactIfGrown();

  struct Waiter {
    int64_t revision;
    net::Promised<absl::Status> done;
  };

  net::Executor& executor_;
  const StoreOptions options_;
  std::map<std::string, std::unique_ptr<Collection>> collections_;
  std::map<std::string, std::vector<std::weak_ptr<Watcher>>> watchers_;  // By collection.
  bool walking_ = false;  // Over a list of watchers, which must not change meanwhile.
  std::vector<std::function<void(Collection&, const StoreEvent&)>> observers_;
  std::vector<std::function<void(Collection&, const StoreEvent&)>> durable_observers_;
  std::unique_ptr<Journal> journal_;  // Null: memory only.
  std::vector<std::pair<Collection*, StoreEvent>> undelivered_;
  std::vector<Waiter> waiters_;
  int64_t revision_ = 1;
  int64_t synced_ = 0;
  bool sync_scheduled_ = false;
  absl::Status health_;
  size_t compact_from_ = 0;  // Bytes of the log; more than 0 after an attempt that failed.
  uint64_t watchers_overflowed_ = 0;
  // Outlives the store in tasks it has posted.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace bth::apiserver
