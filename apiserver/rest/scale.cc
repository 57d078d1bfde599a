#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "apiserver/patch/apply.h"
#include "apiserver/rest/metadata.h"
#include "apiserver/rest/output.h"
#include "apiserver/rest/subresources.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

constexpr char kKind[] = "Scale";
constexpr char kVersion[] = "autoscaling/v1";

const Json& WalkPath(const Json& object, const std::vector<std::string>& path) {
  const Json* at = &object;
  for (const std::string& step : path) at = &(*at)[step];
  return *at;
}

// One requirement of a selector as text: "key in (a,b)", "!key".
std::string RequirementText(const Json& requirement) {
  std::string key(requirement["key"].AsString());
  const std::string_view op = requirement["operator"].AsString();
  if (op == "Exists") return key;
  if (op == "DoesNotExist") return "!" + key;
  std::vector<std::string> values;
  for (const Json& value : requirement["values"].items()) values.emplace_back(value.AsString());
  std::sort(values.begin(), values.end());
  return StrCat(key, op == "NotIn" ? " notin (" : " in (", absl::StrJoin(values, ","), ")");
}

// A selector as clients write it in a query, by key; a string stands for itself.
std::string SelectorText(const Json& selector) {
  if (selector.is_string()) return std::string(selector.AsString());
  const bool plain =
      !selector["matchLabels"].is_object() && !selector["matchExpressions"].is_array();
  std::vector<std::pair<std::string, std::string>> parts;  // Key, text.
  for (const auto& [key, value] : (plain ? selector : selector["matchLabels"]).members()) {
    if (value.is_string()) {
      parts.emplace_back(key, StrCat(key, "=", std::string(value.AsString())));
    }
  }
  for (const Json& requirement : selector["matchExpressions"].items()) {
    parts.emplace_back(requirement["key"].AsString(), RequirementText(requirement));
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return absl::StrJoin(parts, ",",
                       [](std::string* out, const auto& part) { StrAppend(out, part.second); });
}

// Whether the body is a scale of the request's object. Errors: 400.
absl::Status CheckScale(const ApiRequest& request, const Json& scale) {
  if (scale["apiVersion"].AsString(kVersion) != kVersion ||
      scale["kind"].AsString(kKind) != kKind) {
    return BadRequest(StrCat("the scale of an object is of ", kVersion, ", kind ", kKind));
  }
  const std::string_view name = scale["metadata"]["name"].AsString();
  if (name.empty()) {
    return BadRequest(StrCat("the name of the object (", request.name,
                             " based on URL) was undeterminable: name must be provided"));
  }
  if (name != request.name) return WrongName(request, name);
  const std::string_view ns = scale["metadata"]["namespace"].AsString();
  if (!ns.empty() && ns != request.ns) {
    return BadRequest(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  const Json& replicas = scale["spec"]["replicas"];
  if (!replicas.is_null() && (!replicas.is_int() || replicas.AsInt() > INT32_MAX)) {
    return BadRequest("spec.replicas must be a whole number of 32 bits");
  }
  return absl::OkStatus();
}

// The object with the replicas of `scale`. Errors: 422.
absl::StatusOr<Json> WithReplicas(const ApiRequest& request, const Json& current,
                                  const Json& scale) {
  const Json& replicas = scale["spec"]["replicas"];
  if (replicas.AsInt() < 0) {
    const std::string field = "." + absl::StrJoin(request.type->scale->replicas, ".");
    return Invalid(request.subject(),
                   {FieldInvalid(field, replicas, "should be a non-negative integer")});
  }
  Json next = current;
  Json* at = &next;
  for (const std::string& step : request.type->scale->replicas) at = &(*at)[step];
  *at = Json(replicas.AsInt());
  // Preconditions travel in the scale's metadata.
  for (const char* key : {"resourceVersion", "uid"}) {
    const std::string_view value = scale["metadata"][key].AsString();
    if (!value.empty()) next["metadata"].Set(key, value);
  }
  return next;
}

// An object that says nothing of replicas can be scaled nevertheless: it counts as having none.
Json WithSomeReplicas(const ApiRequest& request, const Json& current) {
  Json object = current;
  if (WalkPath(object, request.type->scale->replicas).is_null()) {
    Json* at = &object;
    for (const std::string& step : request.type->scale->replicas) at = &(*at)[step];
    *at = Json(0);
  }
  return object;
}

}  // namespace

absl::StatusOr<Json> ScaleOf(const ResourceType& type, const Json& object) {
  if (!type.scale.has_value()) return PathNotFound();
  const Json& replicas = WalkPath(object, type.scale->replicas);
  if (replicas.is_null()) {
    return InternalError(StrCat("the spec replicas field \".",
                                absl::StrJoin(type.scale->replicas, "."), "\" does not exist"));
  }
  Json metadata = Json::MakeObject();
  for (const char* key : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (const Json* value = object["metadata"].Find(key)) metadata.Set(key, *value);
  }
  Json status =
      Json::MakeObject({{"replicas", WalkPath(object, type.scale->status_replicas).AsInt()}});
  const std::string selector =
      type.scale->selector.empty() ? "" : SelectorText(WalkPath(object, type.scale->selector));
  if (!selector.empty()) status.Set("selector", selector);
  Json spec = Json::MakeObject();
  // None is left out, as by the real server.
  if (replicas.AsInt() != 0) spec.Set("replicas", replicas.AsInt());
  return Json::MakeObject({{"kind", kKind},
                           {"apiVersion", kVersion},
                           {"metadata", std::move(metadata)},
                           {"spec", std::move(spec)},
                           {"status", std::move(status)}});
}

net::Awaitable<WriteResult> WriteScale(std::shared_ptr<Core> core, const ApiRequest& request) {
  if (!request.type->scale.has_value()) co_return PathNotFound();
  // The object is updated through its main endpoint, so that its rules and generation hold.
  ApiRequest update = request;
  update.subresource.clear();
  update.via = "scale";
  Change change = [&request](const Json& current) -> absl::StatusOr<Json> {
    Json scale;
    if (request.verb == Verb::kPatch) {
      BTH_ASSIGN_OR_RETURN(scale, ScaleOf(*request.type, WithSomeReplicas(request, current)));
      BTH_ASSIGN_OR_RETURN(scale, ApplyPatchBody(request, scale));
    } else {
      BTH_ASSIGN_OR_RETURN(scale, ReadJsonBody(request));
    }
    BTH_RETURN_IF_ERROR(CheckScale(request, scale));
    return WithReplicas(request, current, scale);
  };
  WriteResult result = co_await Update(core, update, std::move(change));
  if (!result.ok()) co_return result;
  absl::StatusOr<Json> scale = ScaleOf(*request.type, result->object);
  if (!scale.ok()) co_return scale.status();
  result->object = *std::move(scale);
  co_return result;
}

net::Awaitable<WriteResult> FinalizeNamespace(std::shared_ptr<Core> core,
                                              const ApiRequest& request) {
  absl::StatusOr<Json> body = ReadJsonBody(request);
  if (!body.ok()) co_return body.status();
  ApiRequest update = request;
  update.subresource.clear();
  update.via = "finalize";
  Change change = [&body](const Json& current) -> absl::StatusOr<Json> {
    Json next = current;
    const Json& given = *body;
    next["spec"].Set("finalizers", given["spec"]["finalizers"]);
    if (next["spec"]["finalizers"].empty()) next["spec"].Erase("finalizers");
    const std::string_view revision = given["metadata"]["resourceVersion"].AsString();
    if (!revision.empty()) next["metadata"].Set("resourceVersion", revision);
    return next;
  };
  WriteResult result = co_await Update(core, update, std::move(change));
  co_return result;
}

}  // namespace bth::apiserver
