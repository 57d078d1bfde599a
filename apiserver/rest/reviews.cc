#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/rest/authenticate.h"
#include "apiserver/rest/metadata.h"
#include "apiserver/rest/subresources.h"
#include "base/status.h"

namespace bth::apiserver {
namespace {

Json UserJson(const User& user) {
  Json::Array groups;
  for (const std::string& group : user.groups) groups.emplace_back(group);
  Json json = Json::MakeObject({{"username", user.name}, {"groups", Json(std::move(groups))}});
  if (!user.uid.empty()) json.Set("uid", user.uid);
  return json;
}

absl::StatusOr<Json> TokenStatus(const Core& core, const Json& review) {
  const std::string_view token = review["spec"]["token"].AsString();
  if (token.empty()) return BadRequest("spec.token: a TokenReview needs a token");
  const std::optional<User> owner = OwnerOf(core, token);
  if (!owner.has_value()) {
    return Json::MakeObject({{"authenticated", false},
                             {"user", Json::MakeObject()},
                             {"error", "the token is unknown here"}});
  }
  return Json::MakeObject({{"authenticated", true}, {"user", UserJson(*owner)}});
}

// What an access review must say. `self`: it is about the one who asks.
std::vector<Cause> CheckAccessReview(const Json& spec, bool self) {
  std::vector<Cause> causes;
  const Json& path = spec["nonResourceAttributes"];
  if (path.is_null() == spec["resourceAttributes"].is_null()) {
    const char* field = path.is_null() ? "spec.resourceAttributes" : "spec.nonResourceAttributes";
    causes.push_back(
        FieldInvalid(field, path, "give either resourceAttributes or nonResourceAttributes"));
  }
  if (!self && spec["user"].AsString().empty() && spec["groups"].empty()) {
    causes.push_back(FieldInvalid("spec.user", "", "give a user, or groups"));
  }
  return causes;
}

absl::StatusOr<Json> AccessStatus(const Core& core, const ApiRequest& request, const Json& review) {
  const Json& spec = review["spec"];
  const bool self = request.type->kind == "SelfSubjectAccessReview";
  const std::vector<Cause> causes = CheckAccessReview(spec, self);
  if (!causes.empty()) return Invalid(request.subject(), causes);
  User user = request.user;
  if (!self) {
    user.name = std::string(spec["user"].AsString());
    user.groups.clear();
    for (const Json& group : spec["groups"].items()) user.groups.emplace_back(group.AsString());
  }
  const bool allowed = MayDo(core, user, spec["nonResourceAttributes"]["path"].AsString());
  Json status = Json::MakeObject({{"allowed", allowed}});
  if (!allowed) status.Set("reason", "strangers may read the state of health and the version only");
  return status;
}

// Everybody who came in may do everything: there is no authorisation here.
Json RulesStatus() {
  const Json all = Json::MakeArray({"*"});
  return Json::MakeObject(
      {{"resourceRules", Json::MakeArray({Json::MakeObject(
                             {{"verbs", all}, {"apiGroups", all}, {"resources", all}})})},
       {"nonResourceRules",
        Json::MakeArray({Json::MakeObject({{"verbs", all}, {"nonResourceURLs", all}})})},
       {"incomplete", false}});
}

}  // namespace

WriteResult Review(const Core& core, const ApiRequest& request) {
  BTH_ASSIGN_OR_RETURN(Json review, ReadJsonBody(request));
  BTH_RETURN_IF_ERROR(MatchRequest(request, review));
  const std::string& kind = request.type->kind;
  absl::StatusOr<Json> status;
  if (kind == "TokenReview") {
    status = TokenStatus(core, std::as_const(review));
  } else if (kind == "SelfSubjectReview") {
    status = Json::MakeObject({{"userInfo", UserJson(request.user)}});
  } else if (kind == "SelfSubjectRulesReview") {
    status = RulesStatus();
  } else {
    status = AccessStatus(core, request, std::as_const(review));
  }
  if (!status.ok()) return status.status();
  review.Set("status", *std::move(status));
  Written written;
  written.object = std::move(review);
  written.created = true;
  return written;
}

}  // namespace bth::apiserver
