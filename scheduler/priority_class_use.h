// Which PodGroups name a PriorityClass that does not exist.
#pragma once

#include <map>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "scheduler/object_notices.h"

namespace bth::scheduler {

// Such a group has the default priority, which its owner must be told: a class that was deleted, or
// whose name is misspelled, silently turns the order of jobs round. Thread: I/O.
class PriorityClassUse {
 public:
  // `notices` outlives it.
  explicit PriorityClassUse(ObjectNotices& notices) : notices_(notices) {}

  void PutClass(const std::string& name);
  void RemoveClass(const std::string& name);
  // `class_name` may be empty.
  void PutGroup(const client::EventObject& group, const std::string& class_name);
  void RemoveGroup(const client::EventObject& group);

 private:
  void Tell(const client::EventObject& group, const std::string& class_name);

  ObjectNotices& notices_;
  absl::flat_hash_set<std::string> classes_;
  absl::flat_hash_map<std::string, std::string> class_of_;  // By PodGroup that names one.
  // By class that some group names, then by PodGroup.
  absl::flat_hash_map<std::string, std::map<std::string, client::EventObject>> users_;
};

}  // namespace bth::scheduler
