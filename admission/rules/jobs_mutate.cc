// /jobs/mutate
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/rules/rules.h"
#include "admission/rules/typed_object.h"
#include "api/rules/part.h"
#include "api/types/batch_job.h"
#include "base/strings.h"

namespace bth::admission {
namespace {

using types::BatchJob;
using types::BatchTask;

constexpr int kMaxRetry = 3;

// Numbers of the API have 32 bits; what is beyond is refused later, and must not turn over here.
int64_t Bounded(int64_t number) {
  return std::clamp<int64_t>(number, std::numeric_limits<int32_t>::min(),
                             std::numeric_limits<int32_t>::max());
}

int64_t DefaultMinAvailable(const BatchTask& task) {
  if (!task.partition_policy.has_value() || task.partition_policy->min_partitions <= 0) {
    return task.replicas;
  }
  return Bounded(int64_t{task.partition_policy->min_partitions} *
                 task.partition_policy->partition_size);
}

// Sets what is missing in one task; true when something was. `raw`, the task as it was
// written, keeps all else.
bool DefaultTask(const BatchTask& task, size_t index, Json* raw) {
  bool changed = false;
  const auto set = [&](Json& object, std::string_view key, Json value) {
    object.Set(key, std::move(value));
    changed = true;
  };
  if (task.name.empty()) set(*raw, "name", StrCat("default", index));
  const Json& spec = std::as_const(*raw)["template"]["spec"];
  if (spec["hostNetwork"].AsBool() && spec["dnsPolicy"].AsString().empty()) {
    set((*raw)["template"]["spec"], "dnsPolicy", "ClusterFirstWithHostNet");
  }
  if (!task.min_available.has_value()) set(*raw, "minAvailable", DefaultMinAvailable(task));
  if (task.max_retry == 0) set(*raw, "maxRetry", kMaxRetry);
  return changed;
}

// `tasks`, as they were written, with what was missing; null: nothing was.
Json DefaultTasks(const BatchJob& job, Json tasks) {
  bool changed = false;
  Json::Array& items = tasks.MutableItems();
  for (size_t i = 0; i < job.spec.tasks.size() && i < items.size(); ++i) {
    changed |= DefaultTask(job.spec.tasks[i], i, &items[i]);
  }
  return changed ? std::move(tasks) : Json();
}

// Tasks that wait for others count nothing: their pods do not exist while the gang waits for its
// place.
int64_t TotalMinAvailable(const BatchJob& job) {
  int64_t total = 0;
  for (const BatchTask& task : job.spec.tasks) {
    if (task.depends_on.has_value() && !task.depends_on->names.empty()) continue;
    total += task.min_available.has_value() ? *task.min_available : DefaultMinAvailable(task);
  }
  return Bounded(total);
}

// Plugins by name; frameworks of many pods need names for them, and mpi a way in.
Json CompletePlugins(const Json& written) {
  Json plugins = Json::MakeObject();
  const auto is_there = [&written](std::string_view name) { return written.Find(name) != nullptr; };
  const bool named_pods =
      is_there("tensorflow") || is_there("mpi") || is_there("pytorch") || is_there("ray");
  for (const auto& [name, arguments] : rules::SortedMembers(written)) {
    plugins.MutableMembers().emplace_back(name, *arguments);
  }
  const auto add = [&](std::string_view name) {
    if (is_there(name)) return;
    plugins.MutableMembers().emplace_back(name, Json::MakeArray());
  };
  if (named_pods) add("svc");
  if (is_there("mpi")) add("ssh");
  std::sort(plugins.MutableMembers().begin(), plugins.MutableMembers().end(),
            [](const Json::Member& a, const Json::Member& b) { return a.first < b.first; });
  return plugins;
}

Json TasksOf(const Request& request) {
  if (request.spare != nullptr) return std::move(request.spare->MutableAt({"spec", "tasks"}));
  return request.object == nullptr ? Json() : request.object->At({"spec", "tasks"});
}

std::vector<PatchOperation> DefaultJob(const BatchJob& job, const Request& request,
                                       const Settings& settings) {
  std::vector<PatchOperation> patch;
  if (job.spec.queue.empty()) patch.push_back({"add", "/spec/queue", "default"});
  if (job.spec.scheduler_name.empty()) {
    const std::string scheduler =
        settings.scheduler_names.empty() ? "volcano" : settings.scheduler_names.front();
    patch.push_back({"add", "/spec/schedulerName", scheduler});
  }
  if (job.spec.max_retry.value_or(0) == 0) patch.push_back({"add", "/spec/maxRetry", kMaxRetry});
  if (Json tasks = DefaultTasks(job, TasksOf(request)); !tasks.is_null()) {
    patch.push_back({"replace", "/spec/tasks", std::move(tasks)});
  }
  if (job.spec.min_available == 0) {
    patch.push_back({"add", "/spec/minAvailable", TotalMinAvailable(job)});
  }
  static const Json* const none = new Json();
  const Json& plugins = request.object == nullptr ? *none : request.object->At({"spec", "plugins"});
  if (plugins.is_object()) {
    patch.push_back({"replace", "/spec/plugins", CompletePlugins(plugins)});
  }
  return patch;
}

}  // namespace

Verdict MutateJob(const Request& request, const Settings& settings, const Known&) {
  if (request.operation != "CREATE") {
    return Verdict::Refuse("operation", "expect operation to be 'CREATE' ");
  }
  const absl::StatusOr<BatchJob> job = ReadObject<BatchJob>(request);
  if (!job.ok()) return RefuseUnreadable(job.status());
  Verdict verdict;
  verdict.patch = DefaultJob(*job, request, settings);
  return verdict;
}

}  // namespace bth::admission
