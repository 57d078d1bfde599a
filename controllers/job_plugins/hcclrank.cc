// hcclrank: the rank of a pod among those that use Ascend devices.
#include <utility>

#include "absl/strings/numbers.h"
#include "base/strings.h"
#include "controllers/job/keys.h"
#include "controllers/job_plugins/builtin.h"
#include "controllers/job_plugins/flags.h"
#include "controllers/job_plugins/job_hosts.h"
#include "controllers/job_plugins/task_roles.h"

namespace bth::controllers {
namespace {

using types::BatchJob;
using types::Json;

constexpr std::string_view kRankKey = "hccl/rankIndex";

struct HcclRankOptions {
  std::string master = "master";
  std::string worker = "worker";
};

// The literal value of the first variable RANK; "" when there is none.
std::string GivenRank(PodDraft& pod) {
  for (const Json* container : pod.Containers()) {
    for (const Json& variable : (*container)["env"].items()) {
      if (variable["name"].AsString() != "RANK") continue;
      return std::string(variable["value"].AsString());
    }
  }
  return "";
}

class Hcclrank final : public JobPlugin {
 public:
  explicit Hcclrank(HcclRankOptions options) : options_(std::move(options)) {}
  std::string_view name() const override { return "hcclrank"; }
  bool is_recorded() const override { return false; }

  absl::Status OnPodCreate(const BatchJob& job, PodDraft& pod) const override {
    if (!pod.Annotation(kRankKey).empty()) return absl::OkStatus();
    std::string rank = GivenRank(pod);
    const bool is_worker = pod.task() == options_.worker;
    if (rank.empty() && (is_worker || pod.task() == options_.master)) {
      int32_t label = 0;
      if (!SimpleAtoi(pod.Label(kTaskIndexKey), &label)) {
        return absl::InvalidArgumentError(StrCat("plugin hcclrank: label ", kTaskIndexKey,
                                                 " of pod ", pod.name(), " is not a number"));
      }
      const types::BatchTask* master = FindTask(job, options_.master);
      int64_t index = label;
      if (is_worker && master != nullptr) index += master->replicas;
      rank = StrCat(index);
    }
    if (!rank.empty()) pod.SetAnnotation(kRankKey, rank);
    return absl::OkStatus();
  }

  std::string GapIn(const types::BatchJobSpec& spec) const override {
    const std::string gap = JoinedGaps(MissingIfNamed(spec, {"master", options_.master, "master"}),
                                       MissingIfNamed(spec, {"worker", options_.worker, "worker"}));
    return gap.empty() ? "" : StrCat(gap, ", so no pod has a rank by it");
  }

 private:
  const HcclRankOptions options_;
};

}  // namespace

MadePlugin MakeHcclrankPlugin(const PluginArguments& args, const JobPluginTools& /*tools*/) {
  HcclRankOptions options;
  PluginFlags flags;
  flags.Add("master", &options.master);
  flags.Add("worker", &options.worker);
  std::string complaint = flags.Parse(args);
  return {std::make_unique<Hcclrank>(std::move(options)), std::move(complaint)};
}

}  // namespace bth::controllers
