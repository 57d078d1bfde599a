#include <string>
#include <utility>

#include "api/types/time.h"
#include "apiserver/rest/metadata.h"
#include "apiserver/rest/read.h"
#include "apiserver/rest/subresources.h"
#include "apiserver/rest/write_context.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

Subject BindingSubject(const std::string& name) {
  return {"", "pods/binding", "Binding", name};
}

absl::Status CheckBody(const std::string& pod, const Json& binding) {
  const std::string_view name = binding["metadata"]["name"].AsString();
  if (name != pod) {
    return BadRequest("name in URL does not match name in Binding object");
  }
  const std::string_view kind = binding["target"]["kind"].AsString();
  std::vector<Cause> causes;
  if (!kind.empty() && kind != "Node") {
    causes.push_back(FieldNotSupported("target.kind", kind, "\"Node\", \"<empty>\""));
  }
  if (binding["target"]["name"].AsString().empty()) causes.push_back(FieldRequired("target.name"));
  if (!causes.empty()) return Invalid({"", "pods/binding", "Binding", pod}, causes);
  return absl::OkStatus();
}

absl::Status CheckPod(const std::string& name, const Json& pod, const Json& binding) {
  const std::string_view uid = binding["metadata"]["uid"].AsString();
  const std::string_view revision = binding["metadata"]["resourceVersion"].AsString();
  const Json& meta = pod["metadata"];
  if (!uid.empty() && uid != meta["uid"].AsString()) {
    return Conflict({"", "pods", "Pod", name},
                    StrCat("Precondition failed: UID in precondition: ", uid,
                           ", UID in object meta: ", meta["uid"].AsString()));
  }
  if (!revision.empty() && revision != meta["resourceVersion"].AsString()) {
    return Conflict(
        {"", "pods", "Pod", name},
        StrCat("Precondition failed: ResourceVersion in precondition: ", revision,
               ", ResourceVersion in object meta: ", meta["resourceVersion"].AsString()));
  }
  if (IsDeleting(pod)) {
    return Conflict(BindingSubject(name),
                    StrCat("pod ", name, " is being deleted, cannot be assigned to a host"));
  }
  if (const std::string_view node = pod["spec"]["nodeName"].AsString(); !node.empty()) {
    return Conflict(BindingSubject(name),
                    StrCat("pod ", name, " is already assigned to node \"", node, "\""));
  }
  if (!pod["spec"]["schedulingGates"].empty()) {
    return Conflict(BindingSubject(name),
                    StrCat("pod ", name, " has non-empty .spec.schedulingGates"));
  }
  return absl::OkStatus();
}

void SetScheduled(Json& pod, const std::string& now) {
  Json scheduled = Json::MakeObject({{"type", "PodScheduled"},
                                     {"status", "True"},
                                     {"lastProbeTime", nullptr},
                                     {"lastTransitionTime", now}});
  Json& conditions = pod["status"]["conditions"];
  for (Json& condition : conditions.MutableItems()) {
    if (std::as_const(condition)["type"].AsString() != "PodScheduled") continue;
    if (std::as_const(condition)["status"].AsString() != "True") condition = std::move(scheduled);
    return;
  }
  conditions.MutableItems().push_back(std::move(scheduled));
}

// Binds in the state of now; plain, so that a thousand of them per second cost little.
WriteResult BindNow(Core& core, const ApiRequest& request, const std::string& name,
                    const Json& binding) {
  const ResourceTypePtr pods = core.registry.Find("", "v1", "pods");
  Collection& collection = core.CollectionOf(*pods);
  const ObjectPtr stored = collection.Get({request.ns, name});
  if (stored == nullptr) return NotFound(pods->Named(name));
  Json pod = ParseStored(*stored);
  BTH_RETURN_IF_ERROR(CheckPod(name, pod, binding));
  pod["spec"].Set("nodeName", binding["target"]["name"]);
  for (const auto& [key, value] : binding["metadata"]["annotations"].members()) {
    pod["metadata"]["annotations"].Set(key, value);
  }
  for (const auto& [key, value] : binding["metadata"]["labels"].members()) {
    pod["metadata"]["labels"].Set(key, value);
  }
  // The nomination is spent.
  pod["status"].Erase("nominatedNodeName");
  SetScheduled(pod, types::FormatTimestamp(core.Now()));
  BTH_RETURN_IF_ERROR(CheckShape(pod));
  if (!request.dry_run) core.store->Put(collection, std::move(pod));
  Written written;
  written.object = Json::MakeObject({{"kind", "Status"},
                                     {"apiVersion", "v1"},
                                     {"metadata", Json::MakeObject()},
                                     {"status", "Success"},
                                     {"code", 201}});
  written.created = true;
  return written;
}

}  // namespace

net::Awaitable<WriteResult> Bind(std::shared_ptr<Core> core, const ApiRequest& request) {
  absl::StatusOr<Json> body = ReadJsonBody(request);
  if (!body.ok()) co_return body.status();
  const Json& binding = *body;
  const std::string name(request.name.empty() ? std::string(binding["metadata"]["name"].AsString())
                                              : request.name);
  BTH_CO_RETURN_IF_ERROR(CheckBody(name, binding));
  WriteContext write = ContextOf(*core, request, Operation::kCreate);
  // Also for POST bindings, whose type is another.
  write.type = core->registry.Find("", "v1", "pods");
  write.name = name;
  write.subresource = "binding";
  write.object = *std::move(body);
  if (core->stages.MayWait(write)) {
    absl::Status admitted = co_await core->stages.Run(write);
    BTH_CO_RETURN_IF_ERROR(admitted);
  } else {
    BTH_CO_RETURN_IF_ERROR(core->stages.RunNow(write));
  }
  WriteResult bound = BindNow(*core, request, name, write.object);
  if (bound.ok()) bound->warnings = std::move(write.warnings);
  co_return bound;
}

}  // namespace bth::apiserver
