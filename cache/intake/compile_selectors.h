// Services and workloads, as far as they tell which pods belong together.
#pragma once

#include <string>
#include <string_view>

#include "api/types/meta.h"
#include "api/types/service.h"
#include "api/types/workload.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

CompiledService Compile(const types::Service& service);
CompiledWorkload Compile(const types::ReplicationController& controller);
CompiledWorkload Compile(const types::ReplicaSet& set);
CompiledWorkload Compile(const types::StatefulSet& set);

// Names one workload among those of all kinds.
std::string WorkloadKey(std::string_view kind, std::string_view ns, std::string_view name);
// Of the ReplicationController, ReplicaSet or StatefulSet that manages the object; empty: none
// does.
std::string WorkloadThatManages(const types::ObjectMeta& meta);

}  // namespace bth::cache
