// Deployments, replica sets, stateful sets, daemon sets, jobs, cron jobs.
#include <string>
#include <string_view>

#include "apiserver/table/columns.h"
#include "apiserver/table/table.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

const Json& TemplateSpec(const Json& object) {
  const Json& spec = object["spec"];
  const Json& holder = spec["jobTemplate"].is_object() ? spec["jobTemplate"]["spec"] : spec;
  return holder["template"]["spec"];
}

std::string Joined(const Json& object, std::string_view member) {
  std::string text;
  for (const Json& container : TemplateSpec(object)["containers"].items()) {
    StrAppend(&text, text.empty() ? "" : ",", container[member].AsString());
  }
  return text;
}

Json Containers(const Json& object, absl::Time) {
  return Joined(object, "name");
}
Json Images(const Json& object, absl::Time) {
  return Joined(object, "image");
}

Json Selector(const Json& object, absl::Time) {
  const Json& selector = object["spec"]["selector"];
  return LabelText(selector["matchLabels"].is_object() ? selector["matchLabels"] : Json());
}

Json ReadyOfWanted(const Json& object, absl::Time) {
  return StrCat(object["status"]["readyReplicas"].AsInt(), "/", object["spec"]["replicas"].AsInt());
}
Json WantedPods(const Json& object, absl::Time) {
  return object["spec"]["replicas"].AsInt();
}
Json Current(const Json& object, absl::Time) {
  return object["status"]["replicas"].AsInt();
}
Json ReadyCount(const Json& object, absl::Time) {
  return object["status"]["readyReplicas"].AsInt();
}
Json Updated(const Json& object, absl::Time) {
  return object["status"]["updatedReplicas"].AsInt();
}
Json Available(const Json& object, absl::Time) {
  return object["status"]["availableReplicas"].AsInt();
}

Json DaemonWanted(const Json& object, absl::Time) {
  return object["status"]["desiredNumberScheduled"].AsInt();
}
Json DaemonCurrent(const Json& object, absl::Time) {
  return object["status"]["currentNumberScheduled"].AsInt();
}
Json DaemonReady(const Json& object, absl::Time) {
  return object["status"]["numberReady"].AsInt();
}
Json DaemonUpdated(const Json& object, absl::Time) {
  return object["status"]["updatedNumberScheduled"].AsInt();
}
Json DaemonAvailable(const Json& object, absl::Time) {
  return object["status"]["numberAvailable"].AsInt();
}
Json NodeSelector(const Json& object, absl::Time) {
  return LabelText(TemplateSpec(object)["nodeSelector"]);
}

bool HasCondition(const Json& object, std::string_view type) {
  for (const Json& condition : object["status"]["conditions"].items()) {
    if (condition["type"].AsString() == type) return condition["status"].AsString() == "True";
  }
  return false;
}

Json JobStatus(const Json& object, absl::Time) {
  if (HasCondition(object, "Complete")) return "Complete";
  if (HasCondition(object, "Failed")) return "Failed";
  if (object["metadata"]["deletionTimestamp"].is_string()) return "Terminating";
  if (HasCondition(object, "Suspended")) return "Suspended";
  if (HasCondition(object, "FailureTarget")) return "FailureTarget";
  if (HasCondition(object, "SuccessCriteriaMet")) return "SuccessCriteriaMet";
  return "Running";
}

Json JobCompletions(const Json& object, absl::Time) {
  const int64_t succeeded = object["status"]["succeeded"].AsInt();
  const Json& completions = object["spec"]["completions"];
  if (completions.is_int()) return StrCat(succeeded, "/", completions.AsInt());
  const int64_t parallelism = object["spec"]["parallelism"].AsInt();
  if (parallelism > 1) return StrCat(succeeded, "/1 of ", parallelism);
  return StrCat(succeeded, "/1");
}

