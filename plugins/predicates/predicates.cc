#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "api/model/node_affinity.h"
#include "api/model/taints.h"
#include "base/status.h"
#include "base/strings.h"
#include "framework/session/session.h"
#include "plugins/factories.h"
#include "plugins/predicates/arguments.h"
#include "plugins/predicates/device_claim_filters.h"
#include "plugins/predicates/peer_filters.h"
#include "plugins/predicates/pod_limits.h"
#include "plugins/predicates/port_ledger.h"
#include "plugins/predicates/volume_filters.h"

namespace bth::plugins {
namespace {

using framework::FitCode;
using framework::HookRegistrar;
using framework::ReasonId;
using framework::Session;
using framework::TaskMove;
using model::NodeId;
using model::NodeRange;
using model::PodConstraints;
using model::ShapeId;
using model::TaskId;
using model::UnsupportedFeature;
using predicates::DeviceClaimFilters;
using predicates::PodLimits;
using predicates::PortLedger;
using predicates::Switches;
using predicates::VolumeFilters;

// Why a pod with a feature that no filter here can judge is held back.
std::string_view HoldText(UnsupportedFeature feature) {
  switch (feature) {
    case UnsupportedFeature::kNone:
      return "";
    case UnsupportedFeature::kDimensions:
      return "the pod asks for more kinds of resources than this build counts";
  }
  return "";
}

constexpr UnsupportedFeature kUnsupported[] = {
    UnsupportedFeature::kDimensions,
};

// All that hold a pod with these features.
std::string HoldTexts(model::UnsupportedSet set) {
  std::string out;
  for (UnsupportedFeature feature : kUnsupported) {
    if ((set & model::Bit(feature)) == 0) continue;
    const std::string_view text = HoldText(feature);
    if (!text.empty()) StrAppend(&out, out.empty() ? "" : "; ", text);
  }
  return out;
}

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

// Registers its filters in the order in which kube-scheduler's reasons appear. Pod limits, ports
// and volumes live with the session. Thread: scheduling.
class Predicates final : public framework::Plugin {
 public:
  explicit Predicates(const Switches& switches) : switches_(switches) {}
  std::string_view name() const override { return "predicates"; }
  framework::AnswerSources answers_follow() const override {
    return framework::Bit(framework::AnswerSource::kNodeRoom);
  }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    auto& volumes = session.Keep<VolumeFilters>(session, switches_);
    devices_seen_.BeginSession();
    auto& devices = session.Keep<DeviceClaimFilters>(session, switches_, devices_seen_);
    AddPreFilter(session, volumes, devices, hooks);
    const ReasonId crowded =
        session.reasons().Register(FitCode::kUnschedulable, "node(s) pod number exceeded");
    auto& pod_limits = session.Keep<PodLimits>(session);
    hooks.BeforeScan([&pod_limits] { pod_limits.CatchUp(); });
    hooks.FilterUsage([&pod_limits, crowded](ShapeId, NodeRange block, absl::Span<ReasonId> out) {
      pod_limits.Refuse(block, crowded, out);
    });
    AddStaticFilters(session, hooks);
    if (switches_.node_ports) AddPortFilter(session, hooks);
    if (switches_.pod_affinity) predicates::AddPodAffinityFilter(session, hooks);
    volumes.AddBeforeSpread(hooks);
    if (switches_.topology_spread) predicates::AddSpreadFilter(session, hooks);
    volumes.AddAfterSpread(hooks);
    devices.Add(hooks);
    return absl::OkStatus();
  }

 private:
  void AddPreFilter(Session& session, VolumeFilters& volumes, DeviceClaimFilters& devices,
                    HookRegistrar& hooks) {
    hold_.assign(size_t{1} << model::kUnsupportedFeatures, framework::kFits);
    for (size_t set = 1; set < hold_.size(); ++set) {
      const std::string text = HoldTexts(static_cast<model::UnsupportedSet>(set));
      if (!text.empty()) hold_[set] = session.reasons().Register(FitCode::kUnresolvable, text);
    }
    const ReasonId conflict = session.reasons().Register(
        FitCode::kUnresolvable,
        "plugin NodeAffinity pre-predicates failed pod affinity terms conflict");
    hooks.PreFilter([this, &session, &volumes, &devices, conflict](TaskId task) -> ReasonId {
      const PodConstraints& pod = session.base().constraints_of(session.task(task).shape);
      if (switches_.node_affinity && NamesConflict(pod)) return conflict;
      if (const ReasonId hold = hold_[pod.unsupported]; hold != framework::kFits) return hold;
      const ReasonId by_volumes = volumes.PreFilter(task);
      return by_volumes != framework::kFits ? by_volumes : devices.PreFilter(task);
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

  static void AddPortFilter(Session& session, HookRegistrar& hooks) {
    auto& ports = session.Keep<PortLedger>(session.base());
    const ReasonId taken = session.reasons().Register(
        FitCode::kUnschedulable, "node(s) didn't have free ports for the requested pod ports");
    hooks.FilterUsage(
        [&session, &ports, taken](ShapeId shape, NodeRange block, absl::Span<ReasonId> out) {
          const std::vector<model::HostPort>& wanted = session.base().constraints_of(shape).ports;
          if (wanted.empty()) return;
          for (NodeId node : block) {
            if (ports.Conflicts(wanted, node)) out[block.Offset(node)] = taken;
          }
        });
    hooks.OnPlace([&ports](const TaskMove& move) { ports.Place(move.task, move.after.node); });
    hooks.OnRemove([&ports](const TaskMove& move) { ports.Remove(move.task, move.before.node); });
  }

  const Switches switches_;
  std::vector<ReasonId> hold_;  // By UnsupportedSet.
  predicates::DeviceVerdicts devices_seen_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreatePredicates(const conf::Arguments& args) {
  BTH_ASSIGN_OR_RETURN(const Switches switches, predicates::ReadSwitches(args));
  return std::make_unique<Predicates>(switches);
}

}  // namespace bth::plugins
