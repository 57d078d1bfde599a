#include <memory>
#include <utility>

#include "base/status.h"
#include "framework/session/session.h"
#include "framework/topology/topology.h"
#include "plugins/factories.h"
#include "plugins/network_topology_aware/gradients.h"
#include "plugins/network_topology_aware/node_scores.h"
#include "plugins/network_topology_aware/options.h"

namespace bth::plugins {
namespace {

using framework::HookRegistrar;
using framework::Session;
using model::NodeRange;
using model::TaskId;

// Thread: scheduling.
class NetworkTopologyAware final : public framework::Plugin {
 public:
  explicit NetworkTopologyAware(network_topology::Options options) : options_(std::move(options)) {}
  std::string_view name() const override { return "network-topology-aware"; }
  // Whether sums hold a minimum follows the room on nodes.
  framework::AnswerSources answers_follow() const override {
    return framework::Bit(framework::AnswerSource::kNodeRoom);
  }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    hooks.HyperNodeGradient([this, &session](const framework::HyperNodeQuestion& question) {
      return network_topology::GradientOf(session, question, options_.evict_hyper_nodes_max);
    });
    // Whatever action places a pod, its gang stays within its bounds.
    const framework::ReasonId outside =
        session.reasons().Register(framework::FitCode::kUnresolvable,
                                   "node(s) were too far in the network from the rest of the gang");
    const framework::ReasonId nowhere = session.reasons().Register(
        framework::FitCode::kUnresolvable,
        "node(s) were in no HyperNode with the tierName that the gang must stay inside of");
    const auto judge = [&session, outside, nowhere](TaskId task, NodeRange block,
                                                    absl::Span<framework::ReasonId> out) {
      const framework::ReasonId why = session.topology().NamesUnknownTier(task) ? nowhere : outside;
      session.topology().ForEachOutside(task, block,
                                        [&](model::NodeId node) { out[block.Offset(node)] = why; });
    };
    framework::GlobalFilter filter(
        judge, [&session](TaskId task) { return session.topology().Restricts(task); });
    filter.follows = 0;  // Where the rest of the gang is, is the job's own affair.
    hooks.FilterGlobal(std::move(filter));
    // Made when first asked: a session without HyperNodes has no use for them.
    auto& made = session.Keep<std::unique_ptr<network_topology::NodeScores>>();
    const auto scores = [this, &session, &made]() -> network_topology::NodeScores& {
      if (made == nullptr) {
        made = std::make_unique<network_topology::NodeScores>(session, options_);
      }
      return *made;
    };
    hooks.HyperNodeOrder(
        {[scores](model::SubJobId sub_job, absl::Span<const model::HyperNodeId> candidates,
                  absl::Span<double> sum) { scores().AddOrder(sub_job, candidates, sum); },
         [scores](model::SubJobId sub_job, const model::ResourceVec& before,
                  absl::Span<const model::HyperNodeId> candidates,
                  absl::Span<double> sum) { scores().AddMost(sub_job, before, candidates, sum); }});
    framework::GlobalScore score(
        [scores](TaskId task, absl::Span<const model::NodeId> nodes, absl::Span<double> sum) {
          scores().Add(task, nodes, sum);
        },
        [&session, scores](TaskId task) {
          return session.base().hyper_nodes != nullptr && scores().Concerns(task);
        });
    score.likeness = [scores](TaskId task, framework::NodeLikeness* out) {
      return scores().Likeness(task, out);
    };
    score.score_alike = [scores](TaskId task, absl::Span<const framework::AlikeNodes> groups,
                                 absl::Span<double> sum) { scores().AddAlike(task, groups, sum); };
    hooks.ScoreGlobal(std::move(score));
    return absl::OkStatus();
  }

 private:
  const network_topology::Options options_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateNetworkTopologyAware(
    const conf::Arguments& args) {
  BTH_ASSIGN_OR_RETURN(network_topology::Options options, network_topology::ReadOptions(args));
  return std::make_unique<NetworkTopologyAware>(std::move(options));
}

}  // namespace bth::plugins
