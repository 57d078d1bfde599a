// Moves on clusters with shared devices, and what the hooks of a session answer between them.
#pragma once

#include <string>
#include <vector>

#include "base/rng.h"
#include "base/strings.h"
#include "framework/nodes/node_picker.h"
#include "framework/session/session.h"
#include "framework/session/statement.h"
#include "tests/support/catch.h"

namespace bth::devices::testing {

// What the hooks of a session answer of every node to every waiting pod.
inline std::string AnswersOf(const framework::Session& session) {
  std::string out;
  for (model::TaskId task : session.base().tasks.ids()) {
    if (session.task(task).names == nullptr) continue;
    const model::ShapeId shape = session.task(task).shape;
    for (model::NodeId node : *session.base().nodes_by_name) {
      const model::NodeRange one(node.index(), node.index() + 1);
      for (const auto* filters : {&session.hooks().usage_filter, &session.hooks().now_filter}) {
        for (const auto& entry : *filters) {
          framework::ReasonId verdict = framework::kFits;
          entry.fn(shape, one, absl::Span<framework::ReasonId>(&verdict, 1));
          StrAppend(&out, verdict, ",");
        }
      }
      double score = 0;
      for (const auto& entry : session.hooks().usage_score) {
        entry.fn(shape, one, absl::Span<double>(&score, 1));
      }
      StrAppend(&out, score, ";");
    }
    const auto plan = session.votes().DevicePlanOf(task);
    if (plan != nullptr && plan->held != nullptr) {
      for (const auto& device : plan->held->held[0].devices) StrAppend(&out, device.id, " ");
    }
  }
  return out;
}

// Moves like those of actions: tasks are placed or pipelined where they fit, victims leave.
class Mover {
 public:
  Mover(framework::Session& session, Rng& rng) : session_(session), rng_(rng) {}

  void Step(framework::Statement& statement) {
    std::vector<model::TaskId> tasks;
    for (model::TaskId task : session_.base().tasks.ids()) {
      if (session_.task(task).names != nullptr) tasks.push_back(task);
    }
    const model::TaskId task = tasks[rng_.Below(tasks.size())];
    const auto& nodes = *session_.base().nodes_by_name;
    const model::NodeId node = nodes[rng_.Below(nodes.size())];
    switch (session_.state(task).status) {
      case model::TaskStatus::kPending:
        if (!session_.picker().judge().MayTake(task, node)) return;
        if (session_.picker().judge().HasRoomNow(task, node)) {
          statement.Allocate(task, node);
        } else {
          statement.Pipeline(task, node, false);
        }
        return;
      case model::TaskStatus::kPipelined:
        statement.Unpipeline(task);
        return;
      case model::TaskStatus::kRunning:
        statement.Evict(task, model::TaskId());
        return;
      default:
        return;
    }
  }

 private:
  framework::Session& session_;
  Rng& rng_;
};

// Moves, moves within moves, and their undoing: what is undone leaves no trace. `check` is called
// between them.
template <typename Check>
void CheckUndo(framework::Session& session, Rng& rng, int rounds, const Check& check) {
  Mover mover(session, rng);
  framework::Statement statement(session, "test");
  const std::string at_first = AnswersOf(session);
  for (int round = 0; round < rounds; ++round) {
    for (uint64_t i = rng.Below(5); i > 0; --i) mover.Step(statement);
    check();
    const std::string before = AnswersOf(session);
    const auto mark = statement.Checkpoint();
    for (uint64_t i = 1 + rng.Below(12); i > 0; --i) {
      mover.Step(statement);
      // A search inside a search.
      if (!rng.Chance(0.3)) continue;
      const std::string inner_before = AnswersOf(session);
      const auto inner = statement.Checkpoint();
      for (uint64_t j = 1 + rng.Below(4); j > 0; --j) mover.Step(statement);
      statement.RollbackTo(inner);
      CHECK(AnswersOf(session) == inner_before);
    }
    check();
    statement.RollbackTo(mark);
    CHECK(AnswersOf(session) == before);
  }
  statement.RollbackTo({});
  CHECK(AnswersOf(session) == at_first);
}

}  // namespace bth::devices::testing
