// PriorityClasses, as far as jobs go by them.
#pragma once

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"

namespace bth::cache {

// Thread: I/O.
class PriorityBook {
 public:
  void Put(const std::string& name, int32_t value, bool global_default);
  // False when there is none of that name.
  bool Remove(const std::string& name);
  // Of a job that names this class; one that names none, or one that is not there, has the default.
  int32_t ValueOf(const std::string& name) const;

 private:
  struct Class {
    int32_t value = 0;
    bool global_default = false;
  };
  void FindDefault();

  absl::flat_hash_map<std::string, Class> classes_;
  int32_t default_ = 0;
};

}  // namespace bth::cache
