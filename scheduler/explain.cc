#include "scheduler/explain.h"

#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "api/model/quantity_text.h"
#include "framework/report/condition_texts.h"
#include "framework/report/eviction_advice.h"
#include "framework/report/queue_account.h"
#include "framework/report/report.h"
#include "scheduler/explain_words.h"
#include "scheduler/scheduler.h"

namespace bth::scheduler {
namespace {

using framework::Session;
using model::JobId;
using model::TaskId;
using types::Json;

// As Kubernetes writes them: "1500m", "2Gi".
Json Amounts(const model::ResourceVec& amounts, const model::DimensionTable& dims) {
  Json out = Json::MakeObject();
  for (int d = 0; d < dims.size(); ++d) {
    if (amounts[d] == 0 && d >= model::kPods) continue;
    out.Set(dims.name(d), Json(model::QuantityText(dims, d, amounts[d])));
  }
  return out;
}

Json Limits(const model::ResourceSet& limits, const model::DimensionTable& dims) {
  Json out = Json::MakeObject();
  for (int d = 0; d < dims.size(); ++d) {
    if (limits.Has(d)) out.Set(dims.name(d), Json(model::QuantityText(dims, d, limits.v[d])));
  }
  return out;
}

Json TaskPage(const Session& session, const framework::TaskFit& fit) {
  Json out = Json::MakeObject();
  out.Set("pod", Json(session.task(fit.exemplar).names->Key()));
  out.Set("message", Json(fit.Text()));
  Json nodes = Json::MakeObject();
  for (const framework::ReasonCount& count : fit.counts) {
    nodes.Set(count.reason, Json(int64_t{count.nodes}));
  }
  out.Set("nodes", std::move(nodes));
  return out;
}

// The gate of a job, also of pods whose PodGroup is not there, with words in any case.
framework::JobFit FitOfJob(const Session& session, JobId job) {
  framework::JobFit fit = framework::ExplainJob(session, job);
  const model::JobRow& row = session.job(job);
  if (!row.has_pod_group) {
    const bool waits = session.counts(job).count(model::TaskStatus::kPending) > 0;
    fit.gate = waits ? framework::Gate::kNoPodGroup : framework::Gate::kNone;
    fit.message = waits ? GrouplessMessage(row.facts->Key()) : "";
  }
  if (fit.gate == framework::Gate::kNone && fit.message.empty()) {
    fit.message = UnheldWords(session, job);
  }
  return fit;
}

// What helps; empty: nobody knows.
std::string Advice(const Session& session, JobId job) {
  std::string words = NeverFits(session, job);
  if (words.empty()) words = WhyNoPods(session, job);
  return words.empty() ? framework::MissingEvictions(session, job) : words;
}

Json JobPage(const Session& session, JobId job) {
  const framework::JobFit fit = FitOfJob(session, job);
  const model::JobRow& row = session.job(job);
  Json out = Json::MakeObject();
  out.Set("job", Json(row.facts->Key()));
  out.Set("gate", Json(framework::GateName(fit.gate)));
  out.Set("plugin", Json(fit.plugin));
  out.Set("message", Json(fit.message));
  out.Set("summary", Json(framework::JobMessage(session, job)));
  out.Set("phase", Json(model::PhaseName(session.counts(job).phase)));
  if (row.has_pod_group) out.Set("queue", Json(row.facts->queue));
  out.Set("minAvailable", Json(int64_t{row.min_available}));
  Json counts = Json::MakeObject();
  for (int s = 0; s < model::kTaskStatuses; ++s) {
    const auto status = static_cast<model::TaskStatus>(s);
    const int64_t count = session.counts(job).count(status);
    if (count != 0) counts.Set(model::StatusName(status), Json(count));
  }
  out.Set("tasks", std::move(counts));
  Json refused = Json::MakeArray();
  for (const framework::TaskFit& task : fit.tasks) {
    refused.MutableItems().push_back(TaskPage(session, task));
  }
  out.Set("refused", std::move(refused));
  out.Set("victimSearches", VictimSearchesPage(session, fit.victim_searches));
  if (std::string advice = Advice(session, job); !advice.empty()) out.Set("advice", Json(advice));
  return out;
}

// Sums over the jobs of one queue.
struct JobsOfQueue {
  model::ResourceVec allocated;
  model::ResourceVec pending;
  int64_t all = 0;
  int64_t not_admitted = 0;
  int64_t waiting = 0;  // Admitted, with pods that have no place.

