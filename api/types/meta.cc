#include "api/types/meta.h"

#include "base/strings.h"

namespace bth::types {
namespace {

std::string_view ValueOf(const LabelMap& map, std::string_view key) {
  const std::string* value = map.Find(key);
  return value != nullptr ? std::string_view(*value) : std::string_view();
}

}  // namespace

const OwnerReference* ObjectMeta::Controller() const {
  for (const OwnerReference& owner : owner_references) {
    if (owner.controller.value_or(false)) return &owner;
  }
  return nullptr;
}

std::string_view ObjectMeta::Label(std::string_view key) const {
  return ValueOf(labels, key);
}

std::string_view ObjectMeta::Annotation(std::string_view key) const {
  return ValueOf(annotations, key);
}

std::string ObjectMeta::Key() const {
  return ns.empty() ? name : StrCat(ns, "/", name);
}

const Condition* FindCondition(const std::vector<Condition>& conditions, std::string_view type) {
  for (const Condition& condition : conditions) {
    if (condition.type == type) return &condition;
  }
  return nullptr;
}

}  // namespace bth::types
