#include "apiserver/webhooks/endpoint.h"

#include <algorithm>
#include <utility>

#include "apiserver/services/locate.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

constexpr size_t kUrlBytesMax = 4096;

absl::Status ReadAuthority(UrlParts& url) {
  if (const size_t at = url.authority.rfind('@'); at != std::string::npos) {
    url.user = url.authority.substr(0, at);
    url.authority.erase(0, at + 1);
  }
  const std::string_view rest = url.authority;
  std::string_view port;
  if (rest.starts_with('[')) {
    const size_t end = rest.find(']');
    if (end == rest.npos) return absl::InvalidArgumentError("missing ']' in host");
    url.host = rest.substr(1, end - 1);
    port = rest.substr(end + 1);
  } else {
    const size_t colon = rest.find(':');
    url.host = rest.substr(0, colon);
    port = colon == rest.npos ? "" : rest.substr(colon);
  }
  if (port.empty() || port == ":") return absl::OkStatus();
  int number = 0;
  if (port.front() != ':' || !SimpleAtoi(port.substr(1), &number) || number < 1 || number > 65535) {
    return absl::InvalidArgumentError(StrCat("invalid port \"", port, "\" after host"));
  }
  url.port = static_cast<uint16_t>(number);
  return absl::OkStatus();
}

int64_t WholeSeconds(absl::Duration timeout) {
  return std::max<int64_t>(1, absl::ToInt64Seconds(absl::Ceil(timeout, absl::Seconds(1))));
}

}  // namespace

absl::StatusOr<UrlParts> ReadUrl(std::string_view text) {
  UrlParts url;
  if (text.size() > kUrlBytesMax) return absl::InvalidArgumentError("the URL is too long");
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == ' ') {
      return absl::InvalidArgumentError("invalid character in URL");
    }
  }
  if (const size_t hash = text.find('#'); hash != text.npos) {
    url.fragment = text.substr(hash + 1);
    text = text.substr(0, hash);
  }
  if (const size_t mark = text.find('?'); mark != text.npos) {
    url.query = text.substr(mark + 1);
    text = text.substr(0, mark);
  }
  if (const size_t colon = text.find("://"); colon != text.npos) {
    url.scheme = text.substr(0, colon);
    text.remove_prefix(colon + 3);
    const size_t slash = std::min(text.find('/'), text.size());
    url.authority = text.substr(0, slash);
    text.remove_prefix(slash);
    BTH_RETURN_IF_ERROR(ReadAuthority(url));
  }
  url.path = text;
  return url;
}

CallPlace PlaceOf(const Core& core, const ClientConfig& client, absl::Duration timeout) {
  CallPlace place;
  const std::string query = StrCat("?timeout=", WholeSeconds(timeout), "s");
  if (client.service.has_value()) {
    const ServiceReference& service = *client.service;
    const std::string name = StrCat(service.name, ".", service.ns, ".svc");
    std::string path = service.path;
    if (!path.starts_with('/')) path.insert(0, "/");
    place.target = StrCat(path, query);
    place.url = StrCat("https://", name, ":", service.port, place.target);
    const absl::StatusOr<ServiceAddress> address =
        LocateService(core, {service.ns, service.name}, StrCat(service.port));
    if (!address.ok()) {
      place.endpoint = address.status();
    } else {
      place.endpoint = Endpoint{address->host, address->port, name, client.ca_pem};
    }
    return place;
  }
  const absl::StatusOr<UrlParts> url = ReadUrl(client.url);
  place.url = StrCat(client.url, query);
  if (!url.ok()) {
    place.endpoint = url.status();
    return place;
  }
  place.target = StrCat(url->path.empty() ? "/" : url->path, query);
  place.url = StrCat("https://", url->authority, place.target);
  const uint16_t port = url->port == 0 ? 443 : url->port;
  place.endpoint = Endpoint{url->host, port, url->host, client.ca_pem};
  return place;
}

}  // namespace bth::apiserver
