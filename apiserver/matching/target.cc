#include "apiserver/matching/target.h"

#include <utility>

#include "apiserver/protobuf/field_types.h"
#include "apiserver/rest/core.h"
#include "apiserver/rest/metadata.h"
#include "apiserver/rest/output.h"
#include "apiserver/rest/subresources.h"
#include "apiserver/schema/coerce.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

constexpr std::string_view kRegistration = "admissionregistration.k8s.io";
constexpr std::string_view kMetaVersion = "meta.k8s.io/v1";

std::string_view SubresourceOf(const WriteContext& write) {
  if (!write.subresource.empty() || write.request == nullptr) return write.subresource;
  return write.request->via;
}

bool IsScale(const WriteContext& write) {
  return SubresourceOf(write) == "scale";
}

KindName KindOf(const WriteContext& write, const ResourceType& as) {
  const std::string_view sub = SubresourceOf(write);
  if (sub == "scale") return {"autoscaling", "v1", "Scale"};
  if (sub == "eviction") return {"policy", "v1", "Eviction"};
  if (sub == "binding") return {"", "v1", "Binding"};
  return {as.group, as.version, as.kind};
}

// Written and read through another version of the same resource.
Json Converted(const WriteContext& write, const ResourceType& as, const Json& object) {
  Json copy = object;
  const std::string_view sub = SubresourceOf(write);
  if (write.type.get() == &as || sub == "eviction" || sub == "binding") return copy;
  ToStorage(*write.type, copy);
  FromStorage(as, copy);
  return copy;
}

Json ShownObject(const WriteContext& write, const ResourceType& as, const Json& object) {
  if (!IsScale(write)) return Converted(write, as, object);
  absl::StatusOr<Json> scale = ScaleOf(*write.type, object);
  return scale.ok() ? *std::move(scale) : Json();
}

void HideWhatComesLater(const WriteContext& write, Json& object) {
  Json* meta = object.Find("metadata");
  if (meta == nullptr || !meta->is_object()) return;
  for (const char* key : {"uid", "creationTimestamp", "generation"}) meta->Erase(key);
  if (write.name_is_generated) meta->Erase("name");
}

// Errors: as when the client had sent it.
absl::Status TakeScale(const Json& scale, WriteContext& write) {
  const Json& replicas = scale["spec"]["replicas"];
  if (!replicas.is_null() && !replicas.is_int()) {
    return InternalError("json: cannot unmarshal spec.replicas of a Scale: it is no whole number");
  }
  Json* at = &write.object;
  for (const std::string& step : write.type->scale->replicas) at = &(*at)[step];
  *at = Json(replicas.AsInt());
  return absl::OkStatus();
}

void CopyField(const Json& from, std::string_view key, Json& to) {
  if (const Json* value = from.Find(key)) to.Set(key, *value);
}

