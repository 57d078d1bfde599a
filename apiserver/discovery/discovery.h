// Documents about the server itself: versions, groups, resources, OpenAPI, health, metrics.
#pragma once

#include <optional>
#include <string>

#include "apiserver/rest/core.h"
#include "net/http.h"

namespace bth::apiserver {

// The Kubernetes version whose behaviour is followed.
inline constexpr std::string_view kGitVersion = "v1.36.1-batholith";

// Nothing when the path is not that of a document, so that it must be a resource.
std::optional<net::Response> ServeDocument(const Core& core, const net::Request& request,
                                           const net::Target& target);

// discovery/groups.cc
Json GroupListDocument(const Registry& registry);
std::optional<Json> GroupDocument(const Registry& registry, std::string_view group);
Json ResourceListDocument(const Registry& registry, std::string_view group,
                          std::string_view version);
// APIGroupDiscoveryList of the core group, or of all others.
Json AggregatedDocument(const Registry& registry, bool core_group);
// The verbs of a resource.
Json VerbsOf(const ResourceType& type);

// discovery/openapi.cc
Json OpenApiIndex(const Registry& registry);
std::optional<Json> OpenApiV3(const Registry& registry, std::string_view group,
                              std::string_view version);
Json OpenApiV2(const Registry& registry);

// discovery/metrics.cc
std::string MetricsText(const Core& core);

}  // namespace bth::apiserver
