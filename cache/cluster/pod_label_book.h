// Which pods stand on which node, by the labels that selectors ask about.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "api/model/snapshot.h"
#include "base/ids.h"
#include "cache/cluster/slots.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

// Labels are kept as far as the selector of some pod names their key, so that pods that differ in
// an index or a hash nobody asks about share one row. Thread: I/O.
class PodLabelBook {
 public:
  // So many keys that nobody asks for any more are kept for those who ask again.
  static constexpr size_t kIdleKeysMax = 64;

  // Keys that the terms of a pod ask about count until they are taken back by the same terms.
  void AskFor(const model::PodPeerTerms& terms, Interner& symbols);
  void AskNoMore(const model::PodPeerTerms& terms);
  // After keys came that pods were not labelled by.
  bool has_fresh_keys() const { return !fresh_keys_.empty(); }
  // The pod has such a label.
  bool HasFreshKey(const PodIdentity& pod, const Interner& symbols) const;
  void ForgetFreshKeys() { fresh_keys_.clear(); }

  model::LabelsId Acquire(const PodIdentity& pod, Interner& symbols, model::Snapshot* now);
  void Release(model::LabelsId labels, model::Snapshot* now);

  // A task came into `state`, or left it.
  void Track(model::TaskId id, const model::TaskState& state, bool on, model::Snapshot* now);
  // Pending pods that the placement of others may let in: those with required affinity or spread.
  bool has_seekers() const { return seekers_ > 0; }

  // True when something changed.
  bool PutNamespace(const std::string& name, const Labels& labels, Interner& symbols);
  bool RemoveNamespace(const std::string& name);

  // Writes the columns that changed.
  void Publish(model::Snapshot* now);
  // After a snapshot was published.
  void Recycle() { slots_.Recycle(); }

  size_t label_keys() const { return keys_.size(); }
  size_t label_sets() const { return ids_.size(); }

 private:
  struct Hash {
    size_t operator()(const model::PodLabels& labels) const;
  };

  // A label key that selectors name.
  struct Key {
    int64_t selectors = 0;  // Of pods that are there; 0: it is idle.
    SharedSymbols symbols;
  };
  // As far as somebody asks; nothing when the texts of some are not held.
  std::optional<model::PodLabels> Known(const PodIdentity& pod, const Interner& symbols) const;
  model::PodLabels Make(const PodIdentity& pod, Interner& symbols) const;
  // Adds `key.pods` pods to a node, or takes them away.
  void Count(model::NodeId node, const model::LabelledPods& key);
  bool Asks(Symbol key) const { return key.valid() && keys_.contains(key); }
  void DropIdleKeys();

  absl::flat_hash_map<Symbol, Key> keys_;
  size_t idle_keys_ = 0;  // Of them.
  absl::flat_hash_set<Symbol> fresh_keys_;

  absl::flat_hash_map<model::PodLabels, model::LabelsId, Hash> ids_;
  IdVector<model::LabelsId, int64_t> pods_;  // With these labels.
  Slots<model::LabelsId> slots_;

  IdVector<model::NodeId, std::vector<model::LabelledPods>> on_node_;  // Sorted.
  absl::flat_hash_set<model::NodeId> changed_;
  int64_t seekers_ = 0;

  struct Namespace {
    Symbol symbol;
    SharedSymbols symbols;
  };
  absl::flat_hash_map<std::string, Namespace> namespace_symbols_;  // By name.
  model::NamespaceTable namespaces_;
  bool namespaces_changed_ = false;
};

}  // namespace bth::cache
