#include "controllers/job_plugins/job_plugin.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "base/suggest.h"
#include "controllers/job_plugins/builtin.h"

namespace bth::controllers {
namespace {

struct Maker {
  std::string_view name;
  MadePlugin (*make)(const PluginArguments& args, const JobPluginTools& tools);
  bool lists_hosts = false;  // It writes the name of every pod of some task into one object.
};

// In the order in which they are asked: hcclrank reads what pytorch wrote.
constexpr Maker kMakers[] = {
    {"env", &MakeEnvPlugin},       {"svc", &MakeSvcPlugin, true},
    {"ssh", &MakeSshPlugin, true}, {"tensorflow", &MakeTensorflowPlugin, true},
    {"mpi", &MakeMpiPlugin, true}, {"pytorch", &MakePytorchPlugin},
    {"ray", &MakeRayPlugin},       {"hcclrank", &MakeHcclrankPlugin},
};

absl::Status CheckPluginNames(const types::BatchJobSpec& spec) {
  std::vector<std::string_view> known;
  for (const Maker& maker : kMakers) known.push_back(maker.name);
  for (const auto& [name, args] : spec.plugins) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return absl::InvalidArgumentError(
        StrCat("failed to get plugin ", name, DidYouMean(name, known)));
  }
  return absl::OkStatus();
}

// The number of replicas may be any; a list of so many names is never made.
absl::Status CheckHosts(const types::BatchJobSpec& spec) {
  int64_t replicas = 0;
  for (const types::BatchTask& task : spec.tasks) replicas += std::max(task.replicas, 0);
  if (replicas <= kListedHostsMax) return absl::OkStatus();
  for (const Maker& maker : kMakers) {
    if (!maker.lists_hosts || spec.plugins.Find(maker.name) == nullptr) continue;
    return absl::InvalidArgumentError(
        StrCat("plugin ", maker.name, " lists the pods of the job, and ", replicas,
               " are more than fit into an object: at most ", kListedHostsMax, " are possible"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<JobPlugins> MakeJobPlugins(const types::BatchJobSpec& spec,
                                          const JobPluginTools& tools) {
  BTH_RETURN_IF_ERROR(CheckPluginNames(spec));
  BTH_RETURN_IF_ERROR(CheckHosts(spec));
  JobPlugins made;
  for (const Maker& maker : kMakers) {
    const PluginArguments* args = spec.plugins.Find(maker.name);
    if (args == nullptr) continue;
    MadePlugin one = maker.make(*args, tools);
    const std::string of_plugin = StrCat("plugin ", maker.name, ": ");
    if (!one.complaint.empty()) {
      made.complaints.push_back(
          StrCat(of_plugin, one.complaint,
                 ": this and what follows it in spec.plugins is ignored; mend it"));
    }
    if (!one.note.empty()) made.complaints.push_back(of_plugin + one.note);
    if (const std::string gap = one.plugin->GapIn(spec); !gap.empty()) {
      made.complaints.push_back(StrCat(of_plugin, gap, ": name a task so, or mend spec.plugins"));
    }
    made.plugins.push_back(std::move(one.plugin));
  }
  return made;
}

absl::Status CheckMakeable(const JobPlugins& plugins, const types::BatchJob& job) {
  for (const auto& plugin : plugins.plugins) {
    const std::string refused = plugin->RefusedOf(job);
    if (refused.empty()) continue;
    return absl::InvalidArgumentError(StrCat("plugin ", plugin->name(), ": ", refused));
  }
  return absl::OkStatus();
}

}  // namespace bth::controllers
