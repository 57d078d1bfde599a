// How waiting pods are spread that say nothing about it themselves.
#pragma once

#include <string>

#include "absl/functional/function_ref.h"
#include "cache/cluster/draft.h"
#include "cache/cluster/pod_label_book.h"
#include "cache/cluster/selector_book.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

// Owns `default_spread` of the tasks' rows. Thread: I/O.
class DefaultSpreads {
 public:
  // All of them outlive it.
  DefaultSpreads(Draft& draft, SelectorBook& selectors, PodLabelBook& pod_labels, Interner& symbols)
      : draft_(draft), selectors_(selectors), pod_labels_(pod_labels), symbols_(symbols) {}

  // The pod's row is there. One with any constraint, required or not, has none by default.
  void Enter(model::TaskId id, const CompiledPod& pod);
  // It waits no more: what it has stays as it is.
  void Settle(model::TaskId id, const std::string& ns) { selectors_.Leave(id, ns); }
  void Leave(model::TaskId id, const std::string& ns);
  // What other services and workloads select since the last call.
  void Publish(absl::FunctionRef<PodIdentity(model::TaskId)> pod_of);

 private:
  bool Take(model::TaskId id, const PodIdentity& pod);
  void Drop(model::TaskId id);

  Draft& draft_;
  SelectorBook& selectors_;
  PodLabelBook& pod_labels_;
  Interner& symbols_;
};

}  // namespace bth::cache
