#include "framework/report/report.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "algo/gang_rules.h"
#include "base/strings.h"
#include "framework/report/condition_texts.h"
#include "framework/topology/topology.h"

namespace bth::framework {
namespace {

using model::JobId;
using model::JobRow;
using model::PodGroupPhase;
using model::TaskId;
using model::TaskState;
using model::TaskStatus;

constexpr std::string_view kUnschedulable = "Unschedulable";  // Of conditions and events.
constexpr std::string_view kAllUnavailable = "all nodes are unavailable";
constexpr uint32_t kUnplacedGroup = model::StatusBit(TaskStatus::kAllocated) |
                                    model::StatusBit(TaskStatus::kPending) |
                                    model::StatusBit(TaskStatus::kPipelined);

void ReportPods(const Session& session, JobId job, const std::string& job_message,
                CycleReport* report) {
  // Pods with the same words share one string.
  std::map<std::string, std::shared_ptr<const std::string>> messages;
  for (TaskId task : *session.job(job).tasks) {
    if (session.task(task).gated) continue;
    if (!model::InGroup(session.state(task).status, kUnplacedGroup)) continue;
    TaskWord word = DescribeTask(session, task);
    std::string text = std::move(word.message);
    if (text.empty()) text = job_message.empty() ? std::string(kAllUnavailable) : job_message;
    auto& shared = messages[text];
    if (shared == nullptr) shared = std::make_shared<const std::string>(text);
    report->pods.push_back({task, word.reason, shared, word.nominated_node});
  }
}

// Where the pods are that are bound or will be. Pipelined ones may never come.
std::string NameOfPlace(const Session& session, JobId job) {
  const model::HyperNodeTree& tree = session.topology().tree();
  GangPlaces places;
  for (TaskId task : *session.job(job).tasks) {
    const TaskState& state = session.state(task);
    const bool placed = model::InGroup(state.status, model::kAllocatedGroup) &&
                        state.status != TaskStatus::kAllocated;
    if (placed) places.Move(tree, state.node, +1);
  }
  const model::HyperNodeId place = places.Allocated(tree);
  return place.valid() ? tree[place].name : std::string();
}

void ReportJob(const Session& session, JobId job, CycleReport* report) {
  const JobRow& row = session.job(job);
  const model::JobCounts& counts = session.counts(job);
  PodGroupReport out{.job = job,
                     .running = counts.count(TaskStatus::kRunning),
                     .succeeded = counts.count(TaskStatus::kSucceeded),
                     .failed = counts.count(TaskStatus::kFailed),
                     .conditions = session.notes().ConditionsOf(job),
                     .events = session.notes().EventsOf(job)};
  out.phase = PhaseOf(session, job);
  const JobFit* hold = HoldOfJob(session, job);
  // Without a queue, what waits is held.
  const bool waits = row.queue.valid() ? out.phase == PodGroupPhase::kUnknown ||
                                             out.phase == PodGroupPhase::kPending ||
                                             out.phase == PodGroupPhase::kInqueue
                                       : hold != nullptr;
  const bool unplaced = counts.Count(kUnplacedGroup) > 0;
  // A group that may have pods now and has none yet lacks nothing else.
  const bool just_admitted = out.phase == PodGroupPhase::kInqueue && counts.total() == 0 &&
                             (hold == nullptr || hold->gate == Gate::kGangInvalid);
  // In the plugin's own words.
  const bool told = hold != nullptr && hold->gate == Gate::kNotEnqueued &&
                    std::any_of(out.events.begin(), out.events.end(), [](const EventReport& event) {
                      return event.reason == kUnschedulable;
                    });
  const bool was_ready =
      counts.phase == PodGroupPhase::kRunning || counts.phase == PodGroupPhase::kCompleted;
  // Waits for answers to its bindings only.
  const bool placed =
      !unplaced && hold == nullptr && counts.total() > 0 && ReadyByCount(session, job);
  const bool warns = waits && !just_admitted && !placed && !told;
  // A job that merely runs has nothing to explain, however many tasks it has.
  const std::string message = warns || unplaced ? JobMessage(session, job) : std::string();
  if (warns) {
    out.events.push_back({true, std::string(kUnschedulable), GangMessage(session, job, message)});
  } else if (!waits && !was_ready && (row.min_available > 1 || counts.total() > 1)) {
    // Of a pod by itself its own event tells it.
    out.events.push_back({false, "Scheduled", "pod group is ready"});
  }
  if (row.has_network_topology) out.allocated_hyper_node = NameOfPlace(session, job);
  if (unplaced) ReportPods(session, job, message, report);
  report->pod_groups.push_back(std::move(out));
}

// Of a job that nothing holds as a whole.
Gate GateByTasks(const Session& session, JobId job) {
  const model::JobCounts& counts = session.counts(job);
  if (counts.count(TaskStatus::kPending) + counts.count(TaskStatus::kPipelined) == 0) {
    return counts.count(TaskStatus::kBinding) > 0 ? Gate::kBinding : Gate::kNone;
  }
  bool refused = false;
  bool pipelined = false;
  bool planned = false;
  bool gated = false;
  for (TaskId task : *session.job(job).tasks) {
    const bool pending = session.state(task).status == TaskStatus::kPending;
    const TaskStatus outcome = OutcomeOf(session, task).status;
    gated |= pending && session.task(task).gated;
    planned |= pending && outcome == TaskStatus::kAllocated;
    pipelined |= outcome == TaskStatus::kPipelined;
    refused = refused || session.notes().FitOf(task) != nullptr;
  }
  if (refused) return planned ? Gate::kGangMinimum : Gate::kFilters;
  if (pipelined) return Gate::kVictims;
  if (session.IsPendingPhase(job)) return Gate::kNotEnqueued;
  if (!session.notes().VictimSearchesOf(job).empty()) return Gate::kFilters;
  return gated ? Gate::kSchedulingGate : Gate::kNone;
}

void ReportQueues(const Session& session, QueueUse& queue_use, CycleReport* report) {
  const IdVector<model::QueueId, model::ResourceVec> allocated = queue_use.Allocated(session);
  auto devices = queue_use.devices().Allocated(session, allocated);
  for (model::QueueId queue : *session.base().queues_by_name) {
    QueueReport& row = report->queues.emplace_back();
    row.queue = queue;
    row.allocated = allocated[queue];
    const auto held = devices.find(queue);
    if (held != devices.end()) row.devices = std::move(held->second);
  }
}

}  // namespace

PodGroupPhase PhaseOf(const Session& session, JobId job) {
  const model::JobCounts& counts = session.counts(job);
  // Nobody schedules what waits without a queue; what has a place goes on. That it has no queue is
  // said while it waits only: whether it is said must not decide its phase.
  const bool has_queue = session.job(job).queue.valid();
  const bool stays = !has_queue && counts.count(TaskStatus::kPending) > 0;
  if (stays && counts.phase != PodGroupPhase::kNone) return counts.phase;
  const bool unschedulable =
      has_queue && session.notes().FindCondition(job, kUnschedulable) != nullptr;
  return algo::DerivePhase(counts, session.job(job).min_available, unschedulable);
}

JobFit ExplainJob(const Session& session, JobId job) {
  JobFit out{.job = job};
  if (const JobFit* hold = HoldOfJob(session, job); hold != nullptr) out = *hold;
  out.victim_searches = session.notes().VictimSearchesOf(job);
  std::vector<const TaskFit*> seen;
  for (TaskId task : *session.job(job).tasks) {
    const TaskFit* fit = session.notes().FitOf(task);
    if (fit == nullptr || std::find(seen.begin(), seen.end(), fit) != seen.end()) continue;
    seen.push_back(fit);
    out.tasks.push_back(*fit);
  }
  if (out.gate != Gate::kNone) return out;
  out.gate = GateByTasks(session, job);
  if (out.gate == Gate::kSchedulingGate) {
    // Actions leave pods with gates of others alone, without a word.
    out.message = "pods have scheduling gates";
  } else if (out.gate != Gate::kNone) {
    out.message = JobMessage(session, job);
  }
  return out;
}

Gate GateOf(const Session& session, JobId job) {
  const JobFit* hold = HoldOfJob(session, job);
  return hold != nullptr ? hold->gate : GateByTasks(session, job);
}

void HoldJobsWithoutQueue(Session& session) {
  for (JobId job : session.jobs_without_queue()) {
    const bool waits =
        session.counts(job).count(TaskStatus::kPending) > 0 || session.IsPendingPhase(job);
    if (!waits) continue;
    const model::JobFacts& facts = *session.job(job).facts;
    const std::string message = StrCat("PodGroup ", facts.Key(), " names the queue ", facts.queue,
                                       ", which does not exist");
    session.notes().HoldAt(job, Gate::kNoQueue, "", message);
    session.notes().SetCondition(job, {.type = std::string(kUnschedulable),
                                       .status = "True",
                                       .reason = "QueueNotFound",
                                       .message = message});
  }
}

void TellIgnoredTopologies(Session& session) {
  if (session.topology().enforced()) return;
  for (JobId job : session.active_jobs()) {
    // Told once, while it is not in line yet.
    if (!session.job(job).has_network_topology || !session.IsPendingPhase(job)) continue;
    session.notes().AddEvent(
        job, {true, "NetworkTopologyIgnored",
              StrCat("PodGroup ", session.job(job).facts->Key(),
                     " asks for a network topology, which this policy does not look at: add plugin "
                     "network-topology-aware to scheduler.conf, or remove networkTopology")});
  }
}

CycleReport MakeReport(const Session& session, QueueUse& queue_use) {
  CycleReport report{.snapshot = session.context().snapshot, .session_uid = session.context().uid};
  std::vector<JobId> jobs = session.active_jobs();
  jobs.insert(jobs.end(), session.jobs_without_queue().begin(), session.jobs_without_queue().end());
  for (JobId job : session.touched_jobs()) {
    if (session.job(job).queue.valid()) jobs.push_back(job);
  }
  std::sort(jobs.begin(), jobs.end());
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  for (JobId job : jobs) {
    const JobRow& row = session.job(job);
    if (row.facts == nullptr || !row.has_pod_group) continue;
    session.WorkOn(job, [&] { ReportJob(session, job, &report); });
  }
  for (JobId job : *session.base().untold_backoff_jobs) {
    const model::JobCounts& counts = session.counts(job);
    report.backoff_pod_groups.push_back({.job = job,
                                         .running = counts.count(TaskStatus::kRunning),
                                         .succeeded = counts.count(TaskStatus::kSucceeded),
                                         .failed = counts.count(TaskStatus::kFailed)});
  }
  ReportQueues(session, queue_use, &report);
  report.queue_notices = session.notes().queue_notices();
  for (const algo::QueueFinding& finding : queue_use.findings()) {
    report.queue_notices.push_back({finding.queue, finding.reason, finding.message});
  }
  report.lifted_gates = session.votes().lifted_gates();
  return report;
}

}  // namespace bth::framework
