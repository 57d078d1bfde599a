// The schemas of kinds as OpenAPI documents publish them.
#pragma once

#include <string>
#include <vector>

#include "apiserver/registry/resource_type.h"

namespace bth::apiserver {

// "io.k8s.api.apps.v1.Deployment", "sh.volcano.batch.v1alpha1.Job".
std::string PublishedName(const ResourceType& type);

// The schemas of the resources and of all they refer to, by name. References begin with `root`
// ("#/components/schemas/"). Custom resources are described by their definitions, built-in kinds
// by their fields.
Json PublishedSchemas(const std::vector<ResourceTypePtr>& types, const std::string& root);

// The same schema as OpenAPI v2 can say it: without junctors, null and defaults.
Json ForOpenApiV2(const Json& schema);

}  // namespace bth::apiserver
