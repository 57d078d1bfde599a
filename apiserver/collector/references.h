// What the owner references of an object are worth.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "apiserver/collector/owner_graph.h"
#include "apiserver/registry/registry.h"
#include "apiserver/store/store.h"

namespace bth::apiserver {

// The kinds of owners, and the types behind collections. Remembers what it looked up until the
// registry changes. Thread: the executor's.
class TypeIndex {
 public:
  explicit TypeIndex(const Registry& registry) : registry_(registry) {}
  // The type that an owner reference means; null when it is not served.
  ResourceTypePtr OfReference(const OwnerReference& owner);
  // A type of the objects in a collection; null when none is served.
  ResourceTypePtr OfCollection(const std::string& name);

 private:
  void Refresh();

  const Registry& registry_;
  uint64_t generation_ = 0;
  // (apiVersion, kind), and collection. Only what is served, which bounds both.
  absl::flat_hash_map<std::pair<std::string, std::string>, ResourceTypePtr> kinds_;
  absl::flat_hash_map<std::string, ResourceTypePtr> collections_;
};

struct ReferenceJudgement {
  size_t solid = 0;                // The owner is there, though it may be on its way out.
  std::set<std::string> dead;      // By uid: the owner is gone, never was, or is another object.
  std::set<std::string> awaiting;  // The owner waits for its dependents to go.
  // The kind of an owner is not served: nothing can be said about the object.
  bool unknown = false;
  // The first reference to an owner where none may be: in another namespace, or in any when the
  // object has none. Null: there is none. Points into the object.
  const OwnerReference* misplaced = nullptr;
  // An object without a namespace names an owner in one; such an object is never collected.
  bool unsound = false;
};

// Cost: a few lookups per reference; nothing is parsed.
ReferenceJudgement Judge(const StoredObject& object, Store& store, const OwnerGraph& graph,
                         TypeIndex& types);

}  // namespace bth::apiserver
