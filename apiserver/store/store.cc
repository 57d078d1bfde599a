#include "apiserver/store/store.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {

namespace {

// Between attempts to write what a disk did not take.
constexpr absl::Duration kRetryPause = absl::Seconds(1);

void CloseAll(const std::vector<std::weak_ptr<Watcher>>& list) {
  for (const auto& weak : list) {
    if (const std::shared_ptr<Watcher> watcher = weak.lock()) watcher->Close();
  }
}

}  // namespace

Store::Store(net::Executor& executor, StoreOptions options)
    : executor_(executor), options_(std::move(options)) {}

Store::~Store() {
  *alive_ = false;
  CloseWatches();
}

void Store::CloseWatches() {
  walking_ = true;
  for (auto& [name, list] : watchers_) CloseAll(list);
  walking_ = false;
}

absl::StatusOr<std::unique_ptr<Store>> Store::Create(net::Executor& executor,
                                                     StoreOptions options) {
  std::unique_ptr<Store> store(new Store(executor, std::move(options)));
  if (!store->options_.data_dir.empty()) {
    BTH_RETURN_IF_ERROR(Annotate(store->Load(), "load data directory"));
  }
  store->synced_ = store->revision_;
  return store;
}

absl::Status Store::Load() {
  auto read = [this](const JournalRecord& record) -> absl::Status {
    revision_ = std::max(revision_, record.revision);
    if (record.kind == JournalRecord::Kind::kRevision) return absl::OkStatus();
    Collection& collection = Declare(std::string(record.collection), {});
    absl::StatusOr<Json> object =
        Json::Parse(record.bytes, {.bytes_max = record.bytes.size(), .depth_max = 256});
    if (!object.ok()) return absl::DataLossError("a record holds no JSON object");
    ObjectPtr stored = MakeStored(*object, {});
    if (record.kind == JournalRecord::Kind::kPut) {
      collection.Restore(std::move(stored));
    } else {
      collection.Apply({record.revision, EventType::kDeleted, stored, stored}, {.events_max = 0});
    }
    return absl::OkStatus();
  };
  std::unique_ptr<Disk> disk =
      options_.disk ? options_.disk(options_.data_dir) : MakeFolderDisk(options_.data_dir);
  BTH_ASSIGN_OR_RETURN(journal_, Journal::Open(std::move(disk), read));
  // What happened before the start is not kept: older watches relist.
  for (auto& [name, collection] : collections_) collection->ForgetHistoryUpTo(revision_);
  return absl::OkStatus();
}

Collection& Store::Declare(const std::string& name, std::vector<SelectableField> fields) {
  std::unique_ptr<Collection>& slot = collections_[name];
  if (slot == nullptr) {
    slot = std::make_unique<Collection>(name, std::move(fields));
    // A collection unknown so far has no past that could be asked for.
    if (journal_ != nullptr) slot->ForgetHistoryUpTo(revision_);
  } else if (fields != slot->fields()) {
    slot->SetFields(std::move(fields));
    // Watchers and history know only the values of the fields before.
    Retire(*slot);
  }
  return *slot;
}

Collection* Store::Find(const std::string& name) {
  auto it = collections_.find(name);
  return it == collections_.end() ? nullptr : it->second.get();
}

ObjectPtr Store::Put(Collection& collection, Json* object) {
  const int64_t revision = revision_ + 1;
  (*object)["metadata"].Set("resourceVersion", StrCat(revision));
  ObjectPtr stored = MakeStored(*object, collection.fields());
  ObjectPtr previous = collection.Get(stored->key);
  const EventType type = previous == nullptr ? EventType::kAdded : EventType::kModified;
  Commit(collection, {revision, type, stored, std::move(previous)});
  return stored;
}

ObjectPtr Store::Remove(Collection& collection, Json* last) {
  const int64_t revision = revision_ + 1;
  (*last)["metadata"].Set("resourceVersion", StrCat(revision));
  ObjectPtr stored = MakeStored(*last, collection.fields());
  ObjectPtr previous = collection.Get(stored->key);
  BTH_CHECK(previous != nullptr);
  Commit(collection, {revision, EventType::kDeleted, stored, std::move(previous)});
  return stored;
}

void Store::Commit(Collection& collection, StoreEvent event) {
  revision_ = event.revision;
  collection.Apply(event, options_.history);
  if (journal_ == nullptr) {
    Deliver(collection, event);
  } else {
    journal_->Append({event.type == EventType::kDeleted ? JournalRecord::Kind::kRemove
                                                        : JournalRecord::Kind::kPut,
                      event.revision, collection.name(), event.object->bytes});
    undelivered_.emplace_back(&collection, event);
    ScheduleSync();
  }
  for (const auto& observer : observers_) observer(collection, event);
}

void Store::Deliver(Collection& collection, const StoreEvent& event) {
  for (const auto& observer : durable_observers_) observer(collection, event);
  auto it = watchers_.find(collection.name());
  if (it == watchers_.end()) return;
  bool dead = false;
  walking_ = true;
  for (auto& weak : it->second) {
    const std::shared_ptr<Watcher> watcher = weak.lock();
    if (watcher != nullptr && !watcher->closed()) watcher->Deliver(event);
    if (watcher != nullptr && watcher->overflowed()) ++watchers_overflowed_;
    dead = dead || watcher == nullptr || watcher->closed();
  }
  walking_ = false;
  if (dead) ForgetWatchers(collection.name());
}

