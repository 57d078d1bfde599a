#include "admission/rules/queue_access.h"

#include <set>
#include <utility>

#include "api/rules/go_quote.h"
#include "base/strings.h"

namespace bth::admission {
namespace {

constexpr std::string_view kDefaultQueue = "default";
constexpr std::string_view kPodGroupKey = "scheduling.k8s.io/group-name";
constexpr std::string_view kQueueKey = "scheduling.volcano.sh/queue-name";
constexpr std::string_view kMadeGroupPrefix = "podgroup-";

const Json& SpecOf(const Json* document) {
  static const Json* const none = new Json();
  return document == nullptr ? *none : (*document)["spec"];
}

std::string QueueOr(std::string_view queue, std::string_view fallback) {
  return std::string(queue.empty() ? fallback : queue);
}

// A name of the PodGroups that the controllers make for pods, in the queue that the pod names: of
// the UID of the pod or of whose it is.
bool IsMadeGroup(std::string_view group) {
  if (!group.starts_with(kMadeGroupPrefix)) return false;
  const std::string_view uid = group.substr(kMadeGroupPrefix.size());
  return uid.size() == 36 && uid.find_first_not_of("0123456789abcdef-") == std::string_view::npos;
}

// What a PodGroup with that queue ends up in: the namespace may have a default of its own.
std::string GroupQueue(std::string_view queue, const Request& request, const Known& known) {
  std::string name = QueueOr(queue, kDefaultQueue);
  if (name != kDefaultQueue) return name;
  const auto of_namespace = known.NamespaceAnnotation(request.ns, kQueueKey);
  return of_namespace.has_value() ? QueueOr(*of_namespace, kDefaultQueue) : name;
}

// Of a pod; one that a job's controller made says which PodGroup it belongs to. A PodGroup that the
// controllers make may not be there yet: the pod that names it says which queue it will be in.
std::vector<QueueSubmission> PodSubmission(const Request& request, const Settings& settings,
                                           const Known& known) {
  if (request.operation != "CREATE" || request.object == nullptr) return {};
  if (!settings.IsOurs(SpecOf(request.object)["schedulerName"].AsString())) return {};
  const Json& annotations = request.object->At({"metadata", "annotations"});
  const std::string_view group = annotations[kPodGroupKey].AsString();
  std::vector<QueueSubmission> submissions;
  if (!group.empty()) submissions.push_back({"", std::string(group)});
  if (group.empty() || IsMadeGroup(group)) {
    submissions.push_back({GroupQueue(annotations[kQueueKey].AsString(), request, known), ""});
  }
  return submissions;
}

// The queues of the jobs that a flow is going to make. The schema writes "default" into every patch
// that names none.
std::set<std::string> FlowQueues(const Json& spec, const Request& request, const Known& known) {
  std::set<std::string> queues;
  for (const Json& flow : spec["flows"].items()) {
    const auto of_template = known.JobTemplateQueue(request.ns, flow["name"].AsString());
    if (of_template.has_value()) queues.insert(QueueOr(*of_template, kDefaultQueue));
    std::string patched = QueueOr(flow.At({"patch", "jobSpec", "queue"}).AsString(), kDefaultQueue);
    if (patched != kDefaultQueue) queues.insert(std::move(patched));
  }
  return queues;
}

// The queues that one version of the object names.
std::set<std::string> NamedQueues(const Request& request, const Json& spec, const Known& known) {
  const std::string& resource = request.resource.resource;
  if (resource == "jobflows") return FlowQueues(spec, request, known);
  const Json& job = resource == "cronjobs" ? spec.At({"jobTemplate", "spec"}) : spec;
  return {QueueOr(job["queue"].AsString(), kDefaultQueue)};
}

bool NamesQueues(std::string_view resource) {
  return resource == "jobs" || resource == "podgroups" || resource == "cronjobs" ||
         resource == "jobflows" || resource == "jobtemplates";
}

}  // namespace

std::vector<QueueSubmission> SubmissionsOf(const Request& request, const Settings& settings,
                                           const Known& known) {
  const std::string& resource = request.resource.resource;
  if (resource == "pods") return PodSubmission(request, settings, known);
  if (!NamesQueues(resource)) return {};
  if (request.object == nullptr || request.object->is_null()) return {};
  const bool is_update = request.operation == "UPDATE";
  if (!is_update && request.operation != "CREATE") return {};
  std::set<std::string> before;
  if (is_update) before = NamedQueues(request, SpecOf(request.old_object), known);
  std::vector<QueueSubmission> submissions;
  for (const std::string& queue : NamedQueues(request, SpecOf(request.object), known)) {
    if (!before.contains(queue)) submissions.push_back({queue, ""});
  }
  return submissions;
}

Json SubmitReview(const UserInfo& user, std::string_view queue) {
  const auto list = [](const std::vector<std::string>& texts) {
    return Json(Json::Array(texts.begin(), texts.end()));
  };
  Json spec =
      Json::MakeObject({{"user", user.name},
                        {"resourceAttributes", Json::MakeObject({{"group", "scheduling.volcano.sh"},
                                                                 {"version", "v1beta1"},
                                                                 {"resource", "queues"},
                                                                 {"subresource", "submit"},
                                                                 {"name", queue},
                                                                 {"verb", "create"}})}});
  if (!user.uid.empty()) spec.Set("uid", user.uid);
  if (!user.groups.empty()) spec.Set("groups", list(user.groups));
  if (!user.extra.empty()) {
    Json extra = Json::MakeObject();
    for (const auto& [key, values] : user.extra) extra.Set(key, list(values));
    spec.Set("extra", std::move(extra));
  }
  return Json::MakeObject({{"apiVersion", "authorization.k8s.io/v1"},
                           {"kind", "SubjectAccessReview"},
                           {"spec", std::move(spec)}});
}

Verdict RefuseSubmission(const UserInfo& user, std::string_view queue) {
  return Verdict::Refuse(
      "queue_access",
      StrCat("user ", rules::GoQuote(user.name), " may not submit to queue ", rules::GoQuote(queue),
             ": a ClusterRole would allow it that has the rule {apiGroups: "
             "[\"scheduling.volcano.sh\"], resources: [\"queues/submit\"], resourceNames: [",
             rules::GoQuote(queue), "], verbs: [\"create\"]}"));
}

}  // namespace bth::admission
