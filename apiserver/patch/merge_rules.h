// How server-side apply merges the lists and objects of one resource.
#pragma once

#include <string>
#include <vector>

#include "apiserver/patch/merge_keys.h"
#include "apiserver/registry/resource_type.h"

namespace bth::apiserver {

// Built-in kinds have a table, custom ones their schema. Lifetime: shorter than the type's, whose
// schema the rules point into.
class MergeRules {
 public:
  explicit MergeRules(const ResourceType& type) : type_(type) {}

  // Of the list at `path` (member names, without indexes).
  MergeRule List(const std::vector<std::string>& path) const;
  // Whether the object at `path` is owned and replaced as a whole.
  bool IsAtomicObject(const std::vector<std::string>& path) const;

 private:
  const ResourceType& type_;
};

}  // namespace bth::apiserver
