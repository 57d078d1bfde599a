#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "apiserver/discovery/discovery.h"
#include "apiserver/rest/output.h"
#include "base/strings.h"
#include "net/text_response.h"

namespace bth::apiserver {
namespace {

net::Response Document(const Json& json) {
  return JsonResponse(200, json.Dump());
}

bool WantsAggregated(const net::Request& request) {
  for (const MediaType& media : ParseAccept(request.headers.Get("accept"))) {
    if (media.type == "application/json" && media.as == "APIGroupDiscoveryList" &&
        media.version == "v2") {
      return true;
    }
    // An earlier plain type is preferred.
    if (media.type == "application/json" && media.as.empty()) return false;
  }
  return false;
}

net::Response Aggregated(const Core& core, bool core_group) {
  net::Response response = Document(AggregatedDocument(core.registry, core_group));
  response.headers.Set("Content-Type",
                       "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
  response.headers.Set("Vary", "Accept");
  return response;
}

Json VersionDocument() {
  return Json::MakeObject({{"major", "1"},
                           {"minor", "36"},
                           {"gitVersion", kGitVersion},
                           {"gitCommit", ""},
                           {"gitTreeState", "clean"},
                           {"buildDate", "2026-01-01T00:00:00Z"},
                           {"goVersion", ""},
                           {"compiler", "gcc"},
                           {"platform", "linux/amd64"}});
}

Json LegacyVersions() {
  return Json::MakeObject({{"kind", "APIVersions"},
                           {"versions", Json::MakeArray({"v1"})},
                           {"serverAddressByClientCIDRs", Json::MakeArray()}});
}

net::Response HealthAnswer(const Core& core, const net::Target& target) {
  if (!core.store->health().ok()) {
    return net::TextResponse(500,
                             StrCat("[-]storage failed: ", core.store->health().message(), "\n"));
  }
  if (target.HasQuery("verbose")) {
    return net::TextResponse(200,
                             StrCat("[+]storage ok\n", target.path.substr(1), " check passed\n"));
  }
  return net::TextResponse(200, "ok");
}

net::Response PathList(const Registry& registry) {
  Json::Array paths = {"/api", "/api/v1", "/apis"};
  for (const GroupVersions& group : registry.Groups()) {
    if (group.group.empty()) continue;
    paths.emplace_back(StrCat("/apis/", group.group));
    for (const std::string& version : group.versions) {
      paths.emplace_back(StrCat("/apis/", group.group, "/", version));
    }
  }
  for (const char* path :
       {"/healthz", "/livez", "/metrics", "/openapi/v2", "/openapi/v3", "/readyz", "/version"}) {
    paths.emplace_back(path);
  }
  return Document(Json::MakeObject({{"paths", Json(std::move(paths))}}));
}

std::optional<net::Response> OrNotFound(std::optional<Json> document) {
  if (!document.has_value()) return ErrorResponse(PathNotFound());
  return Document(*document);
}

// Everything below /openapi.
std::optional<net::Response> OpenApi(const Core& core, const net::Request& request,
                                     const std::vector<std::string>& steps) {
  if (steps.size() == 2 && steps[1] == "v2") {
    // Clients that take nothing but protobuf go on without the document.
    const std::vector<MediaType> accepted = ParseAccept(request.headers.Get("accept"));
    for (const MediaType& media : accepted) {
      if (media.type == "application/json" || media.type == "*/*")
        return Document(OpenApiV2(core.registry));
    }
    if (accepted.empty()) return Document(OpenApiV2(core.registry));
    return ErrorResponse(NotAcceptable("application/json"));
  }
  if (steps.size() < 2 || steps[1] != "v3") return ErrorResponse(PathNotFound());
  if (steps.size() == 2) return Document(OpenApiIndex(core.registry));
  if (steps.size() == 4 && steps[2] == "api") {
    return OrNotFound(OpenApiV3(core.registry, "", steps[3]));
  }
  if (steps.size() == 5 && steps[2] == "apis") {
    return OrNotFound(OpenApiV3(core.registry, steps[3], steps[4]));
  }
  return ErrorResponse(PathNotFound());
}

// Below /api and /apis, as far as it is no resource.
std::optional<net::Response> Groups(const Core& core, const net::Request& request,
                                    const std::vector<std::string>& steps) {
  const Registry& registry = core.registry;
  if (steps[0] == "api") {
    if (steps.size() == 1) {
      return WantsAggregated(request) ? Aggregated(core, true) : Document(LegacyVersions());
    }
    if (steps.size() == 2 && steps[1] == "v1") {
      return Document(ResourceListDocument(registry, "", "v1"));
    }
    return std::nullopt;
  }
  if (steps.size() == 1) {
    return WantsAggregated(request) ? Aggregated(core, false)
                                    : Document(GroupListDocument(registry));
  }
  if (steps.size() == 2) return OrNotFound(GroupDocument(registry, steps[1]));
  if (steps.size() == 3 && registry.Serves(steps[1], steps[2])) {
    return Document(ResourceListDocument(registry, steps[1], steps[2]));
  }
  return std::nullopt;
}

}  // namespace

std::optional<net::Response> ServeDocument(const Core& core, const net::Request& request,
                                           const net::Target& target) {
  const std::vector<std::string> steps = SplitText(target.path, '/', absl::SkipEmpty());
  if (request.method != "GET" && request.method != "HEAD") return std::nullopt;
  if (steps.empty()) return PathList(core.registry);
  const std::string& root = steps[0];
  if (root == "healthz" || root == "livez" || root == "readyz") return HealthAnswer(core, target);
  if (root == "version") return Document(VersionDocument());
  if (root == "metrics") {
    net::Response response = net::TextResponse(200, MetricsText(core));
    response.headers.Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    return response;
  }
  if (root == "openapi") return OpenApi(core, request, steps);
  if (root == "api" || root == "apis") return Groups(core, request, steps);
  return ErrorResponse(PathNotFound());
}

}  // namespace bth::apiserver
