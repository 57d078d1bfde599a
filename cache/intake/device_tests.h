// Device selectors compiled to programs, once per text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "api/model/claimable_devices.h"

namespace bth::cache {

// Keeps a program as long as some object has its expression. Thread: I/O; the programs run on any.
class DeviceTests {
 public:
  DeviceTests() = default;
  DeviceTests(DeviceTests&&) = default;
  DeviceTests& operator=(DeviceTests&&) = default;

  model::DeviceSelectorFacts Of(const std::string& expression);
  // No serial is given out again that `other` has given.
  void GoOnAfter(const DeviceTests& other) { serials_ = other.serials_; }
  size_t size() const { return known_.size(); }

 private:
  void Sweep();

  absl::flat_hash_map<std::string, std::weak_ptr<const model::DeviceTest>> known_;
  size_t sweep_at_ = 64;
  uint64_t serials_ = 0;
};

}  // namespace bth::cache
