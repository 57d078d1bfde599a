#include "base/status.h"
#include "framework/session/session.h"
#include "plugins/factories.h"
#include "plugins/numa_aware/cpu_ledger.h"
#include "plugins/numa_aware/node_answers.h"

namespace bth::plugins {
namespace {

using framework::TaskMove;
using model::TaskId;
using numa_aware::CpuLedger;
using numa_aware::NodeAnswers;

// Keeps nothing beyond a session: what is given to pods goes with their bindings to the cache,
// which shows it in snapshots until a report does. Thread: scheduling.
class NumaAware final : public framework::Plugin {
 public:
  explicit NumaAware(int64_t weight) : weight_(static_cast<double>(weight)) {}
  std::string_view name() const override { return "numa-aware"; }
  // Free CPUs are room of their node.
  framework::AnswerSources answers_follow() const override {
    return framework::Bit(framework::AnswerSource::kNodeRoom);
  }
  void AddNeeds(framework::PluginNeeds& needs) const override { needs.numa_reports = true; }

  absl::Status OnSessionOpen(framework::Session& session,
                             framework::HookRegistrar& hooks) override {
    auto& ledger = session.Keep<CpuLedger>(session);
    auto& answers = session.Keep<NodeAnswers>(session, ledger);
    hooks.FilterUsage([&session, &answers](model::ShapeId shape, model::NodeRange block,
                                           absl::Span<framework::ReasonId> out) {
      answers.Refuse(session.shape(shape).constraints, block, out);
    });
    hooks.OnPlace([&ledger](const TaskMove& move) { ledger.Place(move.task, move.after.node); });
    hooks.OnRemove([&ledger](const TaskMove& move) { ledger.Remove(move.task, move.before.node); });
    hooks.PlanCpus([&ledger](TaskId task) { return ledger.PlanOf(task); });
    if (weight_ == 0) return absl::OkStatus();
    hooks.ScoreGlobal(framework::GlobalScore(
        [this, &session, &answers](TaskId task, absl::Span<const model::NodeId> nodes,
                                   absl::Span<double> sums) {
          answers.AddScores(session.shape(session.task(task).shape).constraints, nodes, weight_,
                            sums);
        },
        [&ledger](TaskId task) {
          const model::PodNuma* pod = ledger.PodOf(task);
          return pod != nullptr && !pod->policy.empty();
        }));
    return absl::OkStatus();
  }

 private:
  const double weight_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateNumaAware(const conf::Arguments& args) {
  BTH_ASSIGN_OR_RETURN(const int64_t weight, args.Int("weight", 1));
  return std::make_unique<NumaAware>(weight);
}

}  // namespace bth::plugins
