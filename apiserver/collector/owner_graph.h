// Who depends on whom: all objects by uid, and the dependents of each owner by the owner's uid.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "apiserver/store/collection.h"
#include "apiserver/store/object.h"

namespace bth::apiserver {

// Follows the store event by event; knows what references say, not whether they are right. A
// reference of an object to itself is left out: nothing can wait for itself.
// Thread: the executor's. Cost: a change is O(its references), a query O(1) but for IsInCircle.
class OwnerGraph {
 public:
  struct Place {
    Collection* collection = nullptr;
    ObjectPtr object;
  };
  // The dependents of one owner, which need not exist (any more).
  struct Family {
    std::map<std::string, bool> dependents;  // uid -> whether it blocks the owner's deletion.
    size_t blocking = 0;                     // How many block.
    size_t blocking_awaiting = 0;            // How many of those wait for dependents of their own.
    bool owner_was_removed = false;
  };

  // `previous` is null for a new object.
  void Put(Collection& collection, const ObjectPtr& object, const ObjectPtr& previous);
  // The object in its last state in the store.
  void Remove(const Collection& collection, const ObjectPtr& object);
  // Takes a dependent out of a family that it does not leave by itself.
  void Disown(const std::string& owner, const std::string& dependent);

  // Null when there is no object of that uid; valid until the next change.
  const Place* Find(std::string_view uid) const;
  // Null without dependents; valid until the next change.
  const Family* FamilyOf(std::string_view uid) const;
  // Whether the object waits for itself: along dependents that block and wait as well. Says yes
  // when more than `steps_max` dependents would have to be looked at: to end too early does less
  // harm than never to end.
  bool IsInCircle(const std::string& uid, size_t steps_max) const;

 private:
  void Link(const StoredObject& object);
  void Unlink(const StoredObject& object);
  void Erase(const std::string& owner, const std::string& dependent, bool awaits);

  // Keys point into the objects they lead to.
  absl::flat_hash_map<absl::string_view, Place> places_;
  absl::flat_hash_map<std::string, Family> families_;
};

}  // namespace bth::apiserver
