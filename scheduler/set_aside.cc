#include "scheduler/set_aside.h"

namespace bth::scheduler {

void SetAside::Add(const std::string& kind, const client::ObjectKey& key,
                   const std::string& version) {
  const Key name{kind, key.namespace_name, key.name};
  if (objects_.size() >= kObjectsMax && !objects_.contains(name)) {
    if (metrics_ != nullptr) metrics_->LimitReached("objects_set_aside");
    return;
  }
  Object& object = objects_[name];
  if (object.uid != key.uid) object = {.uid = key.uid, .version = "", .failures = 0};
  object.version = version;
  ++object.failures;
}

bool SetAside::Holds(const std::string& kind, const client::ObjectKey& key,
                     const std::string& version) const {
  if (objects_.empty()) return false;
  const auto known = objects_.find({kind, key.namespace_name, key.name});
  if (known == objects_.end() || known->second.uid != key.uid) return false;
  return known->second.failures >= kChancesMax || known->second.version == version;
}

void SetAside::Gone(const std::string& kind, const client::ObjectKey& key) {
  if (!objects_.empty()) objects_.erase({kind, key.namespace_name, key.name});
}

}  // namespace bth::scheduler
