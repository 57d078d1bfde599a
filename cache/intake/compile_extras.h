// What single plugins read of pods, and objects as JSON.
#pragma once

#include <memory>
#include <string>

#include "api/model/pod_extras.h"
#include "api/types/node.h"
#include "api/types/pod.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

// Of a placed pod without what tells where to place it.
std::shared_ptr<const model::PodExtras> CompileExtras(const types::Pod& pod,
                                                      PodPart part = PodPart::kAll);
// Equal keys mean equal extras.
std::string KeyOf(const model::PodExtras& extras);

// The object as far as types:: knows it. A node's leaves out what changes with every heartbeat.
std::shared_ptr<const std::string> DocumentOf(const types::Pod& pod);
std::shared_ptr<const std::string> DocumentOf(const types::Node& node);

}  // namespace bth::cache
