#include "api/types/raw_tree.h"

#include <string>
#include <utility>

namespace bth::types {
namespace {

Json ToJson(const Scalar& value) {
  switch (value.kind) {
    case ScalarKind::kNull:
      return {};
    case ScalarKind::kBool:
      return value.truth;
    case ScalarKind::kInt:
      return value.whole;
    case ScalarKind::kDouble:
      return value.real;
    case ScalarKind::kString:
      return value.text;
    case ScalarKind::kTime:
      break;  // Not in JSON.
  }
  return {};
}

}  // namespace

void RawTree::Begin(Json* root) {
  *root = Json::MakeObject();
  open_.push_back(root);
}

void RawTree::Key(std::string_view key) {
  open_.back()->MutableMembers().emplace_back(std::string(key), Json());
}

Json& RawTree::Place(Json value) {
  Json& parent = *open_.back();
  if (parent.is_array()) return parent.MutableItems().emplace_back(std::move(value));
  return parent.MutableMembers().back().second = std::move(value);
}

void RawTree::Put(const Scalar& value) {
  Place(ToJson(value));
}

void RawTree::Open(Json container) {
  open_.push_back(&Place(std::move(container)));
}

bool RawTree::Close() {
  if (open_.back()->is_object()) KeepLastOfEachKey(&open_.back()->MutableMembers());
  open_.pop_back();
  return open_.empty();
}

}  // namespace bth::types
