#include "apiserver/collector/collector.h"

#include <utility>
#include <vector>

#include "apiserver/collector/misplaced_owner.h"
#include "apiserver/rest/write.h"
#include "base/log.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

// Objects per turn. At some 50 µs for a deletion the executor is back after a few milliseconds.
constexpr size_t kCollectedPerTurn = 64;
constexpr size_t kCircleStepsMax = 100'000;
constexpr absl::Duration kDiskPause = absl::Seconds(1);
constexpr char kDefinitions[] = "customresourcedefinitions.apiextensions.k8s.io";

// The object as the store has it: what a place holds may have other bytes, because new schemas
// change objects without an event.
ObjectPtr Present(const OwnerGraph::Place& place) {
  ObjectPtr object = place.collection->Get(place.object->key);
  return object != nullptr && object->uid == place.object->uid ? object : nullptr;
}

// Asks the stages that answer at once, such as the one that guards the system's own objects.
// `json`: the object as it is.
absl::Status Admit(const Core& core, const ResourceTypePtr& type, const ObjectPtr& object,
                   Json json) {
  WriteContext write;
  write.operation = Operation::kDelete;
  write.type = type;
  write.ns = object->key.ns;
  write.name = object->key.name;
  write.old = std::move(json);
  write.user.name = "system:serviceaccount:kube-system:generic-garbage-collector";
  write.now = core.Now();
  return core.stages.MayWait(write) ? absl::OkStatus() : core.stages.RunNow(write);
}

}  // namespace

void Collector::Start() {
  for (const auto& [name, collection] : core_.store->collections()) {
    for (const ObjectPtr& object : collection->All("")) {
      graph_.Put(*collection, object, nullptr);
      const bool waits = object->awaits_dependents || object->orphans_dependents;
      if (waits || !object->owners.empty()) Queue(object->uid, true);
    }
  }
  core_.store->OnCommit(
      [self = shared_from_this()](Collection& collection, const StoreEvent& event) {
        self->OnCommit(collection, event);
      });
}

void Collector::OnCommit(Collection& collection, const StoreEvent& event) {
  const ObjectPtr& object = event.object;
  const ObjectPtr& before = event.previous;
  if (event.type == EventType::kDeleted) {
    graph_.Remove(collection, before);
    unknown_.erase(before->uid);
    QueueDependents(before->uid);
    QueueAwaitingOwners(*before);
    return;
  }
  graph_.Put(collection, object, before);
  if (before == nullptr ? !object->owners.empty() : object->owners != before->owners) {
    if (!object->owners.empty()) Queue(object->uid, true);
    if (before != nullptr) QueueAwaitingOwners(*before);
  }
  if (object->awaits_dependents && (before == nullptr || !before->awaits_dependents)) {
    QueueDependents(object->uid);
    Queue(object->uid, true);
  }
  if (object->orphans_dependents && (before == nullptr || !before->orphans_dependents)) {
    Queue(object->uid, true);
  }
  if (collection.name() == kDefinitions) {
    for (const std::string& uid : std::exchange(unknown_, {})) Queue(uid, true);
  }
}

void Collector::Queue(const std::string& uid, bool linked) {
  auto [entry, fresh] = queued_.try_emplace(uid, linked);
  if (!fresh) {
    entry->second |= linked;
    return;
  }
  queue_.push_back(uid);
  core_.counters.collector_backlog = queue_.size();
  ScheduleTurn();
}

void Collector::QueueDependents(const std::string& uid) {
  const OwnerGraph::Family* family = graph_.FamilyOf(uid);
  if (family == nullptr) return;
  for (const auto& [dependent, blocks] : family->dependents) Queue(dependent, false);
}

void Collector::QueueAwaitingOwners(const StoredObject& dependent) {
  for (const OwnerReference& owner : dependent.owners) {
    const OwnerGraph::Place* place = graph_.Find(owner.uid);
    if (place != nullptr && place->object->awaits_dependents) Queue(owner.uid, false);
  }
}

void Collector::ScheduleTurn() {
  if (turn_scheduled_) return;
  turn_scheduled_ = true;
  auto turn = [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->RunTurn();
  };
  if (core_.store->health().ok()) return core_.executor.Post(std::move(turn));
  // The store takes no writes, for as long as its disk fails.
  core_.executor.RunAfter(kDiskPause, std::move(turn));
}

void Collector::RunTurn() {
  turn_scheduled_ = false;
  for (size_t done = 0; done < kCollectedPerTurn && !queue_.empty();) {
    if (!core_.store->health().ok()) break;
    const std::string uid = std::move(queue_.front());
    queue_.pop_front();
    auto entry = queued_.find(uid);
    const bool linked = entry->second;
    queued_.erase(entry);
    done += Visit(uid, linked);
  }
  core_.counters.collector_backlog = queue_.size();
  if (!queue_.empty()) ScheduleTurn();
}

size_t Collector::Visit(const std::string& uid, bool linked) {
  const OwnerGraph::Place* place = graph_.Find(uid);
  if (place == nullptr) return 1;
  // Copied: every write moves what the graph holds.
  Collection& collection = *place->collection;
  const ObjectPtr object = Present(*place);
  if (object == nullptr) return 1;
  const ResourceTypePtr type = types_.OfCollection(collection.name());
  if (type == nullptr) {
    unknown_.insert(uid);
    return 1;
  }
  if (object->orphans_dependents) return Orphan(collection, *type, object);
  if (object->awaits_dependents) return Await(collection, *type, object, linked);
  // What is being deleted anyway only has to end; its dependents are looked at then.
  if (object->deleting || object->owners.empty()) return 1;
  return Examine(collection, type, object, linked);
}

