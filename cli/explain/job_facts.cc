#include "cli/explain/job_facts.h"

#include <utility>

#include "api/types/pod.h"
#include "api/types/pod_group.h"
#include "base/status.h"
#include "base/strings.h"
#include "cli/queue/commands.h"
#include "cli/text/object.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr char kJobLabel[] = "volcano.sh/job-name";
constexpr char kGroupAnnotation[] = "scheduling.k8s.io/group-name";

const types::ResourceType& GroupType() {
  return types::ResourceTraits<types::PodGroup>::type();
}

// The object, or none: it is `missing`, or there is a line in `unread`.
std::optional<Json> ReadOrTell(Cluster& cluster, const Target& target, bool* missing,
                               std::vector<std::string>* unread) {
  absl::StatusOr<Json> object = cluster.Get(target);
  if (object.ok()) return *std::move(object);
  *missing = absl::IsNotFound(object.status());
  if (!*missing) unread->emplace_back(ToStd(object.status().message()));
  return std::nullopt;
}

std::vector<Json> ListOrTell(Cluster& cluster, const Target& target, const Selectors& selectors,
                             std::vector<std::string>* unread) {
  absl::StatusOr<ObjectList> list = cluster.List(target, selectors);
  if (list.ok()) return std::move(list->items);
  unread->emplace_back(ToStd(list.status().message()));
  return {};
}

void ReadPods(Cluster& cluster, JobFacts* facts) {
  const types::ResourceType& type = types::ResourceTraits<types::Pod>::type();
  const std::string selector = facts->job ? StrCat(kJobLabel, "=", facts->name) : "";
  facts->pods = ListOrTell(cluster, {type, facts->ns, ""}, {selector, ""}, &facts->unread);
  if (facts->job) return;
  std::erase_if(facts->pods, [facts](const Json& pod) {
    return AnnotationIn(pod, kGroupAnnotation) != facts->name;
  });
}

void ReadQueue(Cluster& cluster, JobFacts* facts) {
  facts->queue = ReadOrTell(cluster, {QueueType(), "", facts->queue_name}, &facts->queue_missing,
                            &facts->unread);
  facts->neighbours = ListOrTell(cluster, {GroupType(), "", ""}, {}, &facts->unread);
  const std::string_view own = facts->group ? NameIn(*facts->group) : std::string_view();
  std::erase_if(facts->neighbours, [facts, own](const Json& group) {
    const bool is_own = NameIn(group) == own && NamespaceIn(group) == facts->ns;
    return is_own || group.At({"spec", "queue"}).AsString("default") != facts->queue_name;
  });
}

}  // namespace

absl::StatusOr<JobFacts> ReadJobFacts(Cluster& cluster, const JobFlags& flags) {
  JobFacts facts;
  facts.ns = flags.ns;
  facts.name = flags.name;
  absl::StatusOr<Json> job = cluster.Get(TargetOf(flags));
  if (job.ok()) {
    facts.job = *std::move(job);
    const std::string_view uid = facts.job->At({"metadata", "uid"}).AsString();
    facts.group = ReadOrTell(cluster, {GroupType(), facts.ns, StrCat(facts.name, "-", uid)},
                             &facts.group_missing, &facts.unread);
  } else {
    absl::StatusOr<Json> group = cluster.Get({GroupType(), facts.ns, facts.name});
    // The name was most likely meant for a job.
    if (!group.ok()) return job.status();
    facts.group = *std::move(group);
  }
  const Json& holder = facts.job ? *facts.job : *facts.group;
  facts.queue_name = std::string(holder.At({"spec", "queue"}).AsString("default"));
  if (facts.queue_name.empty()) facts.queue_name = "default";
  ReadPods(cluster, &facts);
  ReadQueue(cluster, &facts);
  return facts;
}

}  // namespace bth::cli
