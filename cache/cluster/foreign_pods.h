// Waiting pods of other schedulers: all they do here is to tell whose their PodGroup is.
#pragma once

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"

namespace bth::cache {

// Thread: I/O. Cost: what such pods there are, by their names.
class ForeignPods {
 public:
  bool Knows(const std::string& key, const std::string& job_key) const;
  // It is not known yet.
  void Add(const std::string& key, const std::string& job_key);
  // The job of the pod when it was the last one known of that job; else empty.
  std::string Remove(const std::string& key);
  bool SomeOf(const std::string& job_key) const {
    return !waiting_.empty() && waiting_.contains(job_key);
  }

 private:
  absl::flat_hash_map<std::string, std::string> jobs_;  // The PodGroup that each names, by key.
  absl::flat_hash_map<std::string, int32_t> waiting_;   // Pods by PodGroup.
};

}  // namespace bth::cache
