// What an informer remembers of the objects it has told its handler about.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "base/packed_texts.h"
#include "base/strings.h"

namespace bth::client {

struct ObjectKey {
  std::string namespace_name;  // Empty: cluster-scoped.
  std::string name;
  std::string uid;
  friend bool operator==(const ObjectKey&, const ObjectKey&) = default;
};

// For each object its uid and version, never the document: enough to find out what a new list
// changed. About 100 bytes per object. Thread: one owner.
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
  // As servers write them, a uid and a version are numbers; others are kept as they are. Which of
  // the two follows from the text alone, so that equal texts have equal marks.
  class Mark {
   public:
    Mark() = default;
    Mark(std::string_view uid, std::string_view version);
    std::string uid() const;
    bool SameUid(const Mark& other) const;
    bool has_version() const { return version_ != 0 || !texts_[1].empty(); }
    void DropVersion();
    friend bool operator==(const Mark&, const Mark&) = default;

   private:
    uint64_t uid_high_ = 0;  // Both 0: it is the first of the texts.
    uint64_t uid_low_ = 0;
    uint64_t version_ = 0;  // 0: it is the second of the texts.
    PackedTexts texts_;
  };
  struct Entry {
    Mark mark;
    uint64_t list = 0;
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(const PackedTexts& name) const { return absl::HashOf(ToAbsl(name[0])); }
    size_t operator()(std::string_view name) const { return absl::HashOf(ToAbsl(name)); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const PackedTexts& a, const PackedTexts& b) const { return a == b; }
    bool operator()(const PackedTexts& a, std::string_view b) const { return a[0] == b; }
    bool operator()(std::string_view a, const PackedTexts& b) const { return a == b[0]; }
  };
  absl::flat_hash_map<PackedTexts, Entry, Hash, Equal> entries_;  // By "namespace/name".
  uint64_t list_ = 0;
};

}  // namespace bth::client
