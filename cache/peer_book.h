// Which pods stand on which node, by the labels that selectors ask about.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "api/model/snapshot.h"
#include "base/ids.h"
#include "cache/compiled.h"
#include "cache/slots.h"

namespace bth::cache {

// Labels are kept as far as the selector of some pod names their key, so that pods that differ in
// an index or a hash nobody asks about share one row. A key that is asked for stays; beyond
// kKeysMax of them, every label is kept. Thread: I/O.
class PeerBook {
 public:
  static constexpr size_t kKeysMax = 256;

  // Keys that the terms of this pod ask about count from now on.
  void AskFor(const model::PodPeerTerms& terms);
  // True after keys came that pods were not labelled by; asked once.
  bool TakeKeysGrew() { return std::exchange(keys_grew_, false); }

  model::LabelsId Acquire(const CompiledPod& pod, Interner& symbols, model::Snapshot* now);
  void Release(model::LabelsId labels, model::Snapshot* now);

  // Adds `key.pods` pods to a node, or takes them away.
  void Count(model::NodeId node, const model::PeerCount& key);

  // Pending pods that the placement of others may let in: those with required affinity or spread.
  void NoteSeeker(int32_t sign) { seekers_ += sign; }
  bool has_seekers() const { return seekers_ > 0; }

  // True when something changed.
  bool PutNamespace(Symbol name, std::vector<model::LabelPair> labels);
  bool RemoveNamespace(Symbol name);

  // Writes the columns that changed.
  void Publish(model::Snapshot* now);
  // After a snapshot was published.
  void Recycle() { slots_.Recycle(); }

 private:
  struct Hash {
    size_t operator()(const model::PodLabels& labels) const;
  };

  void AskFor(const model::PodSelector& selector);

  absl::flat_hash_set<Symbol> keys_;
  bool all_keys_ = false;
  bool keys_grew_ = false;

  absl::flat_hash_map<model::PodLabels, model::LabelsId, Hash> ids_;
  IdVector<model::LabelsId, int64_t> pods_;  // With these labels.
  Slots<model::LabelsId> slots_;

  IdVector<model::NodeId, std::vector<model::PeerCount>> on_node_;  // Sorted.
  absl::flat_hash_set<model::NodeId> changed_;
  int64_t seekers_ = 0;

  model::NamespaceTable namespaces_;
  bool namespaces_changed_ = false;
};

}  // namespace bth::cache