// What the server set before anybody was asked; `before` is the object then.
absl::Status RestoreIdentity(const Json& before, WriteContext& write) {
  Json& meta = write.object["metadata"];
  const std::string name(std::as_const(meta)["name"].AsString());
  for (const char* key : {"uid", "creationTimestamp", "generation", "resourceVersion"}) {
    CopyField(before["metadata"], key, meta);
  }
  if (name.empty()) {
    CopyField(before["metadata"], "name", meta);
  } else if (name != write.name) {
    if (!write.name_is_generated) {
      return BadRequest(StrCat("the name of the object (", name,
                               ") does not match the name of the request (", write.name, ")"));
    }
    write.name = name;
    write.name_is_generated = false;
  }
  const std::string ns(std::as_const(meta)["namespace"].AsString());
  if (write.type->namespaced && ns != write.ns) {
    return BadRequest(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  return absl::OkStatus();
}

// What reading it would have made of the object.
absl::Status Coerce(const Core& core, WriteContext& write) {
  const ResourceType& type = *write.type;
  if (type.structural != nullptr) {
    PruneFields(*type.structural, write.object, nullptr);
    DefaultFields(type.structural->root(), write.object);
    return absl::OkStatus();
  }
  const absl::Status typed = CheckFieldTypes(type.group, type.kind, write.object);
  if (!typed.ok()) return InternalError(ToStd(typed.message()));
  return core.stages.RunAgain(StagePoint::kDefault, write);
}

Json OptionsJson(const WriteContext& write) {
  const ApiRequest& request = *write.request;
  Json options = write.options.is_object() ? write.options : Json::MakeObject();
  const char* kind = write.operation == Operation::kDelete   ? "DeleteOptions"
                     : write.operation == Operation::kUpdate ? "UpdateOptions"
                                                             : "CreateOptions";
  if (std::as_const(options)["kind"].AsString().empty()) options.Set("kind", kind);
  if (std::as_const(options)["apiVersion"].AsString().empty()) {
    options.Set("apiVersion", kMetaVersion);
  }
  if (write.operation == Operation::kDelete) {
    const std::string_view policy = request.target.Query("propagationPolicy");
    int64_t grace = 0;
    if (!policy.empty()) options.Set("propagationPolicy", policy);
    if (SimpleAtoi(request.target.Query("gracePeriodSeconds"), &grace)) {
      options.Set("gracePeriodSeconds", grace);
    }
  } else {
    for (const char* key : {"fieldManager", "fieldValidation"}) {
      const std::string_view value = request.target.Query(key);
      if (!value.empty()) options.Set(key, value);
    }
  }
  if (write.dry_run) options.Set("dryRun", Json::MakeArray({"All"}));
  return options;
}

Json UserInfo(const User& user) {
  Json::Array groups;
  for (const std::string& group : user.groups) groups.emplace_back(group);
  Json json = Json::MakeObject({{"username", user.name}});
  if (!user.uid.empty()) json.Set("uid", user.uid);
  json.Set("groups", Json(std::move(groups)));
  return json;
}

Json KindJson(const KindName& kind) {
  return Json::MakeObject({{"group", kind.group}, {"version", kind.version}, {"kind", kind.kind}});
}

Json ResourceJson(const ResourceType& type) {
  return Json::MakeObject(
      {{"group", type.group}, {"version", type.version}, {"resource", type.plural}});
}

}  // namespace

Target TargetOf(const WriteContext& write, bool mutated) {
  Target target{write, OperationName(write.operation), SubresourceOf(write), write.ns, write.name};
  if (!mutated && write.name_is_generated) target.name = {};
  if (write.Is("", "namespaces")) target.ns = target.name;
  return target;
}

bool IsExempt(const WriteContext& write) {
  return write.request == nullptr || write.type->group == kRegistration;
}

Shown Show(const WriteContext& write, const ResourceType& as, bool mutated) {
  Shown shown;
  shown.kind = KindOf(write, as);
  if (write.operation != Operation::kDelete) {
    shown.object = ShownObject(write, as, write.object);
    if (write.operation == Operation::kCreate && !mutated) {
      HideWhatComesLater(write, shown.object);
    }
  }
  if (write.old.has_value()) shown.old_object = ShownObject(write, as, *write.old);
  return shown;
}

absl::Status TakeBack(const Core& core, const ResourceType& as, Json object, WriteContext& write) {
  if (!object.is_object()) return InternalError("the patch leaves no object");
  const std::string_view sub = SubresourceOf(write);
  const bool other_kind = sub == "eviction" || sub == "binding";
  if (sub == "scale") {
    BTH_RETURN_IF_ERROR(TakeScale(object, write));
  } else {
    const KindName kind = KindOf(write, as);
    const std::string version =
        kind.group.empty() ? kind.version : StrCat(kind.group, "/", kind.version);
    if (std::as_const(object)["kind"].AsString() != kind.kind ||
        std::as_const(object)["apiVersion"].AsString() != version) {
      return InternalError(StrCat("the object is no longer a ", kind.kind, " of ", version));
    }
    if (&as != write.type.get() && !other_kind) {
      ToStorage(as, object);
      FromStorage(*write.type, object);
    }
    Json before = std::exchange(write.object, std::move(object));
    if (other_kind) return CheckShape(write.object);
    if (write.operation == Operation::kCreate) {
      BTH_RETURN_IF_ERROR(RestoreIdentity(before, write));
    }
  }
  BTH_RETURN_IF_ERROR(CheckShape(write.object));
  BTH_RETURN_IF_ERROR(Coerce(core, write));
  if (write.operation != Operation::kUpdate) return absl::OkStatus();
  return PrepareUpdate(*write.request, *write.old, write.object);
}

Json RequestJson(const Target& target, const ResourceType& as) {
  const WriteContext& write = target.write;
  const std::string sub(target.subresource);
  Json json =
      Json::MakeObject({{"kind", KindJson(KindOf(write, as))}, {"resource", ResourceJson(as)}});
  if (!sub.empty()) json.Set("subResource", sub);
  json.Set("requestKind", KindJson(KindOf(write, *write.type)));
  json.Set("requestResource", ResourceJson(*write.type));
  if (!sub.empty()) json.Set("requestSubResource", sub);
  if (!target.name.empty()) json.Set("name", target.name);
  if (!target.ns.empty()) json.Set("namespace", target.ns);
  json.Set("operation", target.operation);
  json.Set("userInfo", UserInfo(write.user));
  json.Set("dryRun", write.dry_run);
  json.Set("options", OptionsJson(write));
  return json;
}

}  // namespace bth::apiserver
