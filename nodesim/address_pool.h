// Addresses of simulated pods.
#pragma once

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "api/types/pod.h"

namespace bth::nodesim {

// Numbers of addresses in 10.0.0.0/8, of which no two pods have the same. Thread: one owner.
class AddressPool {
 public:
  // The one that the pod has, or one that follows from its uid: the same in every run.
  uint32_t Take(const types::Pod& pod);
  void GiveBack(uint32_t address) { taken_.erase(address); }
  static std::string Text(uint32_t address);

 private:
  absl::flat_hash_set<uint32_t> taken_;
};

}  // namespace bth::nodesim
