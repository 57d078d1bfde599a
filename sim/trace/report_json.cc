#include <cmath>

#include "api/model/quantity_text.h"
#include "api/types/time.h"
#include "sim/trace/report.h"

namespace bth::trace {
namespace {

using types::Json;

Json Number(double value) {
  return Json(std::round(value * 1000) / 1000);
}

Json SpreadJson(const Spread& spread) {
  return Json::MakeObject({{"count", spread.count},
                           {"max", Number(spread.max)},
                           {"mean", Number(spread.mean)},
                           {"median", Number(spread.median)},
                           {"p90", Number(spread.p90)},
                           {"p99", Number(spread.p99)}});
}

Json GroupJson(const Trace& trace, const GroupFigures& group) {
  Json lost = Json::MakeObject();
  for (const int dim : trace.asked_dims) {
    lost.Set(trace.dims.name(dim),
             Number(UnitSeconds(trace.dims, dim, group.lost[static_cast<size_t>(dim)])));
  }
  return Json::MakeObject({{"boundedSlowdown", SpreadJson(group.slowdown)},
                           {"done", group.done},
                           {"evictions", group.evictions},
                           {"failed", group.failed},
                           {"jobs", group.jobs},
                           {"lostResourceSeconds", std::move(lost)},
                           {"name", group.name},
                           {"neverStarted", group.never_started},
                           {"unended", group.unended},
                           {"waitSeconds", SpreadJson(group.wait_s)}});
}

Json GroupsJson(const Trace& trace, const std::vector<GroupFigures>& groups) {
  Json out = Json::MakeArray();
  for (const GroupFigures& group : groups) out.MutableItems().push_back(GroupJson(trace, group));
  return out;
}

Json QueuesJson(const Trace& trace, const Figures& figures) {
  Json out = Json::MakeArray();
  for (const QueueFigures& queue : figures.queues) {
    Json one = GroupJson(trace, queue.group);
    one.Set("weight", queue.weight);
    one.Set("share", Number(queue.share));
    one.Set("deserved", Number(queue.deserved));
    one.Set("shareByDeserved", Number(queue.ratio));
    out.MutableItems().push_back(std::move(one));
  }
  return out;
}

Json CourseJson(const Trace& trace, const UseOverTime& use) {
  Json resources = Json::MakeObject();
  for (const int dim : trace.asked_dims) {
    Json values = Json::MakeArray();
    for (size_t i = 0; i < use.bins().size(); ++i) {
      values.MutableItems().push_back(Number(use.MeanUse(i, dim)));
    }
    resources.Set(trace.dims.name(dim), std::move(values));
  }
  Json queues = Json::MakeObject();
  for (size_t q = 0; q < trace.queues.size(); ++q) {
    Json values = Json::MakeArray();
    for (size_t i = 0; i < use.bins().size(); ++i) {
      values.MutableItems().push_back(Number(use.MeanWaiting(i, q)));
    }
    queues.Set(trace.queues[static_cast<uint32_t>(q)], std::move(values));
  }
  return Json::MakeObject({{"stepSeconds", Number(static_cast<double>(use.bin_ms()) / 1000)},
                           {"use", std::move(resources)},
                           {"waitingJobs", std::move(queues)}});
}

Json RunJson(const Report& report, const Told& told) {
  const Trace& trace = report.trace;
  const Figures& figures = told.figures;
  Json use = Json::MakeObject();
  for (const int dim : trace.asked_dims) {
    use.Set(trace.dims.name(dim), Number(figures.use[static_cast<size_t>(dim)]));
  }
  Json never = Json::MakeArray();
  for (const auto& [reason, waiting] : told.replay.never_started) {
    never.MutableItems().push_back(Json::MakeObject(
        {{"example", waiting.example}, {"jobs", waiting.jobs}, {"message", waiting.message}}));
  }
  Json failures = Json::MakeObject();
  for (const auto& [why, jobs] : told.replay.failures) failures.Set(why, jobs);
  return Json::MakeObject(
      {{"all", GroupJson(trace, figures.all)},
       {"course", CourseJson(trace, told.replay.use)},
       {"failures", std::move(failures)},
       {"jainIndex", Number(figures.jain)},
       {"makespanSeconds", Number(figures.makespan_s)},
       {"neverStarted", std::move(never)},
       {"policy", told.replay.policy},
       {"priorities", GroupsJson(trace, figures.priorities)},
       {"queues", QueuesJson(trace, figures)},
       {"use", std::move(use)},
       {"users", GroupsJson(trace, figures.users)},
       {"work", Json::MakeObject({{"cycles", static_cast<int64_t>(told.replay.cycles)},
                                  {"requests", static_cast<int64_t>(told.replay.requests)},
                                  {"writes", static_cast<int64_t>(told.replay.writes)}})}});
}

}  // namespace

double UnitSeconds(const model::DimensionTable& dims, int dim, __int128 amount_ms) {
  return static_cast<double>(amount_ms) / (dims.IsMilli(dim) ? 1e6 : 1e3);
}

Json ReportJson(const Report& report) {
  const Trace& trace = report.trace;
  Json notes = Json::MakeObject();
  for (const auto& [note, count] : trace.notes) notes.Set(note, count);
  Json capacity = Json::MakeObject();
  for (const int dim : trace.asked_dims) {
    capacity.Set(trace.dims.name(dim),
                 model::QuantityText(trace.dims, dim, report.parts.capacity[dim]));
  }
  Json runs = Json::MakeArray();
  for (const Told& told : report.runs) runs.MutableItems().push_back(RunJson(report, told));
  Json of_trace = Json::MakeObject(
      {{"file", trace.file},
       {"jobs", static_cast<int64_t>(trace.jobs.size())},
       {"notes", std::move(notes)},
       {"start", types::FormatTimestamp(absl::FromUnixSeconds(trace.start_unix_s))},
       {"tasks", TasksOf(trace)}});
  return Json::MakeObject({{"cluster", Json::MakeObject({{"capacity", std::move(capacity)},
                                                         {"nodes", report.parts.nodes}})},
                           {"runs", std::move(runs)},
                           {"trace", std::move(of_trace)}});
}

}  // namespace bth::trace
