// Builds the JSON of a raw view from a reader's events. Private to this folder's .cc files.
#pragma once

#include <string_view>
#include <vector>

#include "api/types/json.h"
#include "api/types/type_ops.h"

namespace bth::types {

// Drops every member whose key comes again later. Defined in json.cc.
void KeepLastOfEachKey(Json::Object* members);

// One object at a time, from Begin to the Close that says that it is whole.
class RawTree {
 public:
  bool open() const { return !open_.empty(); }
  bool in_array() const { return open_.back()->is_array(); }

  void Begin(Json* root);
  void Key(std::string_view key);
  void Put(const Scalar& value);
  void Open(Json container);
  // True when this was the outermost object.
  bool Close();

 private:
  Json& Place(Json value);

  // The containers that are open, outermost first. A pointer stays valid, because a parent grows
  // only after its child is closed.
  std::vector<Json*> open_;
};

}  // namespace bth::types
