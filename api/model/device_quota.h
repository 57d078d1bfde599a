// What a queue may have of the devices of each class.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bth::model {

// Devices of one class, or so much of what they have: asked for, held or allowed.
struct ClassAmounts {
  std::string device_class;
  int64_t count = 0;                                     // Of a quota, 0: any number.
  std::vector<std::pair<std::string, int64_t>> amounts;  // By dimension, in thousandths.
  friend bool operator==(const ClassAmounts&, const ClassAmounts&) = default;
};

// By class.
struct DeviceQuota {
  std::vector<ClassAmounts> classes;
  friend bool operator==(const DeviceQuota&, const DeviceQuota&) = default;
};

}  // namespace bth::model