Json JobDuration(const Json& object, absl::Time now) {
  absl::Time from;
  absl::Time to = now;
  std::string error;
  auto read = [&](std::string_view stamp, absl::Time* time) {
    return absl::ParseTime(absl::RFC3339_full, ToAbsl(stamp), time, &error);
  };
  if (!read(object["status"]["startTime"].AsString(), &from)) return "";
  read(object["status"]["completionTime"].AsString(), &to);
  return DurationText(to - from);
}

Json Schedule(const Json& object, absl::Time) {
  return object["spec"]["schedule"];
}
Json TimeZone(const Json& object, absl::Time) {
  return TextOr(object["spec"]["timeZone"].AsString(), "<none>");
}
Json Suspend(const Json& object, absl::Time) {
  return object["spec"]["suspend"].AsBool() ? "True" : "False";
}
Json Active(const Json& object, absl::Time) {
  return static_cast<int64_t>(object["status"]["active"].size());
}
Json LastSchedule(const Json& object, absl::Time now) {
  const std::string_view last = object["status"]["lastScheduleTime"].AsString();
  return last.empty() ? Json("<none>") : Json(AgeText(last, now));
}

#define BTH_TEMPLATE_COLUMNS                                                  \
  {"Containers", "string", 1, Containers}, {"Images", "string", 1, Images}, { \
    "Selector", "string", 1, Selector                                         \
  }

constexpr Column kDeployment[] = {
    {"Name", "string", 0, NameCell},      {"Ready", "string", 0, ReadyOfWanted},
    {"Up-to-date", "string", 0, Updated}, {"Available", "string", 0, Available},
    {"Age", "string", 0, AgeCell},        BTH_TEMPLATE_COLUMNS};
constexpr Column kReplicaSet[] = {
    {"Name", "string", 0, NameCell},    {"Desired", "integer", 0, WantedPods},
    {"Current", "integer", 0, Current}, {"Ready", "integer", 0, ReadyCount},
    {"Age", "string", 0, AgeCell},      BTH_TEMPLATE_COLUMNS};
constexpr Column kStatefulSet[] = {{"Name", "string", 0, NameCell},
                                   {"Ready", "string", 0, ReadyOfWanted},
                                   {"Age", "string", 0, AgeCell},
                                   {"Containers", "string", 1, Containers},
                                   {"Images", "string", 1, Images}};
constexpr Column kDaemonSet[] = {{"Name", "string", 0, NameCell},
                                 {"Desired", "integer", 0, DaemonWanted},
                                 {"Current", "integer", 0, DaemonCurrent},
                                 {"Ready", "integer", 0, DaemonReady},
                                 {"Up-to-date", "integer", 0, DaemonUpdated},
                                 {"Available", "integer", 0, DaemonAvailable},
                                 {"Node Selector", "string", 0, NodeSelector},
                                 {"Age", "string", 0, AgeCell},
                                 BTH_TEMPLATE_COLUMNS};
constexpr Column kJob[] = {{"Name", "string", 0, NameCell},
                           {"Status", "string", 0, JobStatus},
                           {"Completions", "string", 0, JobCompletions},
                           {"Duration", "string", 0, JobDuration},
                           {"Age", "string", 0, AgeCell},
                           BTH_TEMPLATE_COLUMNS};
constexpr Column kCronJob[] = {
    {"Name", "string", 0, NameCell},     {"Schedule", "string", 0, Schedule},
    {"Timezone", "string", 0, TimeZone}, {"Suspend", "boolean", 0, Suspend},
    {"Active", "integer", 0, Active},    {"Last Schedule", "string", 0, LastSchedule},
    {"Age", "string", 0, AgeCell},       BTH_TEMPLATE_COLUMNS};
#undef BTH_TEMPLATE_COLUMNS

}  // namespace

std::span<const Column> WorkloadColumns(std::string_view kind) {
  if (kind == "Deployment") return kDeployment;
  if (kind == "ReplicaSet" || kind == "ReplicationController") return kReplicaSet;
  if (kind == "StatefulSet") return kStatefulSet;
  if (kind == "DaemonSet") return kDaemonSet;
  if (kind == "Job") return kJob;
  if (kind == "CronJob") return kCronJob;
  return {};
}

}  // namespace bth::apiserver
