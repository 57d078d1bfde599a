// Pods by namespace and name.
#pragma once

#include <cstddef>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "api/model/ids.h"
#include "api/model/job.h"
#include "base/strings.h"

namespace bth::cache {

// Reads the names where the tasks' rows have them, and keeps none itself. A key is
// "<namespace>/<name>". Thread: one owner.
class PodIndex {
 public:
  // Invalid: there is none.
  model::TaskId Find(std::string_view key) const {
    const auto known = entries_.find(NameOf(key));
    return known == entries_.end() ? model::TaskId() : known->task;
  }
  // No other pod may have these names; they stay as they are until it is erased.
  void Insert(const model::TaskNames& names, model::TaskId task) {
    entries_.insert({.names = &names, .task = task});
  }
  void Erase(const model::TaskNames& names) { entries_.erase(NameOf(names)); }
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    const model::TaskNames* names = nullptr;
    model::TaskId task;
  };
  struct Name {
    std::string_view ns;
    std::string_view name;
    friend bool operator==(const Name&, const Name&) = default;
  };
  // Namespaces hold no slash.
  static Name NameOf(std::string_view key) {
    const size_t slash = key.find('/');
    if (slash == std::string_view::npos) return {.ns = key, .name = {}};
    return {.ns = key.substr(0, slash), .name = key.substr(slash + 1)};
  }
  static Name NameOf(const model::TaskNames& names) { return {.ns = names.ns, .name = names.name}; }
  static Name NameOf(const Entry& entry) { return NameOf(*entry.names); }
  static Name NameOf(const Name& name) { return name; }

  struct Hash {
    using is_transparent = void;
    template <typename T>
    size_t operator()(const T& pod) const {
      const Name name = NameOf(pod);
      return absl::HashOf(ToAbsl(name.ns), ToAbsl(name.name));
    }
  };
  struct Equal {
    using is_transparent = void;
    template <typename T, typename U>
    bool operator()(const T& a, const U& b) const {
      return NameOf(a) == NameOf(b);
    }
  };
  absl::flat_hash_set<Entry, Hash, Equal> entries_;
};

}  // namespace bth::cache