  void Add(const Session& session, JobId job) {
    const model::JobCounts& counts = session.counts(job);
    allocated += counts.allocated;
    pending += counts.pending;
    ++all;
    if (session.job(job).has_pod_group && session.IsPendingPhase(job)) {
      ++not_admitted;
    } else if (counts.count(model::TaskStatus::kPending) > 0) {
      ++waiting;
    }
  }
};

Json QueuePage(const Session& session, model::QueueId queue, const JobsOfQueue& jobs,
               const framework::QueueAccounts& accounts) {
  constexpr std::string_view kStates[] = {"Open", "Closed", "Closing", "Unknown"};
  const model::QueueRow& row = session.queue(queue);
  const model::DimensionTable& dims = session.dims();
  Json page = Json::MakeObject();
  page.Set("name", Json(*row.name));
  page.Set("state", Json(kStates[static_cast<int>(row.state)]));
  page.Set("weight", Json(int64_t{row.weight}));
  page.Set("jobs", Json(jobs.all));
  page.Set("jobsNotAdmitted", Json(jobs.not_admitted));
  page.Set("jobsWaiting", Json(jobs.waiting));
  page.Set("allocated", Amounts(jobs.allocated, dims));
  page.Set("pending", Amounts(jobs.pending, dims));
  page.Set("capability", Limits(row.capability, dims));
  page.Set("guarantee", Limits(row.guarantee, dims));
  if (accounts.none()) return page;
  const framework::QueueAccount account = accounts.Of(queue);
  page.Set("deserved", Amounts(account.deserved.value_or(model::ResourceVec()), dims));
  page.Set("inqueue", Amounts(account.inqueue, dims));
  page.Set("elastic", Amounts(account.elastic, dims));
  return page;
}

Json CountsPage(const framework::VictimSearch::Counts& counts) {
  Json out = Json::MakeObject();
  for (const auto& [what, count] : counts) out.Set(what, Json(count));
  return out;
}

}  // namespace

Json VictimSearchesPage(const Session& session,
                        const std::vector<framework::VictimSearch>& searches) {
  std::map<std::string, Json> by_action;
  for (const framework::VictimSearch& search : searches) {
    Json page = Json::MakeObject();
    page.Set("candidates", Json(search.candidates));
    if (!search.dropped.empty()) page.Set("dropped", Json(search.dropped));
    page.Set("lostAgainTo", CountsPage(search.lost_again));
    page.Set("message", Json(search.Text()));
    page.Set("nodes", Json(search.candidate_nodes));
    page.Set("nodesBeyondHelp", CountsPage(search.nodes_beyond_help));
    page.Set("nodesRefusing", Json(search.nodes_refusing));
    page.Set("nodesTooSmall", Json(search.nodes_too_small));
    page.Set("passedOver", CountsPage(search.passed_over));
    page.Set("pod", Json(session.task(search.task).names->Key()));
    page.Set("protectedBy", CountsPage(search.by_plugin));
    page.Set("refusals", CountsPage(search.refusals));
    by_action[search.action] = std::move(page);
  }
  Json out = Json::MakeObject();
  for (auto& [action, page] : by_action) out.Set(action, std::move(page));
  return out;
}

Json ExplainJobPage(const framework::Cycle& cycle, std::string_view job) {
  const Session& session = cycle.session();
  JobId found;
  for (JobId id : session.base().jobs.ids()) {
    const model::JobFacts* facts = session.job(id).facts.get();
    if (facts == nullptr) continue;
    const std::string key = facts->Key();
    if (key == job) return JobPage(session, id);
    // A job of that name may have been made anew.
    if (IsGroupOfBatchJob(key, job) &&
        (!found.valid() || session.job(found).facts->created_us < facts->created_us)) {
      found = id;
    }
  }
  return found.valid() ? JobPage(session, found) : Json();
}

Json ExplainPodPage(const framework::Cycle& cycle, std::string_view pod) {
  const Session& session = cycle.session();
  for (TaskId id : session.base().tasks.ids()) {
    const model::TaskRow& row = session.task(id);
    if (row.names == nullptr || row.names->Key() != pod) continue;
    Json out = Json::MakeObject();
    out.Set("pod", Json(row.names->Key()));
    out.Set("status", Json(model::StatusName(session.state(id).status)));
    const model::NodeId node = session.state(id).node;
    if (node.valid() && session.base().nodes[node].has_object()) {
      out.Set("node", Json(session.node(node).name));
    }
    if (!row.job.valid()) {
      out.Set("gate", Json(framework::GateName(framework::Gate::kNoPodGroup)));
      out.Set("message", Json(GrouplessMessage("")));
      return out;
    }
    framework::TaskWord word = framework::DescribeTask(session, id);
    if (word.message.empty()) word.message = LostWords(session, id);
    out.Set("reason", Json(word.reason));
    Json job = JobPage(session, row.job);
    out.Set("gate", job["gate"]);
    out.Set("message", word.message.empty() ? job["message"] : Json(word.message));
    if (const framework::TaskFit* fit = session.notes().FitOf(id)) {
      out.Set("nodes", TaskPage(session, *fit)["nodes"]);
    }
    if (const std::string never = NeverFits(session, id); !never.empty()) {
      out.Set("advice", Json(never));
    }
    out.Set("job", std::move(job));
    return out;
  }
  return Json();
}

Json QueuesPage(const framework::Cycle& cycle) {
  const Session& session = cycle.session();
  const model::Snapshot& base = session.base();
  IdVector<model::QueueId, JobsOfQueue> jobs(base.queues.size());
  for (JobId job : *base.all_jobs) jobs[session.job(job).queue].Add(session, job);
  const framework::QueueAccounts accounts(session);
  Json out = Json::MakeArray();
  for (model::QueueId queue : *base.queues_by_name) {
    out.MutableItems().push_back(QueuePage(session, queue, jobs[queue], accounts));
  }
  return out;
}

Json CyclePage(const framework::Cycle& cycle) {
  const framework::CycleStats& stats = cycle.stats();
  const auto us = [](absl::Duration d) { return Json(absl::ToInt64Microseconds(d)); };
  Json out = Json::MakeObject();
  out.Set("session", Json(cycle.session().context().uid));
  out.Set("generation", Json(static_cast<int64_t>(cycle.session().base().generation)));
  out.Set("open_us", us(stats.open));
  Json actions = Json::MakeObject();
  for (const auto& [name, took] : stats.actions) actions.Set(name, us(took));
  out.Set("actions_us", std::move(actions));
  out.Set("close_us", us(stats.close));
  out.Set("total_us", us(stats.total));
  out.Set("nodes", Json(static_cast<int64_t>(cycle.session().base().nodes_by_name->size())));
  out.Set("jobs", Json(static_cast<int64_t>(cycle.session().base().all_jobs->size())));
  out.Set("jobs_considered", Json(stats.jobs_considered));
  out.Set("node_scans", Json(stats.scans));
  out.Set("index_builds", Json(stats.index_builds));
  out.Set("static_evaluations", Json(stats.static_evaluations));
  return out;
}

}  // namespace bth::scheduler
