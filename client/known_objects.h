// What an informer remembers of the objects it has told its handler about.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace bth::client {

struct ObjectKey {
  std::string namespace_name;  // Empty: cluster-scoped.
  std::string name;
  std::string uid;
  friend bool operator==(const ObjectKey&, const ObjectKey&) = default;
};

// For each object its uid and version, never the document: enough to find out what a new list
// changed. About 150 bytes per object. Thread: one owner.
class KnownObjects final {
 public:
  enum class Change {
    kNone,
    kAdd,
    kUpdate,
    kReplace,  // The name now belongs to another object: delete `*replaced`, then add.
  };

  // The object exists with this version.
  Change Observe(const ObjectKey& key, const std::string& version, ObjectKey* replaced);
  // The object exists, but its content is unknown: it is not gone. True when the name belonged to
  // another object, which is forgotten.
  bool Keep(const ObjectKey& key, ObjectKey* replaced);
  // True when it was known; `*gone` is then the object that was.
  bool Forget(const ObjectKey& key, ObjectKey* gone);

  void BeginList() { ++list_; }
  // Forgets what was not observed since BeginList and returns it in order of namespace and name.
  std::vector<ObjectKey> EndList();
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string uid;
    std::string version;
    uint64_t list = 0;
  };
  absl::flat_hash_map<std::string, Entry> entries_;  // By "namespace/name".
  uint64_t list_ = 0;
};

}  // namespace bth::client
