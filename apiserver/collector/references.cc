#include "apiserver/collector/references.h"

namespace bth::apiserver {
namespace {

// Whether the owner lives, but in another namespace.
bool LivesElsewhere(const OwnerGraph& graph, const OwnerReference& owner, const std::string& ns) {
  const OwnerGraph::Place* place = graph.Find(owner.uid);
  return place != nullptr && !place->object->key.ns.empty() && place->object->key.ns != ns;
}

}  // namespace

void TypeIndex::Refresh() {
  if (generation_ == registry_.generation()) return;
  generation_ = registry_.generation();
  kinds_.clear();
  collections_.clear();
  for (const ResourceTypePtr& type : registry_.All()) {
    if (type->virtual_only) continue;
    kinds_.emplace(std::pair(type->api_version(), type->kind), type);
    ResourceTypePtr& slot = collections_[type->collection];
    // Of several the one whose objects are stored as they are.
    if (slot == nullptr || type->conversion == Conversion::kNone) slot = type;
  }
}

ResourceTypePtr TypeIndex::OfReference(const OwnerReference& owner) {
  Refresh();
  auto it = kinds_.find(std::pair(owner.api_version, owner.kind));
  return it == kinds_.end() ? nullptr : it->second;
}

ResourceTypePtr TypeIndex::OfCollection(const std::string& name) {
  Refresh();
  auto it = collections_.find(name);
  return it == collections_.end() ? nullptr : it->second;
}

ReferenceJudgement Judge(const StoredObject& object, Store& store, const OwnerGraph& graph,
                         TypeIndex& types) {
  ReferenceJudgement result;
  for (const OwnerReference& owner : object.owners) {
    const ResourceTypePtr type = types.OfReference(owner);
    if (type == nullptr) {
      // Its kind may have gone together with it.
      const OwnerGraph::Family* family = graph.FamilyOf(owner.uid);
      const bool known_gone = family != nullptr && family->owner_was_removed;
      if (known_gone) result.dead.insert(owner.uid);
      result.unknown |= !known_gone;
      continue;
    }
    if (type->namespaced && object.key.ns.empty()) {
      result.unsound = true;
      if (result.misplaced == nullptr) result.misplaced = &owner;
      continue;
    }
    const Collection* collection = store.Find(type->collection);
    const ObjectPtr found =
        collection == nullptr
            ? nullptr
            : collection->Get({type->namespaced ? object.key.ns : "", owner.name});
    if (found == nullptr || found->uid != owner.uid) {
      result.dead.insert(owner.uid);
      if (result.misplaced == nullptr && LivesElsewhere(graph, owner, object.key.ns)) {
        result.misplaced = &owner;
      }
    } else if (found->awaits_dependents && found->uid != object.uid) {
      result.awaiting.insert(owner.uid);
    } else {
      ++result.solid;
    }
  }
  return result;
}

}  // namespace bth::apiserver
