#include "apiserver/collector/owner_graph.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "base/strings.h"

namespace bth::apiserver {

void OwnerGraph::Put(Collection& collection, const ObjectPtr& object, const ObjectPtr& previous) {
  // Erased first: the key points into the old object.
  places_.erase(absl::string_view(object->uid));
  places_.emplace(absl::string_view(object->uid), Place{&collection, object});
  if (previous != nullptr) {
    if (previous->owners == object->owners &&
        previous->awaits_dependents == object->awaits_dependents) {
      return;
    }
    Unlink(*previous);
  }
  Link(*object);
}

void OwnerGraph::Remove(const Collection& collection, const ObjectPtr& object) {
  Unlink(*object);
  auto place = places_.find(absl::string_view(object->uid));
  // Another object may bear the uid where uids were seeded twice.
  if (place == places_.end() || place->second.collection != &collection ||
      place->second.object->key != object->key) {
    return;
  }
  places_.erase(place);
  if (auto family = families_.find(object->uid); family != families_.end()) {
    family->second.owner_was_removed = true;
  }
}

void OwnerGraph::Disown(const std::string& owner, const std::string& dependent) {
  const Place* place = Find(dependent);
  Erase(owner, dependent, place != nullptr && place->object->awaits_dependents);
}

const OwnerGraph::Place* OwnerGraph::Find(std::string_view uid) const {
  auto it = places_.find(ToAbsl(uid));
  return it == places_.end() ? nullptr : &it->second;
}

const OwnerGraph::Family* OwnerGraph::FamilyOf(std::string_view uid) const {
  auto it = families_.find(ToAbsl(uid));
  return it == families_.end() ? nullptr : &it->second;
}

bool OwnerGraph::IsInCircle(const std::string& uid, size_t steps_max) const {
  std::vector<std::string> open = {uid};
  absl::flat_hash_set<std::string> seen;
  size_t steps = 0;
  while (!open.empty()) {
    const std::string at = std::move(open.back());
    open.pop_back();
    const Family* family = FamilyOf(at);
    if (family == nullptr || family->blocking_awaiting == 0) continue;
    for (const auto& [dependent, blocks] : family->dependents) {
      if (++steps > steps_max) return true;
      if (!blocks) continue;
      const Place* place = Find(dependent);
      if (place == nullptr || !place->object->awaits_dependents) continue;
      if (dependent == uid) return true;
      if (seen.insert(dependent).second) open.push_back(dependent);
    }
  }
  return false;
}

void OwnerGraph::Link(const StoredObject& object) {
  for (const OwnerReference& owner : object.owners) {
    if (owner.uid == object.uid) continue;
    Family& family = families_[owner.uid];
    bool& blocks = family.dependents[object.uid];
    // The same owner may be named twice; one reference that blocks suffices.
    if (blocks || !owner.blocks) continue;
    blocks = true;
    ++family.blocking;
    if (object.awaits_dependents) ++family.blocking_awaiting;
  }
}

void OwnerGraph::Unlink(const StoredObject& object) {
  for (const OwnerReference& owner : object.owners) {
    Erase(owner.uid, object.uid, object.awaits_dependents);
  }
}

void OwnerGraph::Erase(const std::string& owner, const std::string& dependent, bool awaits) {
  auto it = families_.find(owner);
  if (it == families_.end()) return;
  Family& family = it->second;
  auto member = family.dependents.find(dependent);
  if (member == family.dependents.end()) return;
  if (member->second) {
    --family.blocking;
    if (awaits) --family.blocking_awaiting;
  }
  family.dependents.erase(member);
  if (family.dependents.empty()) families_.erase(it);
}

}  // namespace bth::apiserver
