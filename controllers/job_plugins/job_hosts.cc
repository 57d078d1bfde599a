#include "controllers/job_plugins/job_hosts.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "base/strings.h"
#include "controllers/job/names.h"

namespace bth::controllers {
namespace {

constexpr size_t kHostNameMax = 63;

using types::BatchJob;
using types::BatchTask;

std::string SubdomainOf(const BatchJob& job, const BatchTask& task) {
  const std::string& given = task.pod_template.view.spec.subdomain;
  return given.empty() ? job.meta.name : given;
}

}  // namespace

const BatchTask* FindTask(const BatchJob& job, std::string_view name) {
  for (const BatchTask& task : job.spec.tasks) {
    if (task.name == name) return &task;
  }
  return nullptr;
}

std::string NoHostNameText(std::string_view what, std::string_view name) {
  const bool has_dot = name.find('.') != std::string_view::npos;
  if (!has_dot && name.size() <= kHostNameMax) return "";
  return StrCat(what, has_dot ? " must not contain dots" : " has more than 63 characters",
                ": delete the job and create it with other names");
}

std::string HostOf(const BatchJob& job, const BatchTask& task, int32_t index) {
  const std::string& given = task.pod_template.view.spec.hostname;
  const std::string host = given.empty() ? PodName(job.meta.name, task.name, index) : given;
  return StrCat(host, ".", SubdomainOf(job, task));
}

std::vector<std::string> HostNamesOf(const BatchJob& job, const BatchTask& task) {
  const std::string& given = task.pod_template.view.spec.hostname;
  std::vector<std::string> names;
  for (int32_t i = 0; i < task.replicas; ++i) {
    if (!given.empty()) return {given};
    names.push_back(PodName(job.meta.name, task.name, i));
  }
  return names;
}

std::vector<std::string> HostsOf(const BatchJob& job, const BatchTask& task) {
  std::vector<std::string> hosts = HostNamesOf(job, task);
  for (std::string& host : hosts) StrAppend(&host, ".", SubdomainOf(job, task));
  return hosts;
}

std::string IndexText(std::string_view pod_name) {
  if (std::count(pod_name.begin(), pod_name.end(), '-') < 2) return "";
  return std::string(pod_name.substr(pod_name.rfind('-') + 1));
}

std::optional<int32_t> IndexNumber(std::string_view pod_name) {
  int32_t index = 0;
  if (!absl::SimpleAtoi(IndexText(pod_name), &index) || index < 0) return std::nullopt;
  return index;
}

}  // namespace bth::controllers