size_t Collector::Examine(Collection& collection, const ResourceTypePtr& type,
                          const ObjectPtr& object, bool linked) {
  const ReferenceJudgement judged = Judge(*object, *core_.store, graph_, types_);
  if (judged.misplaced != nullptr && linked)
    TellOfMisplacedOwner(core_, *object, *judged.misplaced);
  if (judged.unknown) unknown_.insert(object->uid);
  if (judged.unknown || judged.unsound) return 1;
  if (judged.solid > 0) {
    // Owners that wait must not wait for what has another owner to live for.
    std::set<std::string> dropped = judged.dead;
    dropped.insert(judged.awaiting.begin(), judged.awaiting.end());
    if (!dropped.empty()) DropReferences(collection, *object, dropped);
    return 1;
  }
  const bool has_dependents = graph_.FamilyOf(object->uid) != nullptr;
  Delete(type, object, !judged.awaiting.empty() && has_dependents);
  return 1;
}

size_t Collector::Await(Collection& collection, const ResourceType& type, const ObjectPtr& object,
                        bool linked) {
  const OwnerGraph::Family* family = graph_.FamilyOf(object->uid);
  if (family != nullptr && family->blocking > 0) {
    // A circle comes about only with its last link, so the others need not look for one.
    if (!linked || family->blocking_awaiting == 0 ||
        !graph_.IsInCircle(object->uid, kCircleStepsMax)) {
      return 1;
    }
    ++core_.counters.owner_circles_broken;
    Log(LogLevel::kInfo, "collector.circle_broken",
        {{"resource", type.collection}, {"namespace", object->key.ns}, {"name", object->key.name}});
  }
  DropFinalizer(collection, type, *object, kForegroundFinalizer);
  return 1;
}

size_t Collector::Orphan(Collection& collection, const ResourceType& type,
                         const ObjectPtr& object) {
  std::vector<std::string> batch;
  if (const OwnerGraph::Family* family = graph_.FamilyOf(object->uid)) {
    for (const auto& [dependent, blocks] : family->dependents) {
      if (batch.size() == kCollectedPerTurn) break;
      batch.push_back(dependent);
    }
  }
  if (batch.empty()) {
    DropFinalizer(collection, type, *object, kOrphanFinalizer);
    return 1;
  }
  for (const std::string& uid : batch) {
    const OwnerGraph::Place* place = graph_.Find(uid);
    const ObjectPtr dependent = place == nullptr ? nullptr : Present(*place);
    if (dependent != nullptr) DropReferences(*place->collection, *dependent, {object->uid});
    // Whatever happened, this dependent is dealt with.
    graph_.Disown(object->uid, uid);
  }
  Queue(object->uid, false);
  return batch.size();
}

void Collector::Delete(const ResourceTypePtr& type, const ObjectPtr& object, bool foreground) {
  DeleteOptions options;
  options.propagation = foreground ? "Foreground" : "Background";
  Json json = ParseStored(*object);
  if (!foreground) {
    // What the object itself says about its dependents still holds.
    for (const Json& finalizer : std::as_const(json)["metadata"]["finalizers"].items()) {
      if (finalizer.AsString() == kOrphanFinalizer) options.propagation = "Orphan";
      if (finalizer.AsString() == kForegroundFinalizer) options.propagation = "Foreground";
    }
  }
  absl::Status status = Admit(core_, type, object, std::move(json));
  if (status.ok()) status = DeleteNow(core_, *type, object, options, false).status();
  if (!status.ok()) {
    Log(LogLevel::kWarning, "collector.delete_refused",
        {{"resource", type->collection},
         {"namespace", object->key.ns},
         {"name", object->key.name},
         {"error", ToStd(status.message())}});
    return;
  }
  ++core_.counters.objects_collected;
}

void Collector::DropReferences(Collection& collection, const StoredObject& object,
                               const std::set<std::string>& owners) {
  Json json = ParseStored(object);
  Json::Array kept;
  for (const Json& owner : std::as_const(json)["metadata"]["ownerReferences"].items()) {
    if (!owners.contains(std::string(owner["uid"].AsString()))) kept.push_back(owner);
  }
  if (kept.empty()) {
    json["metadata"].Erase("ownerReferences");
  } else {
    json["metadata"].Set("ownerReferences", Json(std::move(kept)));
  }
  core_.store->Put(collection, std::move(json));
  ++core_.counters.owner_references_dropped;
}

void Collector::DropFinalizer(Collection& collection, const ResourceType& type,
                              const StoredObject& object, std::string_view finalizer) {
  Json json = ParseStored(object);
  Json::Array kept;
  for (const Json& present : std::as_const(json)["metadata"]["finalizers"].items()) {
    if (present.AsString() != finalizer) kept.push_back(present);
  }
  if (kept.empty()) {
    json["metadata"].Erase("finalizers");
  } else {
    json["metadata"].Set("finalizers", Json(std::move(kept)));
  }
  if (IsFinished(type, json)) {
    core_.store->Remove(collection, std::move(json));
  } else {
    core_.store->Put(collection, std::move(json));
  }
}

void CollectGarbage(const std::shared_ptr<Core>& core) {
  std::make_shared<Collector>(*core)->Start();
}

}  // namespace bth::apiserver
