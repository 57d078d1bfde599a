// Device claims of pods, and the kinds of resource.k8s.io, as what the mirror takes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/model/device_claims.h"
#include "api/types/device.h"
#include "api/types/pod.h"
#include "api/types/resource_claim.h"
#include "base/interner.h"
#include "cache/intake/device_tests.h"

namespace bth::cache {

// Extended resources that each class serves without naming them begin so.
inline constexpr std::string_view kExtendedOfClass = "deviceclass.resource.kubernetes.io/";
inline constexpr std::string_view kExtendedClaim = "resource.kubernetes.io/extended-resource-claim";
inline constexpr std::string_view kDeviceFinalizer = "resource.kubernetes.io/delete-protection";

// Null: the pod claims none.
std::shared_ptr<const model::PodDeviceClaims> CompileDeviceClaims(const types::Pod& pod);

// kInvalidArgument names the field: an amount that cannot be counted.
absl::StatusOr<std::shared_ptr<model::SliceFacts>> Compile(const types::ResourceSlice& slice,
                                                           Interner& symbols);
std::shared_ptr<model::DeviceClassFacts> Compile(const types::DeviceClass& device_class,
                                                 DeviceTests& tests);
model::DeviceTaintRuleFacts Compile(const types::DeviceTaintRule& rule);
// A scheduler made the claim for the extended resources of the pod that owns it.
bool IsForExtended(const types::ObjectMeta& claim);
std::shared_ptr<model::DeviceClaimFacts> Compile(const types::ResourceClaim& claim,
                                                 Interner& symbols, DeviceTests& tests);

}  // namespace bth::cache
