// Finds a node for a task at the cost of other tasks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "actions/eviction/candidates.h"
#include "actions/eviction/known_failures.h"
#include "actions/eviction/node_tasks.h"
#include "actions/eviction/plan.h"
#include "actions/eviction/protection.h"
#include "actions/eviction/tally.h"
#include "actions/eviction/turns.h"
#include "actions/worksheet.h"
#include "framework/nodes/node_picker.h"
#include "framework/session/session.h"

namespace bth::actions::eviction {

// How many nodes with victims are compared before one is chosen, in the order of their names.
struct Comparison {
  int64_t percentage = 10;  // Of the nodes looked at.
  int64_t least = 1;
  int64_t most = 100;
  // Never more than `nodes`.
  int64_t Wanted(int64_t nodes) const;
};

// One run of an evicting action: what its tasks' searches share. Thread: scheduling.
class Search {
 public:
  // Why nothing may be asked for the task; empty: it may.
  using WhyNotAsk = absl::FunctionRef<std::string(model::TaskId)>;

  // `action` and `turns` must outlive the search: what its questions do not suffice for is left to
  // the next run. With `comparison` the node whose victims matter least is taken, else the first by
  // score (or by name, for reclaim) on which victims suffice.
  Search(framework::Session& session, std::string_view action, Turns& turns,
         std::optional<Comparison> comparison = std::nullopt);

  // The job gets what it lacks, or nobody is evicted and the job's report says why. Only tasks that
  // `why_not` admits are placed.
  void PlaceJob(model::JobId job, Reach reach, WhyNotAsk why_not);
  // Tasks of the job that are still pending may take the room of its lower ones, one by one. A gang
  // below its minimum would not be bound for that.
  void PlaceOwnTasks(model::JobId job);

 private:
  // What the tasks of one job have in common.
  struct Goal {
    Reach reach = Reach::kOtherJobs;
    WhyNotAsk why_not;
    std::optional<framework::VictimSearch>* failure = nullptr;  // The first one.
    // The most pods that found room together when somebody was to go for it.
    size_t* planned = nullptr;
  };
  // A node on which the task was placed in a trial, and how much that hurts.
  struct Damage {
    model::NodeId node;
    std::vector<model::TaskId> victims;
    int32_t first_priority = 0;
    int64_t priority_sum = 0;
    int64_t latest_start_us = 0;  // The earliest among the victims of the highest priority.
  };

  // Pipelines `task` in `plan`, with the evictions that it needs. False: nothing was found,
  // nothing is changed. A task that fits somewhere without evictions gets that place.
  bool Place(const Ask& ask, Plan& plan);
  // Hands over the plan of a job. False: the sink refused it, and the job's report says so, or
  // nobody has to go.
  bool Commit(model::JobId job, Plan& plan);
  // False: the run has no more questions of this kind, so that the search for it is cut short.
  bool MayAskMore(Reach reach);
  bool IsSpent(Reach reach) { return QuestionsOf(reach) >= turns_.questions_max(); }
  int64_t& QuestionsOf(Reach reach) {
    return reach == Reach::kOwnJob ? own_questions_ : questions_;
  }
  void PlaceTasks(TaskHeap& tasks, const Goal& goal, absl::FunctionRef<bool()> enough, Plan& plan);
  void PlaceSubJobs(model::JobId job, const Goal& goal, Plan& plan);
  // Says on the job that a plan was given up.
  void NoteDropped(model::JobId job, std::optional<framework::VictimSearch> failure,
                   model::TaskId task, std::string why);
  // Why the last search, which was for `ask`, failed; says nothing when there is nothing to say
  // beyond what the nodes said.
  framework::VictimSearch Failure(const Ask& ask);
  bool IsEligible(const Ask& ask);
  bool PlaceByVictims(const Ask& ask, Plan& plan);
  bool PlaceByOrder(const Ask& ask, framework::ShardPart part, Plan& plan);
  bool PlaceByDamage(const Ask& ask, framework::ShardPart part, Plan& plan);
  // Nodes of that part that might do, as far as sums tell.
  std::vector<framework::RankedNode> PossibleNodes(const Ask& ask, framework::ShardPart part,
                                                   bool scored);
  // On success the plan has the evictions, and the pipelined task.
  bool TryNode(const Ask& ask, model::NodeId node, Plan& plan);
  void CountRefusal(const framework::NodeJudge::Objection& objection);
  bool TryVictims(const Ask& ask, model::NodeId node, const std::vector<model::TaskId>& victims,
                  Plan& plan);
  // Of the victims since `mark`, those who could demand their room back at once.
  std::vector<model::TaskId> Rivals(const Ask& ask, int tier, const Plan& plan,
                                    Plan::Mark mark) const;
  Damage Assess(model::NodeId node, std::vector<model::TaskId> victims) const;
  const NodeTasks& tasks();

  framework::Session& session_;
  const std::string_view action_;
  Turns& turns_;
  const std::optional<Comparison> comparison_;
  framework::NodePicker& picker_;
  const framework::NodeJudge& judge_;
  std::unique_ptr<NodeTasks> tasks_;  // Made when first needed.
  KnownFailures failures_;
  KnownFailures cut_off_{KnownFailures::SpeakFor::kEqual};  // That began without questions.
  Tally failure_;                                           // Of the last failed search.
  bool hopeless_ = false;                                   // Nobody may go for whom it was made.
  bool cut_short_ = false;  // It ended because there were no more questions.
  int64_t questions_ = 0;
  int64_t own_questions_ = 0;  // About victims of the job's own.
};

}  // namespace bth::actions::eviction
