#include "plugins/predicates/predicates.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "framework/session.h"
#include "plugins/predicates/arguments.h"
#include "plugins/predicates/port_ledger.h"

namespace bth::plugins {
namespace {

using framework::FitCode;
using framework::HookRegistrar;
using framework::ReasonId;
using framework::Session;
using model::NodeId;
using model::NodeRange;
using model::PodConstraints;
using model::ShapeId;
using model::TaskId;
using model::UnsupportedFeature;
using predicates::PortLedger;
using predicates::Switches;

// Why a pod with a feature that no filter here can judge is held back; empty when a switch turns
// the filter of that feature off.
std::string_view HoldText(UnsupportedFeature feature, const Switches& switches) {
  switch (feature) {
    case UnsupportedFeature::kNone:
      return "";
    case UnsupportedFeature::kPodAffinity:
      return switches.pod_affinity ? "inter-pod affinity is not supported yet" : "";
    case UnsupportedFeature::kTopologySpread:
      return switches.topology_spread ? "topology spread constraints are not supported yet" : "";
    case UnsupportedFeature::kVolumes:
      return switches.any_volume_filter() ? "volumes that need binding are not supported yet" : "";
    case UnsupportedFeature::kResourceClaims:
      return "resource claims are not supported yet";
    case UnsupportedFeature::kDimensions:
      return "the pod asks for more kinds of resources than this build counts";
  }
  return "";
}

constexpr UnsupportedFeature kUnsupported[] = {
    UnsupportedFeature::kPodAffinity, UnsupportedFeature::kTopologySpread,
    UnsupportedFeature::kVolumes,     UnsupportedFeature::kResourceClaims,
    UnsupportedFeature::kDimensions,
};

// True when every required term names nodes and no node is named by all requirements of a term.
// Such a pod fits nowhere, and the reason is the pod, not the nodes.
bool NamesConflict(const PodConstraints& pod) {
  if (!pod.has_required_terms || pod.required_terms.empty()) return false;
  for (const model::NodeTerm& term : pod.required_terms) {
    std::optional<std::vector<Symbol>> common;
    for (const model::NodeRequirement& names : term.names) {
      if (names.op != model::SelectorOp::kIn) continue;
      if (!common) {
        common = names.values;
        continue;
      }
      std::erase_if(*common, [&names](Symbol name) {
        return !std::binary_search(names.values.begin(), names.values.end(), name);
      });
    }
    if (!common || !common->empty()) return false;
  }
  return true;
}

// Pods that count against a node's limit: all that are there or promised, but for those that this
// session evicts.
int64_t PodsOn(const Session& session, NodeId node, bool any_evicted) {
  const model::Usage& usage = session.usage();
  int64_t pods = session.base().allocatable[node][model::kPods] - usage.idle[node][model::kPods];
  if (usage.pipelined_tasks > 0) pods += usage.pipelined[node][model::kPods];
  if (any_evicted) {
    pods -=
        usage.releasing[node][model::kPods] - session.base().usage.releasing[node][model::kPods];
  }
  return pods;
}

void FilterPodCount(const Session& session, NodeRange block, ReasonId reason,
                    absl::Span<ReasonId> out) {
  const bool any_evicted = session.usage().releasing_tasks != session.base().usage.releasing_tasks;
  for (NodeId node : block) {
    const int64_t limit = session.base().allocatable[node][model::kPods];
    if (PodsOn(session, node, any_evicted) >= limit) out[block.Offset(node)] = reason;
  }
}

// A filter of one claim per node.
template <typename Fits>
framework::StaticFilterFn StaticFilter(const Session& session, ReasonId reason, Fits fits) {
  return [&session, reason, fits](const PodConstraints& pod, NodeRange block,
                                  absl::Span<ReasonId> out) {
    for (NodeId node : block) {
      if (!fits(pod, session.node(node))) out[block.Offset(node)] = reason;
    }
  };
}

// Registers its filters in the order in which kube-scheduler's reasons appear. Keeps the ports of
// the present session. Thread: scheduling; filters on any worker.
class Predicates final : public framework::Plugin {
 public:
  explicit Predicates(const Switches& switches) : switches_(switches) {}
  std::string_view name() const override { return "predicates"; }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    AddPreFilter(session, hooks);
    const ReasonId crowded =
        session.reasons().Register(FitCode::kUnschedulable, "node(s) pod number exceeded");
    hooks.FilterUsage([&session, crowded](ShapeId, NodeRange block, absl::Span<ReasonId> out) {
      FilterPodCount(session, block, crowded, out);
    });
    AddStaticFilters(session, hooks);
    if (switches_.node_ports) AddPortFilter(session, hooks);
    return absl::OkStatus();
  }

