// What pods of random worlds ask of the places of other pods, in plain words.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/model/pod_peers.h"
#include "base/interner.h"
#include "base/rng.h"

namespace bth::test {

using LabelsOfPod = std::map<std::string, std::string>;

// One requirement: the label has this value, or has it not.
struct SelectorSpec {
  std::string label;
  std::string value;
  bool negated = false;
  bool empty = false;   // Matches every pod.
  bool absent = false;  // Matches none.
  bool Matches(const LabelsOfPod& labels) const;
};

struct AffinitySpec {
  std::string topology_key;
  SelectorSpec selector;
  std::vector<std::string> namespaces;
  std::string team;  // Namespaces with this label `team`, when set; "*": all.
  bool avoids = false;
  int32_t weight = 0;  // 0: required.
};

struct SpreadSpec {
  std::string topology_key;
  SelectorSpec selector;
  int32_t skew_max = 1;
  int32_t domains_min = 0;
  bool required = true;
  bool honor_affinity = true;
  bool honor_taints = false;
};

struct PeerSpecs {
  LabelsOfPod labels;
  std::vector<AffinitySpec> affinity;
  std::vector<SpreadSpec> spread;
};

inline constexpr char kHostKey[] = "kubernetes.io/hostname";

// One of them.
std::string Pick(Rng& rng, const std::vector<std::string>& from);

// Labels most of the time, terms now and then.
PeerSpecs RandomPeers(Rng& rng);

// As the mirror takes them; null without terms. `key` gets what tells them from others.
std::shared_ptr<const model::PodPeerTerms> CompileSpecs(const PeerSpecs& specs,
                                                        const std::string& ns, Interner& symbols,
                                                        std::string* key);

}  // namespace bth::test
