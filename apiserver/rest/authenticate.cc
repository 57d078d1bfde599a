#include "apiserver/rest/authenticate.h"

#include <algorithm>
#include <string>

#include "apiserver/rest/errors.h"

namespace bth::apiserver {
namespace {

constexpr std::string_view kKnownGroup = "system:authenticated";
constexpr std::string_view kStranger = "system:anonymous";
constexpr std::string_view kStrangers = "system:unauthenticated";

bool IsIn(const User& user, std::string_view group) {
  return std::find(user.groups.begin(), user.groups.end(), group) != user.groups.end();
}

void AddKnownGroup(User& user) {
  if (!IsIn(user, kKnownGroup)) user.groups.emplace_back(kKnownGroup);
}

}  // namespace

std::optional<User> OwnerOf(const Core& core, std::string_view token) {
  const auto known = core.tokens.find(std::string(token));
  if (known == core.tokens.end()) return std::nullopt;
  User user = known->second;
  AddKnownGroup(user);
  return user;
}

absl::StatusOr<User> Authenticate(const Core& core, const net::Request& request) {
  User user;
  if (!request.peer.certificate_common_name.empty()) {
    user.name = request.peer.certificate_common_name;
    user.groups = request.peer.certificate_organizations;
    AddKnownGroup(user);
    return user;
  }
  if (core.tokens.empty()) return user;
  std::string_view header = request.headers.Get("authorization");
  if (!header.starts_with("Bearer ")) return Unauthorized();
  header.remove_prefix(7);
  const std::optional<User> owner = OwnerOf(core, header);
  if (!owner.has_value()) return Unauthorized();
  return *owner;
}

bool IsOpenPath(std::string_view path) {
  return path.starts_with("/healthz") || path.starts_with("/livez") ||
         path.starts_with("/readyz") || path == "/version" || path == "/version/";
}

bool MayDo(const Core& core, const User& user, std::string_view path) {
  const bool stranger = user.name == kStranger || IsIn(user, kStrangers);
  return core.tokens.empty() || !stranger || IsOpenPath(path);
}

}  // namespace bth::apiserver
