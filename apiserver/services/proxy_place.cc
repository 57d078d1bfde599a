#include "apiserver/services/proxy_place.h"

#include <utility>
#include <vector>

#include "apiserver/rest/errors.h"
#include "base/strings.h"
#include "net/http.h"

namespace bth::apiserver {
namespace {

constexpr std::string_view kNamespaces = "/api/v1/namespaces/";

// Takes what stands before the next slash, and the slash.
std::string_view TakeSegment(std::string_view* rest) {
  const size_t slash = rest->find('/');
  const std::string_view segment = rest->substr(0, slash);
  rest->remove_prefix(slash == rest->npos ? rest->size() : slash + 1);
  return segment;
}

std::optional<std::string> DecodedSegment(std::string_view segment) {
  const absl::StatusOr<net::Target> target = net::ParseTarget(StrCat("/", segment));
  if (!target.ok()) return std::nullopt;
  return target->path.substr(1);
}

// "NAME", "NAME:PORT" or "SCHEME:NAME:PORT"; false: none of them.
bool ReadServiceId(const std::string& id, ProxyPlace* place) {
  std::vector<std::string> parts = SplitText(id, ':');
  if (parts.size() > 3) return false;
  if (parts.size() == 3) {
    if (parts[0] != "https" && parts[0] != "http" && !parts[0].empty()) return false;
    place->tls = parts[0] == "https";
    parts.erase(parts.begin());
  }
  place->service.name = parts[0];
  if (parts.size() == 2) place->port = parts[1];
  return !place->service.name.empty() && !StrContains(place->service.name, "/");
}

}  // namespace

std::optional<absl::StatusOr<ProxyPlace>> ReadProxyPlace(std::string_view target) {
  const size_t question = target.find('?');
  std::string_view rest = target.substr(0, question);
  const std::string_view whole = rest;
  if (!rest.starts_with(kNamespaces)) return std::nullopt;
  rest.remove_prefix(kNamespaces.size());
  const std::string_view ns = TakeSegment(&rest);
  if (TakeSegment(&rest) != "services") return std::nullopt;
  const std::string_view id = TakeSegment(&rest);
  const bool goes_on = rest.starts_with("proxy/");
  if (!goes_on && rest != "proxy") return std::nullopt;
  ProxyPlace place;
  if (goes_on) place.path = rest.substr(std::string_view("proxy").size());
  place.prefix = whole.substr(0, whole.size() - place.path.size());
  if (question != target.npos) place.query = target.substr(question);
  const std::optional<std::string> in = DecodedSegment(ns);
  const std::optional<std::string> named = DecodedSegment(id);
  if (!in.has_value() || in->empty() || !named.has_value() || !ReadServiceId(*named, &place)) {
    return BadRequest(StrCat("invalid service request \"", named.value_or(std::string(id)), "\""));
  }
  place.service.ns = *in;
  return place;
}

}  // namespace bth::apiserver
