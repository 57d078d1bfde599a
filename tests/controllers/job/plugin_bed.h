// The Job controller with the real plugins.
#pragma once

#include <string>

#include "base/strings.h"
#include "controllers/job_plugins/job_plugin.h"
#include "tests/controllers/job/job_bed.h"

namespace bth::test {

struct PluginBed : JobBed {
  // For the spec of a job.
  static constexpr const char* kPlugins = R"("plugins":{"env":[],"svc":[],"ssh":[]})";
  // What is recorded of them.
  static constexpr const char* kAll =
      R"({"plugin-env":"env","plugin-ssh":"ssh","plugin-svc":"svc"})";

  PluginBed() {
    make_plugins = [](const types::BatchJobSpec& spec, const controllers::JobPluginTools&) {
      static const auto* const kTools = new controllers::JobPluginTools{[] {
        return controllers::SshKeys{"private\n", "public\n"};
      }};
      return controllers::MakeJobPlugins(spec, *kTools);
    };
    StartJobs();
  }
  static std::string Object(const std::string& path) {
    return "/api/v1/namespaces/default/" + path;
  }
  bool Exists(const std::string& path) { return Call("GET", path).code == 200; }
  // Of job "j".
  int Objects() {
    int count = 0;
    for (const std::string& path :
         {Object("services/j"), Object("configmaps/j-svc"), Object("secrets/j-ssh"),
          std::string("/apis/networking.k8s.io/v1/namespaces/default/networkpolicies/j")}) {
      count += Exists(path) ? 1 : 0;
    }
    return count;
  }
  bool ObjectsExist() { return Objects() == 4; }
  bool ObjectsAreGone() { return Objects() == 0; }
  // Whether what job "j" tells of its plugins is `all`.
  bool Records(const std::string& all) {
    types::Json recorded = Job("j").At({"status", "controlledResources"});
    recorded.Erase("command");  // The one that was carried out last.
    return recorded == *types::Json::Parse(all);
  }
};

}  // namespace bth::test
