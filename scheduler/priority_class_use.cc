#include "scheduler/priority_class_use.h"

#include "base/strings.h"

namespace bth::scheduler {
namespace {

constexpr char kMissing[] = "PriorityClassNotFound";

std::string KeyOf(const client::EventObject& group) {
  return StrCat(group.namespace_name, "/", group.name);
}

}  // namespace

void PriorityClassUse::PutClass(const std::string& name) {
  if (!classes_.insert(name).second) return;
  const auto users = users_.find(name);
  if (users == users_.end()) return;
  for (const auto& [key, group] : users->second) notices_.Mended(group, kMissing);
}

void PriorityClassUse::RemoveClass(const std::string& name) {
  if (classes_.erase(name) == 0) return;
  const auto users = users_.find(name);
  if (users == users_.end()) return;
  for (const auto& [key, group] : users->second) Tell(group, name);
}

void PriorityClassUse::PutGroup(const client::EventObject& group, const std::string& class_name) {
  const auto known = class_of_.find(KeyOf(group));
  if (known == class_of_.end() ? class_name.empty() : known->second == class_name) return;
  RemoveGroup(group);
  if (!class_name.empty()) {
    class_of_[KeyOf(group)] = class_name;
    users_[class_name][KeyOf(group)] = group;
  }
  if (class_name.empty() || classes_.contains(class_name)) {
    notices_.Mended(group, kMissing);
  } else {
    Tell(group, class_name);
  }
}

void PriorityClassUse::RemoveGroup(const client::EventObject& group) {
  const auto known = class_of_.find(KeyOf(group));
  if (known == class_of_.end()) return;
  const auto users = users_.find(known->second);
  users->second.erase(known->first);
  if (users->second.empty()) users_.erase(users);
  class_of_.erase(known);
}

void PriorityClassUse::Tell(const client::EventObject& group, const std::string& class_name) {
  notices_.Put(group, kMissing,
               StrCat("PodGroup ", KeyOf(group), " names the PriorityClass ", class_name,
                      ", which does not exist, so it has the default priority: create ", class_name,
                      " or name another class"));
}

}  // namespace bth::scheduler
