#include "cache/cluster/priority_book.h"

namespace bth::cache {

void PriorityBook::Put(const std::string& name, int32_t value, bool global_default) {
  classes_[name] = {.value = value, .global_default = global_default};
  FindDefault();
}

bool PriorityBook::Remove(const std::string& name) {
  if (classes_.erase(name) == 0) return false;
  FindDefault();
  return true;
}

int32_t PriorityBook::ValueOf(const std::string& name) const {
  const auto known = classes_.find(name);
  return known == classes_.end() ? default_ : known->second.value;
}

// Of several defaults the lowest counts, as the API server decides for pods.
void PriorityBook::FindDefault() {
  default_ = 0;
  bool found = false;
  for (const auto& [name, entry] : classes_) {
    if (!entry.global_default || (found && entry.value >= default_)) continue;
    default_ = entry.value;
    found = true;
  }
}

}  // namespace bth::cache
