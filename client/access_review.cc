#include "client/access_review.h"

#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "client/api_error.h"
#include "net/pem.h"

namespace bth::client {
namespace {

using types::Json;

// Counts a caller as long as its coroutine lives.
class Turn final {
 public:
  explicit Turn(int& count) : count_(count) { ++count_; }
  Turn(const Turn&) = delete;
  ~Turn() { --count_; }

 private:
  int& count_;
};

Json ReviewOf(const char* group, const char* kind, Json spec) {
  return Json::MakeObject(
      {{"apiVersion", StrCat(group, "/v1")}, {"kind", kind}, {"spec", std::move(spec)}});
}

Json TokenReviewOf(const std::string& token) {
  return ReviewOf("authentication.k8s.io", "TokenReview", Json::MakeObject({{"token", token}}));
}

Json SubjectAccessReviewOf(const Json& user, const std::string& path) {
  Json spec = Json::MakeObject(
      {{"user", user["username"]},
       {"nonResourceAttributes", Json::MakeObject({{"path", path}, {"verb", "get"}})}});
  for (const char* field : {"groups", "uid", "extra"}) {
    if (!user[field].is_null()) spec.Set(field, user[field]);
  }
  return ReviewOf("authorization.k8s.io", "SubjectAccessReview", std::move(spec));
}

}  // namespace

AccessReview::AccessReview(ApiClient& api, AccessReviewOptions options)
    : api_(api),
      options_(options),
      owners_(static_cast<size_t>(options.tokens_max)),
      unknown_(static_cast<size_t>(options.tokens_max)),
      decisions_(static_cast<size_t>(options.decisions_max)) {}

net::Awaitable<absl::StatusOr<AccessAnswer>> AccessReview::Ask(std::string token,
                                                               std::string path) {
  const std::string digest = net::Sha256Hex(token);
  if (const Unknown* unknown = unknown_.Find(digest); unknown != nullptr && now() < unknown->until)
    co_return AccessAnswer{};
  if (asking_ >= options_.asking_max) co_return AccessAnswer{Access::kBusy, ""};
  const Turn turn(asking_);
  BTH_CO_ASSIGN_OR_RETURN(Json user, co_await OwnerOf(std::move(token), digest));
  if (user.is_null()) co_return AccessAnswer{};
  AccessAnswer answer{Access::kForbidden, std::string(std::as_const(user)["username"].AsString())};
  const std::string key = net::Sha256Hex(StrCat(digest, path));
  BTH_CO_ASSIGN_OR_RETURN(const bool allowed,
                          co_await MayGet(std::move(user), std::move(path), key));
  if (allowed) answer.access = Access::kAllowed;
  co_return answer;
}

net::Awaitable<absl::StatusOr<Json>> AccessReview::OwnerOf(std::string token, std::string digest) {
  if (const Owner* known = owners_.Find(digest); known != nullptr && now() < known->until)
    co_return known->user;
  BTH_CO_ASSIGN_OR_RETURN(const Json review, co_await Post("authentication.k8s.io", "tokenreviews",
                                                           TokenReviewOf(token)));
  const Json& status = review["status"];
  const Json& user = status["user"];
  const absl::Duration until = now() + options_.keep_for;
  if (!status["authenticated"].AsBool() || user["username"].AsString().empty()) {
    unknown_.Touch(digest).until = until;
    co_return Json();
  }
  owners_.Touch(digest) = {until, user};
  co_return user;
}

net::Awaitable<absl::StatusOr<bool>> AccessReview::MayGet(Json user, std::string path,
                                                          std::string digest) {
  if (const Decision* known = decisions_.Find(digest); known != nullptr && now() < known->until)
    co_return known->allowed;
  BTH_CO_ASSIGN_OR_RETURN(const Json review,
                          co_await Post("authorization.k8s.io", "subjectaccessreviews",
                                        SubjectAccessReviewOf(user, path)));
  const Json& status = review["status"];
  const bool allowed = status["allowed"].AsBool() && !status["denied"].AsBool();
  decisions_.Touch(digest) = {now() + options_.keep_for, allowed};
  co_return allowed;
}

net::Awaitable<absl::StatusOr<Json>> AccessReview::Post(std::string group, std::string resource,
                                                        Json review) {
  ApiPath path{resource, StrCat("/apis/", group, "/v1/", resource)};
  std::string body = review.Dump();
  const ApiClient::Text text = co_await api_.Create(std::move(path), std::move(body));
  if (!text.ok()) co_return WithContext(text.status(), resource);
  absl::StatusOr<Json> answer = Json::Parse(*text);
  if (!answer.ok()) co_return Annotate(answer.status(), resource);
  if (!(*answer)["status"].is_object()) {
    co_return absl::InternalError(StrCat(resource, ": the answer has no status"));
  }
  co_return answer;
}

}  // namespace bth::client
