// Collects garbage: deletes objects whose owners are all gone, and carries out foreground and
// orphaning deletions.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <set>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "apiserver/collector/owner_graph.h"
#include "apiserver/collector/references.h"
#include "apiserver/rest/core.h"

namespace bth::apiserver {

// Follows the store, queues the objects that a change concerns, and works the queue off in small
// turns on the executor, so that requests are served between them. What is to be done is read
// from the objects as they are then: after a restart the queue is made anew from them.
// Thread: the executor's. Lifetime: the store's, whose observer holds it; the core outlives it.
class Collector final : public std::enable_shared_from_this<Collector> {
 public:
  explicit Collector(Core& core) : core_(core), types_(core.registry) {}

  // Takes over the objects that are there and follows the store from now on.
  void Start();

 private:
  void OnCommit(Collection& collection, const StoreEvent& event);
  // Looks at the object of that uid soon. `linked`: it has new owners, or has just begun to wait.
  void Queue(const std::string& uid, bool linked);
  void QueueDependents(const std::string& uid);
  void QueueAwaitingOwners(const StoredObject& dependent);
  void ScheduleTurn();
  void RunTurn();

  // These return how many objects they wrote, or looked at: what a turn counts.
  size_t Visit(const std::string& uid, bool linked);
  size_t Examine(Collection& collection, const ResourceTypePtr& type, const ObjectPtr& object,
                 bool linked);
  size_t Await(Collection& collection, const ResourceType& type, const ObjectPtr& object,
               bool linked);
  size_t Orphan(Collection& collection, const ResourceType& type, const ObjectPtr& object);

  void Delete(const ResourceTypePtr& type, const ObjectPtr& object, bool foreground);
  void DropReferences(Collection& collection, const StoredObject& object,
                      const std::set<std::string>& owners);
  void DropFinalizer(Collection& collection, const ResourceType& type, const StoredObject& object,
                     std::string_view finalizer);

  Core& core_;
  OwnerGraph graph_;
  TypeIndex types_;
  std::deque<std::string> queue_;                  // uids, each once.
  absl::flat_hash_map<std::string, bool> queued_;  // The same, with `linked`.
  std::set<std::string> unknown_;                  // Wait for a kind to be served.
  bool turn_scheduled_ = false;
};

// Makes a collector that lives as long as the store of `core`.
void CollectGarbage(const std::shared_ptr<Core>& core);

}  // namespace bth::apiserver
