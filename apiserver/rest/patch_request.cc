#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/types/time.h"
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
                                        StrCat("the server rejected our request due to an "
                                               "error in our request: ",
                                               status.message()),
                                        "patch"}});
  }
  return BadRequest(ToStd(status.message()));
}

// Checks the parameters that only applies have. Errors: 400, 422.
absl::Status CheckManager(const ApiRequest& request) {
  std::vector<Cause> causes;
  const std::string_view manager = request.target.Query("fieldManager");
  if (manager.size() > kManagerBytesMax) {
    causes.push_back({"FieldValueTooLong",
                      StrCat("Too long: may not be more than ", kManagerBytesMax, " bytes"),
                      "fieldManager"});
  }
  if (IsApply(request)) {
    if (manager.empty()) {
      causes.push_back(FieldRequired("fieldManager", "is required for apply patch"));
    }
  } else if (request.target.HasQuery("force")) {
    causes.push_back(FieldForbidden("force", "may not be specified for non-apply patch"));
  }
  if (!causes.empty()) return Invalid({"meta.k8s.io", "", "PatchOptions", ""}, causes);
  return absl::OkStatus();
}

absl::StatusOr<Json> ReadConfiguration(const ApiRequest& request) {
  BTH_ASSIGN_OR_RETURN(Json body, ReadApplyBody(request));
  BTH_RETURN_IF_ERROR(MatchRequest(request, body));
  const std::string name(std::as_const(body)["metadata"]["name"].AsString());
  if (name.empty()) {
    return BadRequest(StrCat("the name of the object (", request.name,
                             " based on URL) was undeterminable: name must be provided"));
  }
  if (name != request.name) return WrongName(request, name);
  return body;
}

// The first apply of an object makes it.
net::Awaitable<WriteResult> CreateByApply(std::shared_ptr<Core> core, const ApiRequest& request,
                                          ApplyInput input) {
  if (!request.subresource.empty()) co_return NotFound(request.subject());
  const std::string uid(input.configuration["metadata"]["uid"].AsString());
  if (!uid.empty()) {
    co_return Conflict(request.subject(), StrCat("uid mismatch: the provided object specified uid ",
                                                 uid, ", and no existing object was found"));
  }
  absl::StatusOr<Json> object = ServerSideApply(*request.type, input);
  if (!object.ok()) co_return object.status();
  // A version cannot be a precondition of what is not there.
  (*object)["metadata"].Erase("resourceVersion");
  Json made = *std::move(object);
  WriteResult created = co_await Create(core, request, std::move(made));
  co_return created;
}

net::Awaitable<WriteResult> Apply(std::shared_ptr<Core> core, const ApiRequest& request) {
  absl::StatusOr<bool> force = QueryBool(request.target, "force");
  if (!force.ok()) co_return force.status();
  absl::StatusOr<Json> body = ReadConfiguration(request);
  if (!body.ok()) co_return body.status();
  const std::string manager(request.target.Query("fieldManager"));
  const std::string now = types::FormatTimestamp(core->Now());
  const Json nothing;
  const Collection& collection = core->CollectionOf(*request.type);
  if (collection.Get(request.key()) == nullptr) {
    ApplyInput input{nothing, *body, manager, *force, now, request.subresource};
    WriteResult created = co_await CreateByApply(core, request, std::move(input));
    // Somebody may have made it while admission was asked; then it is there to be changed.
    const bool raced = !created.ok() && HttpCode(created.status()) == 409 &&
                       collection.Get(request.key()) != nullptr;
    if (!raced) co_return created;
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
    return UnsupportedMediaType(StrCat(
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
  BTH_CO_RETURN_IF_ERROR(CheckManager(request));
  if (IsApply(request)) {
    WriteResult applied = co_await Apply(core, request);
    co_return applied;
  }
  Change change = [&request](const Json& current) { return ApplyPatchBody(request, current); };
  WriteResult result = co_await Update(core, request, std::move(change));
  co_return result;
}

}  // namespace bth::apiserver
