// What a pod asks of the places of other pods.
#pragma once

#include <memory>
#include <string>

#include "api/model/pod_peers.h"
#include "api/types/pod.h"
#include "base/interner.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

// Null when the pod has neither affinity to pods nor spread constraints. The caller keeps the hold
// beside the terms.
std::shared_ptr<const model::PodPeerTerms> CompilePeerTerms(const types::Pod& pod, PodPart part,
                                                            SymbolHold& symbols);
// One order, so that the same selector written in two ways is the same.
void Sort(model::PodSelector* selector);
// Equal keys mean equal terms.
std::string KeyOf(const model::PodPeerTerms& peer_terms);

}  // namespace bth::cache
