// Names, addresses and ports of pods. Pure, any thread.
#pragma once

#include "api/rules/part.h"

namespace bth::rules {

// spec.dnsConfig. `relaxed`: search domains may have underscores, or be a dot.
void CheckDnsConfig(const Part& spec, bool relaxed);
// spec.hostAliases
void CheckHostAliases(const Part& spec);
// Ports of pods in the node's network are ports of the node. A template may leave them out.
void CheckHostNetworkPorts(const Part& spec, bool is_pod);
// Ports of the node that containers of one list ask for more than once.
void CheckHostPortConflicts(const Part& holder, std::string_view list);
// The ports of one init container among themselves: they run one after the other.
void CheckOwnHostPorts(const Part& container, const Place& list);
// ports of a container.
void CheckContainerPorts(const Part& container);

}  // namespace bth::rules
