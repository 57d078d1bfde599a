// The stages every server has: defaults and rules of the built-in kinds.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/quantity.h"
#include "apiserver/admission/stage.h"
#include "apiserver/rest/core.h"

namespace bth::apiserver {

// Defaults, namespaces' and definitions' own rules, priorities, validation.
void AddBuiltinStages(const std::shared_ptr<Core>& core);

// Sets a default: a value that is there stays, unless it is null.
void SetIfAbsent(Json& object, std::string_view key, Json value);
// Fills in what the API promises of a pod that was just made (admission/pod_defaults.cc).
void DefaultPod(Json& pod);
// Adds the tolerations of not-ready and unreachable nodes that every pod has unless it says
// otherwise.
void TolerateSilentNodes(Json& pod);
// Fills in a pod spec, of a pod or inside a template.
void DefaultPodSpec(Json& spec);
// "Guaranteed", "Burstable" or "BestEffort".
std::string_view QosClass(const Json& spec);
// The same for other kinds (admission/object_defaults.cc).
void DefaultObject(const WriteContext& write, Json& object);

// Priority admission (admission/priority.cc). Errors: 403 unknown class.
absl::Status SetPriority(Core& core, WriteContext& write);
absl::Status CheckPriorityClass(Core& core, const WriteContext& write);

// Broken rules (admission/pod_rules.cc, admission/rules.cc).
std::vector<Cause> CheckPod(const Json& pod);
std::vector<Cause> CheckPodSpec(const Json& spec, const std::string& field);
// Of a container (admission/resource_rules.cc).
void CheckResources(const Json& resources, const std::string& field, std::vector<Cause>& causes);
std::vector<Cause> CheckPodUpdate(const Json& old, const Json& pod);
std::vector<Cause> CheckObject(const WriteContext& write);
// True for what Kubernetes accepts as a quantity, such as "100m", "1.5Gi" or 2.
bool IsQuantity(const Json& value);
// Nothing: it cannot be read, or is too large to count with.
std::optional<types::Quantity> QuantityOf(const Json& value);
// cpu, memory, ephemeral-storage and huge pages: what every node has, named without a domain.
bool IsStandardResource(std::string_view name);

}  // namespace bth::apiserver
