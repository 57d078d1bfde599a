// What a family of shared devices is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "api/model/device_settings.h"
#include "api/model/devices.h"
#include "api/types/node.h"
#include "api/types/pod.h"
#include "devices/pool_use.h"

namespace bth::devices {

// Bounds of what annotations and amounts may say; what is beyond is not read.
inline constexpr size_t kDevicesMax = 512;  // Of one kind on one node, and of one pod.
inline constexpr int64_t kMemoryMax = int64_t{1} << 40;

enum class Policy : uint8_t { kNone, kBinpack, kSpread };

struct Chosen {
  int32_t container = 0;  // Among those that ask.
  int32_t device = 0;
  int64_t memory = 0;
  int32_t cores = 0;
  int32_t mig_group = -1;
  int32_t mig_position = 0;
  int32_t mark = 0;  // Of HeldDevice.
};
struct Choice {
  absl::InlinedVector<Chosen, 8> devices;  // In the order of containers.
  double score = 0;                        // By the policy, before weights.
  bool lowered = false;                    // Less than the pod would like, but it does.
  std::optional<size_t> refusal;           // Where it depends on the node: which of `refusals`.
};

// Whether, and how, a pod can be served.
struct Question {
  const PoolUse& use;
  bool future = false;  // Once those that leave have left.
  const model::PodDeviceRequest& request;
  uint64_t rules = 0;
  Policy policy = Policy::kNone;
  const model::DeviceSettings& settings;
};

// When and where what was chosen is announced.
struct Announcement {
  std::string_view node;
  absl::Time now;
};

// Knows its devices in objects and in words; has no state. What outside objects say wrongly is not
// read, and never an error of theirs to others.
class Family {
 public:
  virtual ~Family() = default;

  // What the objects say of this family, if anything.
  virtual void ReadNode(const types::Node& node, const model::DeviceSettings& settings,
                        model::NodeDevices* out) const = 0;
  virtual void ReadRequest(const types::Pod& pod, const model::DeviceSettings& settings,
                           model::PodDeviceRequests* out) const = 0;
  virtual void ReadHeld(const types::Pod& pod, const model::DeviceSettings& settings,
                        model::PodDevices* out) const = 0;

  // False: the devices do not do. A function of the question alone.
  virtual bool Choose(const Question& question, Choice* out) const = 0;
  // What is chosen, as ReadHeld will find it.
  virtual model::HeldDevices Name(const Question& question, const Choice& choice) const = 0;
  virtual void Announce(const model::HeldDevices& held, const model::DeviceSettings& settings,
                        const Announcement& announcement,
                        std::vector<std::pair<std::string, std::string>>* annotations) const = 0;

  // Why nodes may refuse, for people, and which of it says so to that request, if Choose does not
  // tell.
  virtual absl::Span<const std::string_view> refusals() const = 0;
  virtual size_t RefusalOf(const model::PodDeviceRequest& request) const {
    static_cast<void>(request);
    return 0;
  }
  virtual bool EvictionsHelp(size_t refusal) const {
    static_cast<void>(refusal);
    return true;
  }
  // The annotation of nodes by which its device plugin takes turns with schedulers; empty: none.
  virtual std::string_view LockOf(const model::PodDeviceRequest& request) const = 0;
  // Amounts of this resource are the family's alone: others do not count them on nodes.
  virtual bool IsIgnored(std::string_view resource, const model::DeviceSettings& settings) const {
    static_cast<void>(resource);
    static_cast<void>(settings);
    return false;
  }
  // As LockOf, of all that it may take.
  virtual absl::Span<const std::string_view> locks() const = 0;
};

// Of a kind that some request, pool or pod names. Requires one that is there.
const Family& FamilyOf(model::DeviceFamily family);
absl::Span<const Family* const> Families();

}  // namespace bth::devices