void Store::ForgetWatchers(const std::string& collection) {
  const auto it = watchers_.find(collection);
  if (walking_ || it == watchers_.end()) return;
  walking_ = true;
  std::erase_if(it->second, [](const auto& weak) {
    const std::shared_ptr<Watcher> watcher = weak.lock();
    return watcher == nullptr || watcher->closed();
  });
  walking_ = false;
  if (it->second.empty()) watchers_.erase(it);
}

void Store::ScheduleSync() {
  if (sync_scheduled_) return;
  sync_scheduled_ = true;
  // Posted, so that all requests that are ready by now share one sync.
  executor_.Post([this, alive = alive_] {
    if (*alive) Sync();
  });
}

void Store::Sync() {
  sync_scheduled_ = false;
  if (absl::Status synced = journal_->Sync(); !synced.ok()) return Fail(std::move(synced));
  if (!health_.ok()) Log(LogLevel::kInfo, "store.disk_recovered", {{"revision", revision_}});
  health_ = absl::OkStatus();
  CompactIfGrown();
  synced_ = revision_;
  auto undelivered = std::exchange(undelivered_, {});
  for (auto& [collection, event] : undelivered) Deliver(*collection, event);
  for (Waiter& waiter : std::exchange(waiters_, {})) waiter.done.Set(health_);
}

// Of what is not on disk nobody is told, but those who wait are not kept waiting.
void Store::Fail(absl::Status failure) {
  if (health_.ok()) Log(LogLevel::kError, "store.disk_failed", {{"error", failure}});
  health_ = std::move(failure);
  for (Waiter& waiter : std::exchange(waiters_, {})) waiter.done.Set(health_);
  sync_scheduled_ = true;
  executor_.RunAfter(kRetryPause, [this, alive = alive_] {
    if (*alive) Sync();
  });
}

// One that fails does no harm: the log goes on growing, and it is tried again later.
void Store::CompactIfGrown() {
  const size_t grown = options_.journal_bytes_min + journal_->snapshot_bytes();
  if (journal_->log_bytes() < std::max(grown, compact_from_)) return;
  const absl::Status compacted = journal_->Compact([this](const Journal::Sink& sink) {
    sink({JournalRecord::Kind::kRevision, revision_, "", ""});
    for (const auto& [name, collection] : collections_) {
      for (const ObjectPtr& object : collection->All("")) {
        sink({JournalRecord::Kind::kPut, object->revision, name, object->bytes});
      }
    }
  });
  compact_from_ = compacted.ok() ? 0 : journal_->log_bytes() + options_.journal_bytes_min / 8;
  if (!compacted.ok()) Log(LogLevel::kWarning, "store.compaction_failed", {{"error", compacted}});
}

net::Awaitable<absl::Status> Store::Durable() {
  if (!health_.ok()) co_return health_;
  if (!NeedsSync()) co_return absl::OkStatus();
  net::Promised<absl::Status> done(executor_);
  waiters_.push_back({revision_, done});
  ScheduleSync();
  absl::Status status = co_await done.Wait();
  co_return status;
}

absl::StatusOr<std::shared_ptr<Watcher>> Store::Watch(Collection& collection, Selection selection,
                                                      std::optional<int64_t> since) {
  if (watchers() >= options_.watchers_max) {
    return absl::ResourceExhaustedError("too many watches");
  }
  // It takes its entry with it, even if nothing ever happens in the collection again.
  const auto end = [this, alive = alive_, name = collection.name()](const Watcher* gone) {
    delete gone;
    if (*alive) ForgetWatchers(name);
  };
  const std::shared_ptr<Watcher> watcher(
      new Watcher(std::move(selection), revision_, options_.watch), end);
  if (since.has_value()) {
    BTH_ASSIGN_OR_RETURN(std::vector<StoreEvent> missed, collection.Since(*since));
    // Translated by the same selectors; what was missed is history and cannot overflow.
    Watcher translator(watcher->selection(), *since,
                       {.items_max = SIZE_MAX, .bytes_max = SIZE_MAX});
    for (const StoreEvent& event : missed) translator.Deliver(event);
    while (translator.has_items()) watcher->AddInitial(translator.Take());
  } else {
    for (ObjectPtr& object : collection.All(watcher->selection().ns)) {
      if (!watcher->selection().Matches(*object)) continue;
      const int64_t revision = object->revision;
      watcher->AddInitial({EventType::kAdded, std::move(object), revision});
    }
  }
  watchers_[collection.name()].push_back(watcher);
  return watcher;
}

size_t Store::watchers() const {
  size_t count = 0;
  for (const auto& [name, list] : watchers_) count += list.size();
  return count;
}

void Store::Retire(Collection& collection) {
  collection.ForgetHistoryUpTo(revision_);
  const auto list = watchers_.extract(collection.name());
  if (!list.empty()) CloseAll(list.mapped());
}

}  // namespace bth::apiserver
