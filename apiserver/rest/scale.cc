#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "apiserver/patch/apply.h"
#include "apiserver/rest/metadata.h"
#include "apiserver/rest/output.h"
#include "apiserver/rest/subresources.h"
#include "base/status.h"

namespace bth::apiserver {
namespace {

const Json& Walk(const Json& object, const std::vector<std::string>& path) {
  const Json* at = &object;
  for (const std::string& step : path) at = &(*at)[step];
  return *at;
}

// "a=b,c=d" of matchLabels; a string stands for itself.
std::string SelectorText(const Json& selector) {
  if (selector.is_string()) return std::string(selector.AsString());
  const Json& labels = selector["matchLabels"].is_object() ? selector["matchLabels"] : selector;
  std::string text;
  for (const auto& [key, value] : labels.members()) {
    if (!value.is_string()) continue;
    absl::StrAppend(&text, text.empty() ? "" : ",", key, "=", std::string(value.AsString()));
  }
  return text;
}

// The object with the replicas of `scale`. Errors: 400, 409, 422.
absl::StatusOr<Json> WithReplicas(const ApiRequest& request, const Json& current,
                                  const Json& scale) {
  const Json& replicas = scale["spec"]["replicas"];
  if (!replicas.is_null() && (!replicas.is_int() || replicas.AsInt() < 0)) {
    return Invalid({"autoscaling", "", "Scale", request.name},
                   {FieldInvalid("spec.replicas", replicas, "must be greater than or equal to 0")});
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

}  // namespace

absl::StatusOr<Json> ScaleOf(const ResourceType& type, const Json& object) {
  if (!type.scale.has_value()) return PathNotFound();
  Json metadata = Json::MakeObject();
  for (const char* key : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (const Json* value = object["metadata"].Find(key)) metadata.Set(key, *value);
  }
  Json status = Json::MakeObject({{"replicas", Walk(object, type.scale->status_replicas).AsInt()}});
  const std::string selector =
      type.scale->selector.empty() ? "" : SelectorText(Walk(object, type.scale->selector));
  if (!selector.empty()) status.Set("selector", selector);
  return Json::MakeObject(
      {{"kind", "Scale"},
       {"apiVersion", "autoscaling/v1"},
       {"metadata", std::move(metadata)},
       {"spec", Json::MakeObject({{"replicas", Walk(object, type.scale->replicas).AsInt()}})},
       {"status", std::move(status)}});
}

net::Awaitable<WriteResult> WriteScale(std::shared_ptr<Core> core, const ApiRequest& request) {
  if (!request.type->scale.has_value()) co_return PathNotFound();
  // The object is updated through its main endpoint, so that its rules and generation hold.
  ApiRequest update = request;
  update.subresource.clear();
  Change change = [&request](const Json& current) -> absl::StatusOr<Json> {
    BTH_ASSIGN_OR_RETURN(Json scale, ScaleOf(*request.type, current));
    if (request.verb == Verb::kPatch) {
      BTH_ASSIGN_OR_RETURN(scale, ApplyPatchBody(request, scale));
    } else {
      BTH_ASSIGN_OR_RETURN(scale, ReadJsonBody(request));
    }
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
