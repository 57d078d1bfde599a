#include "controllers/job/job_defaults.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "controllers/job/depends_on.h"
#include "controllers/job/keys.h"
#include "controllers/job/phases.h"

namespace bth::controllers {
namespace {

using types::BatchJobSpec;
using types::BatchTask;

constexpr int32_t kTaskRetries = 3;
// Plugins that tell pods names which only svc makes.
constexpr std::string_view kNeedSvc[] = {"tensorflow", "mpi", "pytorch", "ray"};

int32_t Clamped(int64_t pods) {
  return static_cast<int32_t>(std::min<int64_t>(pods, std::numeric_limits<int32_t>::max()));
}

int32_t MinimumOf(const BatchTask& task) {
  if (!task.partition_policy.has_value()) return task.replicas;
  const types::PartitionPolicy& policy = *task.partition_policy;
  if (policy.min_partitions <= 0 || policy.partition_size <= 0) return task.replicas;
  return Clamped(int64_t{policy.min_partitions} * policy.partition_size);
}

void FillInTask(size_t number, BatchTask* task) {
  if (task->name.empty()) task->name = StrCat("default", number);
  types::RawView<types::PodTemplate>& pods = task->pod_template;
  if (pods.view.spec.host_network &&
      std::as_const(pods.raw).At({"spec", "dnsPolicy"}).AsString().empty()) {
    pods.raw.MutableAt({"spec", "dnsPolicy"}) = "ClusterFirstWithHostNet";
  }
  if (!task->min_available.has_value()) task->min_available = MinimumOf(*task);
  if (task->max_retry == 0) task->max_retry = kTaskRetries;
}

int32_t MinimumOf(const BatchJobSpec& spec) {
  int64_t pods = 0;
  for (const BatchTask& task : spec.tasks) {
    if (!DependsOnTasks(task)) pods += std::max(task.min_available.value_or(0), 0);
  }
  return Clamped(pods);
}

void FillInPlugins(types::SortedMap<std::vector<std::string>>* plugins) {
  const auto is_there = [plugins](std::string_view name) { return plugins->Contains(name); };
  if (std::any_of(std::begin(kNeedSvc), std::end(kNeedSvc), is_there) && !is_there("svc")) {
    plugins->Set("svc", {});
  }
  if (is_there("mpi") && !is_there("ssh")) plugins->Set("ssh", {});
}

}  // namespace

void FillInDefaults(std::string_view scheduler_name, BatchJobSpec* spec) {
  if (spec->queue.empty()) spec->queue = kDefaultQueue;
  if (spec->scheduler_name.empty()) spec->scheduler_name = scheduler_name;
  if (spec->max_retry.value_or(0) == 0) spec->max_retry = kJobRetries;
  for (size_t i = 0; i < spec->tasks.size(); ++i) FillInTask(i, &spec->tasks[i]);
  if (spec->min_available == 0) spec->min_available = MinimumOf(*spec);
  FillInPlugins(&spec->plugins);
}

}  // namespace bth::controllers
