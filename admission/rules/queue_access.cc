#include "admission/rules/queue_access.h"

#include <utility>

#include "api/rules/go_quote.h"
#include "base/strings.h"

namespace bth::admission {
namespace {

constexpr std::string_view kDefaultQueue = "default";
constexpr std::string_view kPodGroupKey = "scheduling.k8s.io/group-name";
constexpr std::string_view kQueueKey = "scheduling.volcano.sh/queue-name";

const Json& SpecOf(const Json* document) {
  static const Json* const none = new Json();
  return document == nullptr ? *none : (*document)["spec"];
}

std::string QueueOr(std::string_view queue, std::string_view fallback) {
  return std::string(queue.empty() ? fallback : queue);
}

// What a PodGroup with that queue ends up in: the namespace may have a default of its own.
std::string GroupQueue(std::string_view queue, const Request& request, const Known& known) {
  std::string name = QueueOr(queue, kDefaultQueue);
  if (name != kDefaultQueue) return name;
  const auto of_namespace = known.NamespaceAnnotation(request.ns, kQueueKey);
  return of_namespace.has_value() ? QueueOr(*of_namespace, kDefaultQueue) : name;
}

// Of a pod; one that a job's controller made says which PodGroup it belongs to.
std::optional<QueueSubmission> PodSubmission(const Request& request, const Settings& settings,
                                             const Known& known) {
  if (request.operation != "CREATE" || request.object == nullptr) return std::nullopt;
  if (!settings.IsOurs(SpecOf(request.object)["schedulerName"].AsString())) return std::nullopt;
  const Json& annotations = request.object->At({"metadata", "annotations"});
  const std::string_view group = annotations[kPodGroupKey].AsString();
  if (!group.empty()) return QueueSubmission{"", std::string(group)};
  return QueueSubmission{GroupQueue(annotations[kQueueKey].AsString(), request, known), ""};
}

// The queue that one version of the object names.
std::string NamedQueue(std::string_view resource, const Json& spec) {
  const Json& job = resource == "cronjobs" ? spec.At({"jobTemplate", "spec"}) : spec;
  return QueueOr(job["queue"].AsString(), kDefaultQueue);
}

}  // namespace

std::optional<QueueSubmission> SubmissionOf(const Request& request, const Settings& settings,
                                            const Known& known) {
  const std::string& resource = request.resource.resource;
  if (resource == "pods") return PodSubmission(request, settings, known);
  if (resource != "jobs" && resource != "podgroups" && resource != "cronjobs") return std::nullopt;
  if (request.object == nullptr || request.object->is_null()) return std::nullopt;
  std::string queue = NamedQueue(resource, SpecOf(request.object));
  if (request.operation == "UPDATE") {
    if (NamedQueue(resource, SpecOf(request.old_object)) == queue) return std::nullopt;
  } else if (request.operation != "CREATE") {
    return std::nullopt;
  }
  return QueueSubmission{std::move(queue), ""};
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
