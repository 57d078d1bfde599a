// The containers of a pod in the order in which Kubernetes goes through them.
#pragma once

#include <string_view>

#include "api/rules/part.h"

namespace bth::rules {

// visit(Part): those that start the pod first, then its own, then ephemeral ones.
template <typename Visit>
void ForEachContainer(const Part& spec, Visit visit) {
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    spec.ForEachAgain(list, [&visit](const Part& container, size_t) { visit(container); });
  }
}

}  // namespace bth::rules
