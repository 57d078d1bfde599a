#include "base/status.h"
#include "framework/session/session.h"
#include "plugins/factories.h"
#include "plugins/task_topology/topology_book.h"

namespace bth::plugins {
namespace {

using task_topology::TopologyBook;

// Keeps nothing beyond a session. Thread: scheduling.
class TaskTopology final : public framework::Plugin {
 public:
  explicit TaskTopology(int64_t weight) : weight_(static_cast<double>(weight)) {}
  std::string_view name() const override { return "task-topology"; }
  framework::AnswerSources answers_follow() const override { return 0; }

  absl::Status OnSessionOpen(framework::Session& session,
                             framework::HookRegistrar& hooks) override {
    auto& book = session.Keep<TopologyBook>(session);
    hooks.TaskOrder(
        [&book](const model::TaskId& a, const model::TaskId& b) { return book.Compare(a, b); });
    hooks.OnPlace([&book](const framework::TaskMove& move) {
      book.Move(move.task, move.before.node, move.after.node);
    });
    hooks.OnRemove([&book](const framework::TaskMove& move) {
      book.Move(move.task, move.before.node, move.after.node);
    });
    if (weight_ == 0) return absl::OkStatus();
    hooks.ScoreGlobal(framework::GlobalScore(
        [this, &book](model::TaskId task, absl::Span<const model::NodeId> nodes,
                      absl::Span<double> sums) { book.AddScores(task, nodes, weight_, sums); },
        [&book](model::TaskId task) { return book.OfTask(task) != nullptr; }));
    return absl::OkStatus();
  }

 private:
  const double weight_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateTaskTopology(const conf::Arguments& args) {
  BTH_ASSIGN_OR_RETURN(const int64_t weight, args.Int("task-topology.weight", 1));
  return std::make_unique<TaskTopology>(weight);
}

}  // namespace bth::plugins
