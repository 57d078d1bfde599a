// A job plugin that wants one ConfigMap and names it in each pod. It knows no arguments.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/types/config_map.h"
#include "base/strings.h"
#include "controllers/job/job_desk.h"

namespace bth::test {

class FakePlugin final : public controllers::JobPlugin {
 public:
  std::string_view name() const override { return "fake"; }
  absl::Status OnPodCreate(const types::BatchJob& job, controllers::PodDraft& pod) const override {
    pod.SetAnnotation("fake/map", job.meta.name + "-fake");
    return absl::OkStatus();
  }
  absl::StatusOr<std::vector<controllers::WantedObject>> OnJobAdd(
      const types::BatchJob& job) const override {
    using types::Json;
    controllers::WantedObject map;
    map.type = types::ResourceTraits<types::ConfigMap>::type();
    Json data = Json::MakeObject(
        {{"tasks", StrCat(job.spec.tasks.size())}, {"pods", StrCat(job.spec.tasks[0].replicas)}});
    map.object = Json::MakeObject({{"apiVersion", "v1"}, {"kind", "ConfigMap"}});
    map.object.Set("metadata", Json::MakeObject({{"name", job.meta.name + "-fake"}}));
    map.object.Set("data", std::move(data));
    map.compared = {"data"};
    std::vector<controllers::WantedObject> wanted;
    wanted.push_back(std::move(map));
    return wanted;
  }
  absl::StatusOr<std::vector<controllers::WantedObject>> OnJobUpdate(
      const types::BatchJob& job) const override {
    return OnJobAdd(job);
  }
  std::vector<controllers::ObjectName> OnJobDelete(const types::BatchJob& job) const override {
    return {{types::ResourceTraits<types::ConfigMap>::type(), job.meta.name + "-fake"}};
  }
};

inline absl::StatusOr<controllers::JobPlugins> MakeFakePlugins(const types::BatchJobSpec& spec,
                                                               const controllers::JobPluginTools&) {
  controllers::JobPlugins made;
  for (const auto& [name, arguments] : spec.plugins) {
    if (name != "fake") {
      return absl::InvalidArgumentError(StrCat("failed to get plugin ", name));
    }
    made.plugins.push_back(std::make_unique<FakePlugin>());
    for (const std::string& argument : arguments) {
      made.complaints.push_back("plugin fake: flag provided but not defined: " + argument);
    }
  }
  return made;
}

}  // namespace bth::test
