#include "actions/eviction/search.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "actions/eviction/starving_jobs.h"
#include "base/heap.h"
#include "base/strings.h"
#include "framework/report/fit_report.h"
#include "framework/session/statement.h"

namespace bth::actions::eviction {

using framework::NodeJudge;
using framework::RankedNode;
using framework::Session;
using framework::ShardPart;
using model::JobId;
using model::NodeId;
using model::SubJobId;
using model::TaskId;

namespace {

bool AllocateFollows(const Session& session, std::string_view action) {
  const std::vector<std::string>& actions = session.context().policy->actions;
  const auto own = std::find(actions.begin(), actions.end(), action);
  return std::find(own, actions.end(), "allocate") != actions.end();
}

bool WasCutShort(const std::optional<framework::VictimSearch>& failure) {
  return failure && failure->cut_short;
}

}  // namespace

int64_t Comparison::Wanted(int64_t nodes) const {
  const int64_t share = std::min(std::max(nodes * percentage / 100, least), most);
  return std::clamp<int64_t>(share, 1, std::max<int64_t>(nodes, 1));
}

Search::Search(Session& session, std::string_view action, Turns& turns,
               std::optional<Comparison> comparison)
    : session_(session),
      action_(action),
      turns_(turns),
      comparison_(comparison),
      picker_(session.picker()),
      judge_(picker_.judge()) {}

const NodeTasks& Search::tasks() {
  if (tasks_ == nullptr) tasks_ = std::make_unique<NodeTasks>(session_);
  return *tasks_;
}

void Search::PlaceJob(JobId job, Reach reach, WhyNotAsk why_not) {
  Plan plan(session_, action_);
  std::optional<framework::VictimSearch> failure;
  size_t planned = 0;
  // One that had all questions of a run and needs more does not begin the next run as well.
  const bool is_first = QuestionsOf(reach) == 0;
  const Goal goal{.reach = reach, .why_not = why_not, .failure = &failure, .planned = &planned};
  if (session_.job(job).has_sub_group_policy) {
    PlaceSubJobs(job, goal, plan);
  } else {
    TaskHeap tasks = PendingTasks(session_, job);
    PlaceTasks(
        tasks, goal, [this, job] { return !framework::IsStarving(session_, job); }, plan);
  }
  if (WasCutShort(failure) && !is_first) turns_.CutOff(session_, job);
  if (plan.empty() || !session_.votes().JobPipelined(job)) {
    if (planned > 0) {
      NoteDropped(job, std::move(failure), session_.job(job).tasks->front(),
                  StrCat("room was found for ", planned, planned == 1 ? " pod" : " pods",
                         ", and the gang needs more"));
    } else if (failure && failure->SaysSomething()) {
      session_.notes().NoteVictimSearch(job, *std::move(failure));
    }
    return;
  }
  // What the finished plan does without.
  plan.Spare({}, [this](TaskId task, NodeId node) { return judge_.MayTake(task, node); });
  // It stands until something is placed.
  if (WasCutShort(failure)) session_.notes().NoteVictimSearch(job, *std::move(failure));
  Commit(job, plan);
}

void Search::PlaceOwnTasks(JobId job) {
  const bool is_first = QuestionsOf(Reach::kOwnJob) == 0;
  TaskHeap tasks = PendingTasks(session_, job);
  while (!tasks.empty()) {
    Plan plan(session_, action_);
    const Ask ask{.task = tasks.Pop(), .reach = Reach::kOwnJob};
    if (!Place(ask, plan)) {
      if (!cut_short_) return;
      session_.notes().NoteVictimSearch(job, Failure(ask));
      if (!is_first) turns_.CutOff(session_, job);
      return;
    }
    if (!session_.votes().JobPipelined(job) || !Commit(job, plan)) return;
  }
}

void Search::NoteDropped(JobId job, std::optional<framework::VictimSearch> failure, TaskId task,
                         std::string why) {
  framework::VictimSearch note = std::move(failure).value_or(framework::VictimSearch());
  note.action = std::string(action_);
  if (!note.task.valid()) note.task = task;
  note.dropped = std::move(why);
  session_.notes().NoteVictimSearch(job, std::move(note));
}

void Search::PlaceTasks(TaskHeap& tasks, const Goal& goal, absl::FunctionRef<bool()> enough,
                        Plan& plan) {
  while (!tasks.empty() && !enough()) {
    const TaskId task = tasks.Pop();
    if (session_.task(task).gated) continue;
    const Ask ask{.task = task, .reach = goal.reach};
    if (std::string why = goal.why_not(task); !why.empty()) {
      if (*goal.failure || !picker_.FitsSomeEmptyNode(task)) continue;
      framework::VictimSearch refused;
      refused.action = std::string(action_);
      refused.task = task;
      refused.preset = std::move(why);
      *goal.failure = std::move(refused);
      continue;
    }
    const bool placed = Place(ask, plan);
    // The first one is told; but what was cut short is no answer.
    const bool tells = !*goal.failure || (cut_short_ && !WasCutShort(*goal.failure));
    if (!placed && tells) *goal.failure = Failure(ask);
  }
  if (plan.HasEvictions()) *goal.planned = std::max(*goal.planned, plan.pipelined());
}

// Sub-jobs in their order; of one that would stay below its minimum nothing is placed. A gang that
// has all it needs may starve for more tasks: these are taken from any sub-job that stands.
void Search::PlaceSubJobs(JobId job, const Goal& goal, Plan& plan) {
  Worksheet worksheet = MakeWorksheet(session_, job);
  const auto stands = [this, job](SubJobId sub_job) {
    return session_.votes().SubJobReady(job, sub_job) ||
           session_.votes().SubJobPipelined(job, sub_job);
  };
  const auto satisfied = [this, job] {
    return !framework::IsStarving(session_, job) && session_.votes().JobPipelined(job);
  };
  for (const bool extra : {false, true}) {
    for (SubJobWorksheet& part : worksheet.sub_jobs) {
      if (satisfied()) return;
      const auto enough = [&] { return extra ? satisfied() : stands(part.sub_job); };
      const Plan::Mark mark = plan.Checkpoint();
      PlaceTasks(part.tasks, goal, enough, plan);
      PlaceTasks(part.best_effort, goal, enough, plan);
      if (!stands(part.sub_job)) plan.RollbackTo(mark);
    }
  }
}

bool Search::Commit(JobId job, Plan& plan) {
  // Room that needs no eviction is allocate's to give when it comes later: it binds what fits now,
  // while a pipelined pod would wait until the cycle ends, cycle after cycle.
  if (!plan.HasEvictions() && AllocateFollows(session_, action_)) {
    plan.RollbackTo({});
    return false;
  }
  const TaskId first = plan.FirstServed();
  const absl::Status status = plan.Commit();
  if (!status.ok()) {
    session_.notes().HoldAt(job, framework::Gate::kBinding, "", std::string(status.message()));
    NoteDropped(job, std::nullopt, first, std::string(status.message()));
  }
  return status.ok();
}

bool Search::Place(const Ask& ask, Plan& plan) {
  failure_ = {};
  hopeless_ = false;
  cut_short_ = false;
  if (!IsEligible(ask)) return false;
  hopeless_ = !MayBeGranted(session_, ask);
  if (const Tally* known = failures_.Find(session_, ask)) {
    // What is said of one for whom nobody may go must not depend on who was looked at before.
    if (!hopeless_) failure_ = *known;
    return false;
  }
  // Who found no free room for one reach finds none for another.
  if (hopeless_ && ask.reach == Reach::kOwnJob &&
      failures_.Find(session_, {.task = ask.task, .reach = Reach::kOtherJobs}) != nullptr) {
    return false;
  }
  const bool is_spent = IsSpent(ask.reach);
  const Tally* cut_off = is_spent && !hopeless_ ? cut_off_.Find(session_, ask) : nullptr;
  if (cut_off != nullptr) {
    failure_ = *cut_off;
    cut_short_ = true;
    return false;
  }
  if (const NodeId node = picker_.BestFree(ask.task); node.valid()) {
    plan.Pipeline(ask.task, node);
    return true;
  }
  if (!hopeless_ && PlaceByVictims(ask, plan)) return true;
  if (!cut_short_) {
    failures_.Add(session_, ask, failure_);
  } else if (is_spent) {
    cut_off_.Add(session_, ask, failure_);
  }
  return false;
}

bool Search::MayAskMore(Reach reach) {
  if (!IsSpent(reach)) return true;
  cut_short_ = true;
  return false;
}

bool Search::IsEligible(const Ask& ask) {
  const model::TaskRow& task = session_.task(ask.task);
  if (task.never_preempts) {
    failure_.preset = "not eligible to preempt other tasks due to preemptionPolicy is Never";
    return false;
  }
  if (judge_.HoldsOff(ask.task) != framework::kFits) return false;
  // A nominated node that is gone binds nobody. One that the task fits on is taken by Place.
  const NodeId nominated = task.nominated_node;
  if (!nominated.valid() || !judge_.PassesStatic(ask.task, nominated)) return true;
  if (judge_.MayTake(ask.task, nominated) || !tasks().IsLeft(nominated, task.priority)) return true;
  failure_.preset =
      "not eligible due to a terminating pod caused by preemption on the nominated node";
  return false;
}

// Where the shard is preferred, victims outside of it come only when those inside do not suffice.
bool Search::PlaceByVictims(const Ask& ask, Plan& plan) {
  for (const ShardPart part : session_.shard().parts()) {
    const bool placed =
        comparison_ ? PlaceByDamage(ask, part, plan) : PlaceByOrder(ask, part, plan);
    if (placed) return true;
  }
  return false;
}

std::vector<RankedNode> Search::PossibleNodes(const Ask& ask, ShardPart part, bool scored) {
  const model::ResourceVec& request = session_.request(ask.task);
  const NodeTasks& tasks_by_node = tasks();
  return picker_.Ranked(ask.task, part, scored, [&](NodeId node) {
    if (!tasks_by_node.On(node).empty()) {
      model::ResourceVec most = MostToGain(session_, tasks_by_node, ask, node);
      most += session_.usage().FutureIdle(node);
      if (request.FitsIn(most)) return true;
    }
    // Of a node that is too small for it, no word is needed about who stands there.
    if (judge_.WouldHold(ask.task, node) &&
        CountOutOfReach(session_, tasks_by_node, ask, node, &failure_.spared)) {
      ++failure_.nodes_too_small;
    }
    return false;
  });
}

bool Search::PlaceByOrder(const Ask& ask, ShardPart part, Plan& plan) {
  // Without questions it matters only whether there are any.
  const bool scored = ask.reach != Reach::kOtherQueues && !IsSpent(ask.reach);
  std::vector<RankedNode> nodes = PossibleNodes(ask, part, scored);
  // A heap: mostly one of the first nodes does.
  const auto later = [](const RankedNode& a, const RankedNode& b) { return b.ComesBefore(a); };
  std::make_heap(nodes.begin(), nodes.end(), later);
  while (!nodes.empty() && MayAskMore(ask.reach)) {
    std::pop_heap(nodes.begin(), nodes.end(), later);
    if (TryNode(ask, nodes.back().node, plan)) return true;
    nodes.pop_back();
  }
  return false;
}

bool Search::PlaceByDamage(const Ask& ask, ShardPart part, Plan& plan) {
  const std::vector<RankedNode> nodes = PossibleNodes(ask, part, false);
  const auto wanted = static_cast<size_t>(comparison_->Wanted(static_cast<int64_t>(nodes.size())));
  std::vector<Damage> choices;
  for (const RankedNode& entry : nodes) {
    if (!MayAskMore(ask.reach)) break;
    const Plan::Mark mark = plan.Checkpoint();
    if (!TryNode(ask, entry.node, plan)) continue;
    choices.push_back(Assess(entry.node, plan.VictimsSince(mark)));
    plan.RollbackTo(mark);
    if (choices.size() >= wanted) break;
  }
  if (choices.empty()) return false;
  const auto least =
      std::min_element(choices.begin(), choices.end(), [](const Damage& a, const Damage& b) {
        if (a.first_priority != b.first_priority) return a.first_priority < b.first_priority;
        if (a.priority_sum != b.priority_sum) return a.priority_sum < b.priority_sum;
        if (a.victims.size() != b.victims.size()) return a.victims.size() < b.victims.size();
        return a.latest_start_us > b.latest_start_us;
      });
  return TryNode(ask, least->node, plan);
}

// The victims in the order in which sparing them was tried, so that the one evicted last is first.
Search::Damage Search::Assess(NodeId node, std::vector<TaskId> victims) const {
  std::reverse(victims.begin(), victims.end());
  Damage damage{.node = node, .victims = std::move(victims)};
  const auto priority_of = [this](TaskId task) {
    return session_.task(task).pod_priority.value_or(0);
  };
  // Whoever has not started does so now: later than all who have.
  constexpr int64_t kNow = std::numeric_limits<int64_t>::max();
  int32_t highest = std::numeric_limits<int32_t>::min();
  damage.latest_start_us = kNow;
  for (TaskId victim : damage.victims) {
    const int32_t priority = priority_of(victim);
    const int64_t started_us = session_.task(victim).started_us;
    const int64_t start_us = started_us != 0 ? started_us : kNow;
    damage.priority_sum += int64_t{priority} + (int64_t{1} << 31);
    if (priority > highest) {
      highest = priority;
      damage.latest_start_us = start_us;
    } else if (priority == highest) {
      damage.latest_start_us = std::min(damage.latest_start_us, start_us);
    }
  }
  if (!damage.victims.empty()) damage.first_priority = priority_of(damage.victims.front());
  return damage;
}

bool Search::TryNode(const Ask& ask, NodeId node, Plan& plan) {
  if (const framework::ReasonId reason = judge_.BeyondHelp(ask.task, node);
      reason != framework::kFits) {
    failure_.beyond_help.Add(reason);
    return false;
  }
  const std::vector<TaskId> candidates =
      CandidatesOn(session_, tasks(), ask, node, &failure_.spared);
  if (candidates.empty()) return false;
  ++QuestionsOf(ask.reach);
  framework::VictimChoice choice = framework::GrantedVictims(session_, AskerOf(ask), candidates);
  if (session_.context().metrics != nullptr && ask.reach != Reach::kOtherQueues) {
    session_.context().metrics->SetPreemptionVictims(static_cast<int64_t>(choice.victims.size()));
  }
  const Plan::Mark mark = plan.Checkpoint();
  while (!choice.victims.empty()) {
    if (!TryVictims(ask, node, choice.victims, plan)) break;
    const std::vector<TaskId> rivals = Rivals(ask, choice.tier, plan, mark);
    if (rivals.empty()) return true;
    plan.RollbackTo(mark);
    for (TaskId rival : rivals) failure_.rivals.Add(session_.task(rival).job);
    std::erase_if(choice.victims, [&rivals](TaskId victim) {
      return std::find(rivals.begin(), rivals.end(), victim) != rivals.end();
    });
  }
  CountProtected(session_, ask, candidates, &failure_);
  return false;
}

bool Search::TryVictims(const Ask& ask, NodeId node, const std::vector<TaskId>& victims,
                        Plan& plan) {
  model::ResourceVec most = session_.usage().FutureIdle(node);
  for (TaskId victim : victims) most += session_.request(victim);
  if (!session_.request(ask.task).FitsIn(most)) {
    ++failure_.nodes_too_small;
    return false;
  }
  const auto less = [this, &ask](TaskId a, TaskId b) {
    return EvictedBefore(session_, ask.task, a, b);
  };
  Heap<TaskId, decltype(less)> order(less);
  for (TaskId victim : victims) order.Push(victim);
  const Plan::Mark mark = plan.Checkpoint();
  NodeJudge::Objection objection{NodeJudge::Rule::kRoom};
  size_t evicted = 0;
  for (; !order.empty() && objection.rule != NodeJudge::Rule::kNone; ++evicted) {
    plan.Evict(order.Pop(), ask.task);
    objection = judge_.Against(ask.task, node);
  }
  if (session_.context().metrics != nullptr && ask.reach != Reach::kOtherQueues) {
    session_.context().metrics->PreemptionAttempt();
  }
  if (objection.rule != NodeJudge::Rule::kNone) {
    CountRefusal(objection);
    plan.RollbackTo(mark);
    return false;
  }
  plan.Pipeline(ask.task, node);
  // The last one made it fit; those before it may not have been needed.
  if (evicted > 1) {
    plan.Spare(mark, [this](TaskId task, NodeId at) { return judge_.MayTake(task, at); });
  }
  return true;
}

void Search::CountRefusal(const NodeJudge::Objection& objection) {
  if (objection.rule == NodeJudge::Rule::kRoom) {
    ++failure_.nodes_too_small;
    return;
  }
  ++failure_.nodes_refusing;
  if (objection.rule == NodeJudge::Rule::kQueue) {
    ++failure_.nodes_refused_by_queue;
  } else {
    failure_.refusals.Add(objection.reason);
  }
}

std::vector<TaskId> Search::Rivals(const Ask& ask, int tier, const Plan& plan,
                                   Plan::Mark mark) const {
  // Judged as if the evictor ran already.
  framework::Statement what_if(session_, action_);
  const NodeId node = session_.state(ask.task).node;
  what_if.Unpipeline(ask.task);
  what_if.Allocate(ask.task, node);
  std::vector<TaskId> rivals;
  for (TaskId victim : plan.VictimsSince(mark)) {
    if (CouldStrikeBack(session_, ask, victim, tier)) rivals.push_back(victim);
  }
  return rivals;
}

framework::VictimSearch Search::Failure(const Ask& ask) {
  framework::VictimSearch failure = Rendered(session_, action_, ask, failure_);
  if (hopeless_ && picker_.FitsSomeEmptyNode(ask.task)) {
    CountAllProtected(session_.prospects().ProtectionFrom(session_, SeekerOf(session_, ask)),
                      &failure);
  }
  if (cut_short_) {
    failure.cut_short = true;
    failure.preset = "the search for victims was cut short; it begins anew with the next cycle";
  }
  return failure;
}

}  // namespace bth::actions::eviction
