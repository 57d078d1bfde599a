#include "cli/job/run.h"

#include <memory>
#include <utility>
#include <vector>

#include "api/manifests/yaml_json.h"
#include "api/types/codec.h"
#include "base/status.h"
#include "base/strings.h"
#include "cli/session/cluster_flags.h"
#include "cli/session/user_file.h"
#include "cli/text/object.h"
#include "cli/text/resource_list.h"
#include "cli/text/shell_words.h"
#include "cli/text/typed_yaml.h"

namespace bth::cli {
namespace {

using types::Json;

struct Resources {
  Json requests;
  Json limits;
};

absl::StatusOr<Resources> ReadResources(const RunFlags& flags) {
  Resources resources;
  BTH_ASSIGN_OR_RETURN(resources.requests, ParseResourceList(flags.requests));
  BTH_ASSIGN_OR_RETURN(resources.limits, ParseResourceList(flags.limits));
  return resources;
}

// Counts of jobs have 32 bits.
Json Count(int64_t number) {
  return static_cast<int64_t>(static_cast<int32_t>(number));
}

absl::StatusOr<Json> ContainerOf(const RunFlags& flags) {
  BTH_ASSIGN_OR_RETURN(Resources resources, ReadResources(flags));
  BTH_ASSIGN_OR_RETURN(const std::vector<std::string> command, SplitShellWords(flags.command));
  Json container = Json::MakeObject(
      {{"image", flags.image}, {"name", flags.job.name}, {"imagePullPolicy", "IfNotPresent"}});
  Json& shown = container["resources"];
  shown = Json::MakeObject();
  if (!resources.limits.is_null()) shown.Set("limits", std::move(resources.limits));
  if (!resources.requests.is_null()) shown.Set("requests", std::move(resources.requests));
  for (const std::string& word : command) container["command"].MutableItems().emplace_back(word);
  return container;
}

absl::Status UnmarshalError(const absl::Status& status) {
  return absl::InvalidArgumentError(StrCat("failed to unmarshal file, err:  ", status.message()));
}

}  // namespace

absl::StatusOr<Json> JobFromFlags(const RunFlags& flags) {
  BTH_ASSIGN_OR_RETURN(Json container, ContainerOf(flags));
  Json task = Json::MakeObject({{"replicas", Count(flags.replicas)}});
  Json& pod = task["template"];
  pod.MutableAt({"metadata", "name"}) = flags.job.name;
  pod.MutableAt({"metadata", "labels", "job.volcano.sh"}) = flags.job.name;
  pod.MutableAt({"spec", "restartPolicy"}) = "Never";
  pod.MutableAt({"spec", "containers"}) = Json::MakeArray({std::move(container)});
  Json job = Json::MakeObject();
  job.MutableAt({"metadata", "name"}) = flags.job.name;
  job.MutableAt({"metadata", "namespace"}) = flags.job.ns;
  job.MutableAt({"spec", "minAvailable"}) = Count(flags.min);
  job.MutableAt({"spec", "schedulerName"}) = flags.scheduler;
  job.MutableAt({"spec", "tasks"}) = Json::MakeArray({std::move(task)});
  return job;
}

absl::StatusOr<Json> JobFromFile(const std::string& path) {
  if (!StrContains(path, ".yaml") && !StrContains(path, ".yml")) {
    return absl::InvalidArgumentError("only support yaml file");
  }
  const absl::StatusOr<std::string> text = ReadUserFile(path);
  if (!text.ok()) return Annotate(text.status(), "failed to read file, err");
  absl::StatusOr<Json> job =
      ObjectFromYaml(manifests::FirstDocument(*text), YamlSchema<types::BatchJob>(), "job");
  if (!job.ok()) return UnmarshalError(job.status());
  const absl::StatusOr<types::BatchJob> checked = types::Decode<types::BatchJob>(*job);
  if (!checked.ok()) return UnmarshalError(checked.status());
  return job;
}

absl::Status RunJob(Session& session, const RunFlags& flags) {
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.job.cluster));
  if (flags.job.name.empty() && flags.file.empty()) {
    return absl::InvalidArgumentError("job name cannot be left blank");
  }
  BTH_RETURN_IF_ERROR(ReadResources(flags));  // Also beside a file.
  absl::StatusOr<Json> job = flags.file.empty() ? JobFromFlags(flags) : JobFromFile(flags.file);
  BTH_RETURN_IF_ERROR(job);
  BTH_ASSIGN_OR_RETURN(const Json made,
                       cluster->Create({JobType(), flags.job.ns, ""}, *std::move(job)));
  session.out() << "run job " << NameIn(made) << " successfully\n";
  return absl::OkStatus();
}

void AddShapeFlags(RunFlags* target, FlagSet* flags) {
  flags->Int(&target->min, {"min", 'm'}, "the minimal available tasks of job");
  flags->Int(&target->replicas, {"replicas", 'r'}, "the total tasks of job");
  flags->Text(&target->requests, {"requests", 'R'}, "the resource request of the task");
  flags->Text(&target->limits, {"limits", 'L'}, "the resource limit of the task");
}

Command RunJobCommand() {
  auto flags = std::make_shared<RunFlags>();
  Command leaf;
  leaf.name = "run";
  leaf.short_text = "run job by parameters from the command line";
  AddJobFlags(&flags->job, kVcctlLetters, &leaf.flags);
  AddShapeFlags(flags.get(), &leaf.flags);
  leaf.flags.Text(&flags->image, {"image", 'i'}, "the container image of job");
  leaf.flags.Text(&flags->scheduler, {"scheduler", 'S'}, "the scheduler for this job");
  leaf.flags.Text(&flags->file, {"filename", 'f'}, "the yaml file of job");
  leaf.flags.OfferFor("filename", OfferFiles());
  leaf.flags.OfferFor("name", nullptr);  // The job is a new one.
  leaf.run = [flags](Session& session) { return RunJob(session, *flags); };
  return leaf;
}

}  // namespace bth::cli
