#include "framework/topology/gradients.h"

#include <algorithm>

namespace bth::framework {

HyperNodeGradient GradientFor(const Session& session, const HyperNodeQuestion& question) {
  const auto& hooks = session.hooks().hyper_node_gradient;
  if (hooks.empty()) return {.rows = {{question.inside}}};
  return hooks[0].fn(question);
}

int32_t TasksLacking(const Session& session, model::SubJobId sub_job) {
  const model::SubJobCounts& counts = session.usage().sub_jobs[sub_job];
  const int32_t has = counts.ready() + counts.waiting() + counts.pending_best_effort;
  return std::max(0, session.base().sub_jobs[sub_job].min_available - has);
}

std::vector<double> RankHyperNodes(const Session& session, model::SubJobId sub_job,
                                   absl::Span<const model::HyperNodeId> candidates) {
  std::vector<double> scores(candidates.size(), 0);
  for (const auto& entry : session.hooks().hyper_node_order) {
    entry.fn(sub_job, candidates, absl::MakeSpan(scores));
  }
  return scores;
}

std::vector<double> MostOfHyperNodes(const Session& session, model::SubJobId sub_job,
                                     const model::ResourceVec& before,
                                     absl::Span<const model::HyperNodeId> candidates) {
  std::vector<double> scores(candidates.size(), 0);
  for (const auto& entry : session.hooks().hyper_node_order) {
    if (entry.fn.most == nullptr) return {};
    entry.fn.most(sub_job, before, candidates, absl::MakeSpan(scores));
  }
  return scores;
}

}  // namespace bth::framework
