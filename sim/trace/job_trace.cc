#include "sim/trace/job_trace.h"

#include <algorithm>
#include <utility>

#include "api/rules/names.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::trace {
namespace {

absl::Status CheckRange(std::string_view what, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat(what, ": ", value, " is not within ", least, " and ", most));
}

absl::Status CheckCount(std::string_view what, size_t count, size_t most) {
  if (count <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat("more than ", most, " ", what, " in one trace"));
}

// A number, or the name of a priority class.
absl::Status CheckPriority(std::string_view priority) {
  constexpr int32_t kPriorityMax = 1'000'000'000;  // Of those that users may give.
  int32_t value = 0;
  const bool is_good = SimpleAtoi(priority, &value)
                           ? value >= -kPriorityMax && value <= kPriorityMax
                           : priority.empty() || rules::CheckDnsLabel(priority).empty();
  if (is_good) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("priority: \"", priority.substr(0, 80),
             "\" is neither a number up to a billion nor the name of a priority class"));
}

}  // namespace

uint32_t NameTable::Add(std::string_view name) {
  const auto [it, is_new] =
      numbers_.try_emplace(std::string(name), static_cast<uint32_t>(names_.size()));
  if (is_new) names_.emplace_back(name);
  return it->second;
}

std::optional<uint32_t> NameTable::Find(std::string_view name) const {
  const auto found = numbers_.find(ToAbsl(name));
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

int64_t TasksOf(const Trace& trace) {
  int64_t tasks = 0;
  for (const TraceJob& job : trace.jobs) tasks += job.tasks;
  return tasks;
}

TraceBuilder::TraceBuilder(std::string file) {
  trace_.file = std::move(file);
  trace_.start_unix_s = kTraceStart;
}

absl::StatusOr<uint32_t> TraceBuilder::ShapeOf(const cache::NamedAmounts& request) {
  std::string key;
  for (const auto& [name, amount] : request) StrAppend(&key, name, "=", amount, ",");
  const auto known = shapes_.find(key);
  if (known != shapes_.end()) return known->second;
  BTH_RETURN_IF_ERROR(CheckCount("different requests", shapes_.size() + 1, kTraceShapesMax));
  model::ResourceVec shape;
  shape[model::kPods] = 1;
  for (const auto& [name, amount] : request) {
    if (amount > cache::kAmountMax) {
      return absl::InvalidArgumentError(
          StrCat(name, ": more than a task can ask for; the most is 2^48 of the smallest unit"));
    }
    const std::optional<int> dim = trace_.dims.Add(name);
    if (!dim.has_value()) {
      return absl::InvalidArgumentError(StrCat(name, ": more than ", model::kDims,
                                               " resources; leave out columns that do not matter"));
    }
    shape[*dim] = amount;
  }
  const auto number = static_cast<uint32_t>(trace_.shapes.size());
  trace_.shapes.push_back(shape);
  shapes_.emplace(std::move(key), number);
  return number;
}

absl::Status TraceBuilder::Add(const JobLine& line) {
  BTH_RETURN_IF_ERROR(CheckRange("submit", line.submit_s, 0, kTraceSecondsMax));
  BTH_RETURN_IF_ERROR(CheckRange("duration", line.run_s, 0, kTraceSecondsMax));
  BTH_RETURN_IF_ERROR(CheckRange("tasks", line.tasks, 1, kTraceTasksMax));
  BTH_RETURN_IF_ERROR(CheckRange("min_available", line.min_available, 1, line.tasks));
  BTH_RETURN_IF_ERROR(CheckCount("jobs", trace_.jobs.size() + 1, kTraceJobsMax));
  if (!rules::CheckDnsLabel(line.queue).empty()) {
    return absl::InvalidArgumentError(
        StrCat("queue: \"", line.queue.substr(0, 80),
               "\" cannot name a queue; use at most 63 of a-z, 0-9 and - inside"));
  }
  BTH_RETURN_IF_ERROR(CheckPriority(line.priority));
  TraceJob job;
  job.submit_s = line.submit_s;
  job.run_s = line.run_s;
  job.tasks = static_cast<int32_t>(line.tasks);
  job.min_available = static_cast<int32_t>(line.min_available);
  BTH_ASSIGN_OR_RETURN(job.shape, ShapeOf(line.request));
  job.queue = trace_.queues.Add(line.queue);
  job.user = trace_.users.Add(line.user);
  job.priority = trace_.priorities.Add(line.priority);
  job.name = line.name;
  BTH_RETURN_IF_ERROR(CheckCount("queues", trace_.queues.size(), kTraceNamesMax));
  BTH_RETURN_IF_ERROR(CheckCount("priorities", trace_.priorities.size(), kTraceNamesMax));
  BTH_RETURN_IF_ERROR(CheckCount("users", trace_.users.size(), kTraceUsersMax));
  trace_.jobs.push_back(std::move(job));
  return absl::OkStatus();
}

absl::StatusOr<Trace> TraceBuilder::Build() {
  if (trace_.jobs.empty()) {
    std::string why;
    for (const auto& [note, count] : trace_.notes) StrAppend(&why, "; ", count, " ", note);
    return absl::InvalidArgumentError(StrCat(trace_.file, ": no job that can be replayed", why));
  }
  std::stable_sort(trace_.jobs.begin(), trace_.jobs.end(),
                   [](const TraceJob& a, const TraceJob& b) { return a.submit_s < b.submit_s; });
  for (int dim = 0; dim < trace_.dims.size(); ++dim) {
    if (dim == model::kPods) continue;
    const auto asks = [dim](const model::ResourceVec& shape) { return shape[dim] > 0; };
    if (std::any_of(trace_.shapes.begin(), trace_.shapes.end(), asks)) {
      trace_.asked_dims.push_back(dim);
    }
  }
  return std::move(trace_);
}

}  // namespace bth::trace
