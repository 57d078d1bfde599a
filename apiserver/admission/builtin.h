// The stages every server has: defaults and rules of the built-in kinds.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/admission/stage.h"
#include "apiserver/rest/core.h"

namespace bth::apiserver {

// Defaults, namespaces' and definitions' own rules, priorities, validation.
void AddBuiltinStages(const std::shared_ptr<Core>& core);

// Fills in what the API says of a pod that was just made (admission/pod_defaults.cc).
void DefaultPod(Json& pod);
// Adds the tolerations of not-ready and unreachable nodes that every pod has unless it says
// otherwise.
void TolerateSilentNodes(Json& pod);
// "Guaranteed", "Burstable" or "BestEffort".
std::string_view QosClass(const Json& spec);
// The same for other kinds (admission/object_defaults.cc).
void DefaultObject(const WriteContext& write, Json& object);

void DefaultDevices(const WriteContext& write, Json& object);  // admission/device_rules.cc
// What drivers said of devices goes with them (admission/device_access.cc).
void DropLostDevices(WriteContext& write);
// Claims that look at devices of others need a namespace that says so.
absl::Status CheckDeviceAccess(Core& core, const WriteContext& write);

// Priority admission (admission/priority.cc). Errors: 403 unknown class.
absl::Status SetPriority(Core& core, WriteContext& write);
absl::Status CheckPriorityClass(Core& core, const WriteContext& write);

// Broken rules (admission/pod_rules.cc, admission/rules.cc).
std::vector<Cause> CheckPod(const Json& pod);
std::vector<Cause> CheckPodUpdate(const Json& old, const Json& pod);
std::vector<Cause> CheckDevices(const WriteContext& write);  // Of resource.k8s.io.
// Also adds warnings.
std::vector<Cause> CheckObject(WriteContext& write);

}  // namespace bth::apiserver
