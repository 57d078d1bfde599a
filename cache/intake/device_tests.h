// Device selectors compiled to programs, once per text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "api/model/device_claims.h"

namespace bth::cache {

// Keeps a program as long as some object has its expression. Thread: I/O; the programs run on any.
class DeviceTests {
 public:
  DeviceTests() = default;
  DeviceTests(DeviceTests&&) = default;
  DeviceTests& operator=(DeviceTests&&) = default;

  model::DeviceSelectorFacts Of(const std::string& expression);
  // The same for equal texts, as long as somebody has it.
  std::shared_ptr<const model::DeviceAskId> AskOf(const std::string& text);
  // No serial is given out again that `other` has given.
  void GoOnAfter(const DeviceTests& other) { serials_ = other.serials_; }
  size_t size() const { return known_.size(); }

 private:
  void Sweep();

  absl::flat_hash_map<std::string, std::weak_ptr<const model::DeviceTest>> known_;
  absl::flat_hash_map<std::string, std::weak_ptr<const model::DeviceAskId>> asks_;
  size_t sweep_at_ = 64;
  size_t sweep_asks_at_ = 64;
  uint64_t serials_ = 0;
};

}  // namespace bth::cache
