#include <string>
#include <utility>

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

Json TokenStatus(const Core& core, const Json& review) {
  const std::string token(review["spec"]["token"].AsString());
  auto known = core.tokens.find(token);
  if (known == core.tokens.end()) {
    return Json::MakeObject({{"authenticated", false}, {"user", Json::MakeObject()}});
  }
  return Json::MakeObject({{"authenticated", true}, {"user", UserJson(known->second)}});
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
  Json status;
  if (kind == "TokenReview") {
    status = TokenStatus(core, review);
  } else if (kind == "SelfSubjectReview") {
    status = Json::MakeObject({{"userInfo", UserJson(request.user)}});
  } else if (kind == "SelfSubjectRulesReview") {
    status = RulesStatus();
  } else {
    status = Json::MakeObject({{"allowed", true}});
  }
  review.Set("status", std::move(status));
  Written written;
  written.object = std::move(review);
  written.created = true;
  return written;
}

}  // namespace bth::apiserver
