// Affinity terms of the pods that stand on nodes, as they speak of pods that come.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "api/model/snapshot.h"
#include "framework/peers/domain_counter.h"
#include "framework/session/session.h"

namespace bth::framework {

// A required anti-affinity term or a preferred term of some pods; the same term of differing pods
// is one.
struct CarriedTerm {
  std::shared_ptr<const model::PodConstraints> owner;  // Keeps `term` alive.
  const model::PodAffinityTerm* term = nullptr;
  int64_t weight = 0;  // Of a preferred term, negative to avoid; 0: it is required anti-affinity.
  int64_t pods = 0;    // On nodes, with this term.
  std::shared_ptr<DomainCounter> counter;  // Of them; null until it is asked for.
};

// Which terms select the pods of one namespace with the same labels.
struct SelectingTerms {
  std::vector<uint32_t> required;
  std::vector<uint32_t> preferred;
};

// In step with a session after CatchUp; brought along from session to session.
// Thread: scheduling.
class CarriedTerms {
 public:
  // For the first time in a session, and after moves. Cost: nodes on which pods changed, times the
  // kinds of pods there.
  void CatchUp(const Session& session, uint64_t serial);

  // Cost: the terms that came since the last question about these labels.
  const SelectingTerms& ThatSelect(const Session& session, model::LabelsId labels);

  // Drops counters that were not asked for since the session `serial`.
  void ForgetCountersBefore(uint64_t serial);

  bool empty() const { return terms_.empty(); }
  size_t size() const { return terms_.size(); }
  CarriedTerm& at(uint32_t index) { return terms_[index]; }
  // For the counter of a term; valid as long as this.
  std::function<bool(const std::shared_ptr<const model::PodConstraints>&)> CarriersOf(
      uint32_t index);

 private:
  struct Known {
    std::shared_ptr<const model::PodLabels> labels;
    size_t seen = 0;  // Terms judged so far.
    SelectingTerms selecting;
  };
  // Terms by index; shared, because vectors of them are kept while the map grows.
  using Indexes = std::shared_ptr<const std::vector<uint32_t>>;
  struct Carrier {
    std::shared_ptr<const model::PodConstraints> constraints;
    Indexes terms;
  };

  const std::vector<uint32_t>& TermsOf(const std::shared_ptr<const model::PodConstraints>& pod);
  // Adds the index of a term; one that the pod has twice counts twice.
  void AddIndex(const std::shared_ptr<const model::PodConstraints>& pod,
                const model::PodAffinityTerm& term, int64_t weight, std::vector<uint32_t>* indexes);
  void Count(const std::shared_ptr<const model::PodConstraints>& pod, int64_t pods);
  void Refresh(const model::Snapshot& snapshot);
  void ForgetUnused();

  uint64_t serial_ = 0;
  size_t moves_seen_ = 0;
  // What moves of the session added; taken back when the next one opens.
  std::vector<std::pair<std::shared_ptr<const model::PodConstraints>, int32_t>> moved_;
  decltype(model::Snapshot::pods_on_nodes) pods_on_nodes_;
  decltype(model::Snapshot::constraints) constraints_;
  std::shared_ptr<const model::NamespaceTable> namespaces_;

  std::vector<CarriedTerm> terms_;
  absl::flat_hash_map<std::string, uint32_t> by_text_;
  absl::flat_hash_map<const model::PodConstraints*, Carrier> carriers_;
  absl::flat_hash_map<model::LabelsId, Known> known_;
};

// Equal texts mean the same term, wherever it is written. Also used for the keys of counters.
std::string TextOf(const model::PodAffinityTerm& term);
std::string TextOf(const model::PodSelector& selector);

}  // namespace bth::framework
