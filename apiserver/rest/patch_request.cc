#include <utility>

#include "absl/strings/str_cat.h"
#include "apiserver/patch/apply.h"
#include "apiserver/rest/metadata.h"
#include "apiserver/rest/output.h"
#include "apiserver/rest/read.h"
#include "apiserver/rest/write.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

std::string_view ContentType(const ApiRequest& request) {
  std::string_view type = request.headers.Get("content-type");
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  return type;
}

// Errors of the patch languages in the API's words.
absl::Status PatchFailure(const ApiRequest& request, bool json, const absl::Status& status) {
  if (json) {
    return Invalid(request.subject(), {{"FieldValueInvalid",
                                        absl::StrCat("the server rejected our request due to an "
                                                     "error in our request: ",
                                                     status.message()),
                                        "patch"}});
  }
  return BadRequest(ToStd(status.message()));
}

net::Awaitable<WriteResult> Apply(std::shared_ptr<Core> core, const ApiRequest& request) {
  absl::StatusOr<Json> body = ReadApplyBody(request);
  if (!body.ok()) co_return body.status();
  const std::string manager(request.target.Query("fieldManager"));
  if (manager.empty()) {
    co_return Invalid({"meta.k8s.io", "", "PatchOptions", ""},
                      {FieldRequired("fieldManager", "is required for apply patch")});
  }
  absl::StatusOr<bool> force = QueryBool(request.target, "force");
  if (!force.ok()) co_return force.status();
  BTH_CO_RETURN_IF_ERROR(MatchRequest(request, *body));
  const std::string name(std::as_const(*body)["metadata"]["name"].AsString());
  if (name.empty()) {
    co_return BadRequest(absl::StrCat("the name of the object (", request.name,
                                      " based on URL) was undeterminable: name must be provided"));
  }
  if (name != request.name) co_return WrongName(request, name);
  const std::string now = TimeText(core->Now());
  const Json nothing;
  if (core->CollectionOf(*request.type).Get(request.key()) == nullptr) {
    if (!request.subresource.empty()) co_return NotFound(request.subject());
    ApplyInput input{nothing, *body, manager, *force, now, request.subresource};
    absl::StatusOr<Json> object = ServerSideApply(*request.type, input);
    if (!object.ok()) co_return object.status();
    Json made = *std::move(object);
    WriteResult created = co_await Create(core, request, std::move(made));
    co_return created;
  }
  Change change = [&](const Json& current) -> absl::StatusOr<Json> {
    ApplyInput input{current, *body, manager, *force, now, request.subresource};
    return ServerSideApply(*request.type, input);
  };
  WriteResult result = co_await Update(core, request, std::move(change));
  co_return result;
}

}  // namespace

bool IsApply(const ApiRequest& request) {
  const std::string_view type = ContentType(request);
  return type == "application/apply-patch+yaml" || type == "application/apply-patch+json";
}

absl::StatusOr<Json> ReadApplyBody(const ApiRequest& request) {
  absl::StatusOr<Json> body = ParseJsonText(request.body);
  if (!body.ok() || !body->is_object()) {
    return BadRequest(
        "the apply configuration is not a JSON object; this server reads apply configurations as "
        "JSON only, which is a part of YAML");
  }
  return body;
}

absl::StatusOr<Json> ApplyPatchBody(const ApiRequest& request, const Json& object) {
  const std::string_view type = ContentType(request);
  const bool json = type == "application/json-patch+json";
  const bool merge = type == "application/merge-patch+json";
  const bool strategic = type == "application/strategic-merge-patch+json";
  if ((!json && !merge && !strategic) || (strategic && request.type->custom)) {
    return UnsupportedMediaType(absl::StrCat(
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
        request.type->custom ? "" : ", application/strategic-merge-patch+json"));
  }
  BTH_ASSIGN_OR_RETURN(const Json patch, ParseJsonText(request.body));
  if (json && !patch.is_array()) return BadRequest("a JSON patch must be an array");
  if (!json && !patch.is_object()) return BadRequest("the patch must be a JSON object");
  if (merge) return ApplyMergePatch(object, patch);
  absl::StatusOr<Json> result =
      json ? ApplyJsonPatch(object, patch)
           : ApplyStrategicPatch(object, patch, request.type->group, request.type->kind);
  if (!result.ok()) return PatchFailure(request, json, result.status());
  if (!result->is_object()) return BadRequest("the patch leaves no object");
  return result;
}

net::Awaitable<WriteResult> Patch(std::shared_ptr<Core> core, const ApiRequest& request) {
  if (IsApply(request)) {
    WriteResult applied = co_await Apply(core, request);
    co_return applied;
  }
  Change change = [&request](const Json& current) { return ApplyPatchBody(request, current); };
  WriteResult result = co_await Update(core, request, std::move(change));
  co_return result;
}

}  // namespace bth::apiserver
