// Volumes of pods, and the storage kinds, as what the mirror takes.
#pragma once

#include <memory>
#include <string>

#include "api/model/storage_view.h"
#include "api/types/pod.h"
#include "api/types/storage.h"
#include "api/types/volume.h"
#include "base/interner.h"

namespace bth::cache {

// Null when no volume of the pod matters to where it may run.
std::shared_ptr<const model::PodVolumes> CompileVolumes(const types::Pod& pod);
// Equal keys mean equal volumes.
std::string KeyOf(const model::PodVolumes& volumes);

std::shared_ptr<model::ClaimFacts> Compile(const types::PersistentVolumeClaim& claim,
                                           Interner& symbols);
std::shared_ptr<model::VolumeFacts> Compile(const types::PersistentVolume& volume,
                                            Interner& symbols);
std::shared_ptr<model::ClassFacts> Compile(const types::StorageClass& storage_class,
                                           Interner& symbols);
std::shared_ptr<model::CsiNodeFacts> Compile(const types::CsiNode& node);
std::shared_ptr<model::CapacityFacts> Compile(const types::CsiStorageCapacity& capacity,
                                              Interner& symbols);

inline constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
inline constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
inline constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";

}  // namespace bth::cache
