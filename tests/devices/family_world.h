// A random cluster of one family of shared devices, and what is true of its cards, from annotations
// and in plain words: it knows nothing of ours.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/rng.h"
#include "tests/devices/device_cluster.h"

namespace bth::devices::testing {

struct PlainCard {
  int64_t memory = 0;
  int64_t slots = 0;
  int64_t cores = 100;
  bool offered = true;
};

// What a pod has of a card.
struct PlainPart {
  std::string pod;
  std::string card;      // "node/id", without what stands in brackets behind it:
  std::string instance;  // of a card that is cut.
  int64_t memory = 0;
  int64_t cores = 0;
};
using PlainParts = std::vector<PlainPart>;

// Of each card; `is_simple`: one container asks.
struct PlainAsk {
  int64_t count = 1;
  int64_t memory = 0;
  int64_t cores = 0;
  bool soft = false;
  bool is_simple = true;
};

class FamilyWorld {
 public:
  explicit FamilyWorld(Rng& dice) : rng(dice), node_lock(dice.Chance(0.4)) {}
  virtual ~FamilyWorld() = default;

  // The cluster in which it is.
  ClusterSetup Setup(const std::string& actions);
  // The node is told, with other locks, and with other cards where its family takes some away.
  void TellNode(DeviceCluster& cluster, const std::string& name);
  types::Pod DrawPod(const std::string& name, const std::string& group);
  // Of what the pod's annotation says.
  virtual PlainParts PartsOf(const std::string& pod, const std::string& node,
                             const std::string& text) const;

  // No card gives more than it has, no instance is given twice, and rules are kept.
  void CheckBounds(const PlainParts& parts) const;
  // The node would serve the pod, which is simple, beside those.
  bool Serves(const std::string& node, const PlainParts& parts, const std::string& pod) const;
  bool IsLocked(const std::string& node, absl::Time now) const;

  Rng& rng;
  const bool node_lock;
  std::string ids_key;
  std::string lock_key;
  bool lock_counts = true;
  std::map<std::string, PlainCard> cards;  // By "node/id".
  std::map<std::string, PlainAsk> asks;    // By pod.
  std::map<std::string, std::set<int>> rules_of;

 protected:
  virtual std::string Family() const = 0;
  virtual std::string Config() const { return ""; }
  virtual std::string MoreArguments() const { return ""; }
  virtual types::Node DrawNode(const std::string& name) = 0;
  virtual types::Pod Asking(PlainAsk* ask) = 0;
  // The labels are those of that many rules.
  virtual int rules() const { return 0; }
  virtual bool Takes(const std::string& card, const PlainParts& there,
                     const std::string& pod) const;

 private:
  // As the annotation says; nothing in it: it cannot be read, and counts.
  std::map<std::string, std::optional<absl::Time>> locks_;
};

// "gpu memory", "gpu whole", "virtual", "cut" or "ascend".
std::unique_ptr<FamilyWorld> MakeFamily(const std::string& name, Rng& rng);

// What all of them have of one card.
struct PlainSum {
  int64_t parts = 0;
  int64_t memory = 0;
  int64_t cores = 0;
};
PlainSum SumOf(const PlainParts& parts, const std::string& card);

}  // namespace bth::devices::testing
