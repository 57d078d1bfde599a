// The slow twin of the filters: Kubernetes' rules, object by object, every pod each time.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/worlds/filter_world.h"

namespace bth::test {

struct FilterSwitches {
  bool affinity = true;
  bool taints = true;
  bool ports = true;
  bool restrictions = true;
  bool limits = true;
  bool zones = true;
  bool binding = true;
};

// Judges on the objects of a world and on the moves it is told of. Inter-pod affinity, spread and
// which volume an unbound claim gets have twins of their own.
class FilterTwin {
 public:
  FilterTwin(const FilterWorld& world, const FilterSwitches& switches);

  // A pod came to a node, or went, since the objects were read.
  void Place(const std::string& pod, const std::string& node) { place_[pod] = node; }
  void Remove(const std::string& pod) { place_.erase(pod); }
  std::string PlaceOf(const std::string& pod) const;

  // Why the pod fits nowhere, whatever the nodes are; "": nothing speaks against it.
  std::string WhyNowhere(const FilterPod& pod) const;
  // What speaks against the node, of each filter by itself; sorted.
  std::vector<std::string> Reasons(const FilterPod& pod, const FilterNode& node) const;

 private:
  // Driver, handle, and whether it is still to be made.
  using Attached = std::tuple<std::string, std::string, bool>;

  std::vector<const FilterPod*> PodsOn(const std::string& node) const;
  bool PortTaken(const FilterPod& pod, const std::string& node) const;
  // filter_twin_volumes.cc
  const FilterClaim* ClaimOf(const FilterPod& pod, const MountSpec& mount) const;
  const FilterVolume* VolumeNamed(const std::string& name) const;
  const ClassSpec* ClassNamed(const std::string& name) const;
  std::string WhyNoClaim(const FilterPod& pod) const;
  std::string WhyNoZone(const FilterPod& pod) const;
  std::string WhyNoCount(const FilterPod& pod) const;
  bool DiskTaken(const FilterPod& pod, const std::string& node) const;
  bool ClaimTaken(const FilterPod& pod) const;
  bool InZone(const FilterPod& pod, const FilterNode& node) const;
  bool WithinLimits(const FilterPod& pod, const std::string& node) const;
  std::set<Attached> AttachedBy(const FilterPod& pod, const CsiNodeSpec& csi) const;

  const FilterWorld& world_;
  const FilterSwitches switches_;
  std::map<std::string, const FilterPod*> pods_;
  std::map<std::string, std::string> place_;  // Node by pod, of pods that hold room.
};

}  // namespace bth::test
