// Security contexts of pods and containers. Pure, any thread.
#pragma once

#include "api/rules/part.h"

namespace bth::rules {

// spec.securityContext
void CheckPodSecurity(const Part& spec);
// securityContext of a container. `host_users`: it shares the node's user namespace.
void CheckContainerSecurity(const Part& container, bool host_users);
// Without the node's user namespace, no other namespace of it may be used.
void CheckHostUsers(const Part& spec);

}  // namespace bth::rules