 private:
  void AddPreFilter(Session& session, HookRegistrar& hooks) {
    hold_.assign(static_cast<size_t>(UnsupportedFeature::kDimensions) + 1, framework::kFits);
    for (UnsupportedFeature feature : kUnsupported) {
      const std::string_view text = HoldText(feature, switches_);
      if (text.empty()) continue;
      hold_[static_cast<size_t>(feature)] =
          session.reasons().Register(FitCode::kUnresolvable, text);
    }
    const ReasonId conflict = session.reasons().Register(
        FitCode::kUnresolvable,
        "plugin NodeAffinity pre-predicates failed pod affinity terms conflict");
    hooks.PreFilter([this, &session, conflict](TaskId task) -> ReasonId {
      const PodConstraints& pod = session.base().constraints_of(session.task(task).shape);
      if (switches_.node_affinity && NamesConflict(pod)) return conflict;
      return hold_[static_cast<size_t>(pod.unsupported)];
    });
  }

  void AddStaticFilters(Session& session, HookRegistrar& hooks) const {
    framework::ReasonTable& reasons = session.reasons();
    const auto add = [&](std::string_view text, const auto& fits) {
      const ReasonId reason = reasons.Register(FitCode::kUnresolvable, text);
      hooks.FilterStatic(StaticFilter(session, reason, fits));
    };
    using model::NodeFacts;
    add("node(s) were unschedulable", [](const PodConstraints& pod, const NodeFacts& node) {
      return !node.unschedulable || pod.tolerates_unschedulable;
    });
    if (switches_.node_affinity) {
      add("node(s) didn't match Pod's node affinity/selector",
          [](const PodConstraints& pod, const NodeFacts& node) {
            return model::MatchesRequired(pod, node);
          });
    }
    if (switches_.taints) {
      add("node(s) had untolerated taint(s)", [](const PodConstraints& pod, const NodeFacts& node) {
        return model::FirstUntolerated(pod, node) == nullptr;
      });
    }
  }

  void AddPortFilter(Session& session, HookRegistrar& hooks) {
    ports_.emplace(session.base());
    const ReasonId taken = session.reasons().Register(
        FitCode::kUnschedulable, "node(s) didn't have free ports for the requested pod ports");
    hooks.FilterUsage(
        [this, &session, taken](ShapeId shape, NodeRange block, absl::Span<ReasonId> out) {
          const std::vector<model::HostPort>& wanted = session.base().constraints_of(shape).ports;
          if (wanted.empty()) return;
          for (NodeId node : block) {
            if (ports_->Conflicts(wanted, node)) out[block.Offset(node)] = taken;
          }
        });
    hooks.OnPlace([this, &session](TaskId task) { ports_->Place(task, session.state(task).node); });
    hooks.OnRemove(
        [this, &session](TaskId task) { ports_->Remove(task, session.state(task).node); });
  }

  const Switches switches_;
  std::vector<ReasonId> hold_;       // By UnsupportedFeature.
  std::optional<PortLedger> ports_;  // Of the present session.
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreatePredicates(const conf::Arguments& args) {
  BTH_ASSIGN_OR_RETURN(const Switches switches, predicates::ReadSwitches(args));
  return std::make_unique<Predicates>(switches);
}

}  // namespace bth::plugins
