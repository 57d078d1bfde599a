// What kube-apiserver fills into pod specs. Pure, any thread.
#pragma once

#include <string_view>

#include "api/types/json.h"

namespace bth::rules {

// Sets a default: a value that is there stays, unless it is null.
void SetIfAbsent(types::Json& object, std::string_view key, types::Json value);

// Fills in a pod spec, of a pod or inside a template: policies, the scheduler's name, and of
// containers and volumes what their fields are when nobody says otherwise.
void DefaultPodSpec(types::Json& spec);

// Of pods alone, not of templates: a limit without a request asks for as much, and ports of a pod
// in the node's network are ports of the node.
void DefaultPodOnly(types::Json& spec);

}  // namespace bth::rules
