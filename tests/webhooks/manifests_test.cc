// The manifests of deploy/admission.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "admission/webhooks/configurations.h"
#include "admission/webhooks/review_handler.h"
#include "api/manifests/manifest.h"
#include "base/strings.h"
#include "cmd/common/webhook_flags.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"

namespace bth::admission {
namespace {

std::vector<Json> Manifests(const std::string& name) {
  const auto path = test::SourceRoot() / "deploy/admission" / name;
  return *manifests::ObjectsFromYaml(test::ReadFile(path), name);
}

// The container's command line, understood.
cmd::WebhookFlags DeployedFlags() {
  std::vector<std::string> args = {"vc-webhook-manager"};
  const Json deployment = Manifests("deployment.yaml").front();
  const Json& pod = deployment.At({"spec", "template", "spec"});
  for (const Json& arg : pod["containers"][0]["args"].items()) args.emplace_back(arg.AsString());
  std::vector<const char*> raw;
  for (const std::string& arg : args) raw.push_back(arg.c_str());
  cmd::WebhookFlags flags;
  cmd::FlagSet set("vc-webhook-manager", "");
  flags.AddTo(set);
  std::ostringstream err;
  REQUIRE(set.Parse(static_cast<int>(raw.size()), raw.data(), err).run);
  REQUIRE(flags.Check().ok());
  REQUIRE(flags.CheckFatal().ok());
  CHECK(flags.Notes().empty());
  return flags;
}

TEST_CASE("manifests: there is a configuration for each webhook that is enabled, as we make it",
          "[webhooks][deploy]") {
  const cmd::WebhookFlags flags = DeployedFlags();
  const WebhookAddress address{
      .ns = flags.webhook_namespace, .service = flags.webhook_service_name, .url = ""};
  std::map<std::string, Json> found;
  for (const Json& manifest : Manifests("webhooks.yaml")) {
    found[std::string(manifest.At({"metadata", "name"}).AsString())] = manifest;
  }
  const auto enabled = *ReadEnabledPaths(flags.enabled_admission);
  CHECK(found.size() == enabled.size());
  for (const Webhook* webhook : enabled) {
    INFO(webhook->path);
    Json wanted = MakeConfiguration(*webhook, address, "");
    wanted["webhooks"].MutableItems()[0]["clientConfig"].Erase("caBundle");
    CHECK(found[ConfigurationName(*webhook)].Pretty() == wanted.Pretty());
  }
}

TEST_CASE("manifests: where queues are checked the chart has our conditions and resources",
          "[webhooks][deploy]") {
  const auto path = test::SourceRoot() / "deploy/helm/batholith/templates/admission/webhooks.yaml";
  std::string chart;  // With one blank between words.
  for (const absl::string_view word :
       absl::StrSplit(test::ReadFile(path), absl::ByAnyChar(" \n"), absl::SkipEmpty())) {
    StrAppend(&chart, chart.empty() ? "" : " ", word);
  }
  const auto checked = [](const char* webhook) {
    const Json made = MakeConfiguration(*FindWebhook(webhook), {}, "", QueueCheck::kOn);
    return Json(made["webhooks"][size_t{0}]);
  };
  const Json groups = checked("/podgroups/validate");
  const Json& condition = groups["matchConditions"][size_t{0}];
  CHECK_THAT(chart,
             Catch::Contains(StrCat("- name: ", condition["name"].AsString(), " expression: >- ",
                                    condition["expression"].AsString(), " {{- end }}")));
  const Json pods = MakeConfiguration(*FindWebhook("/pods/validate"), {}, "");
  const Json& budget = pods["webhooks"][size_t{0}]["matchConditions"][size_t{0}];
  CHECK_THAT(chart, Catch::Contains(StrCat("- name: ", budget["name"].AsString(),
                                           " expression: >- ", budget["expression"].AsString())));
  const Json flows = checked("/jobflows/validate");
  CHECK_THAT(chart, Catch::Contains(StrCat(
                        ", ", flows["rules"][size_t{0}]["resources"][1].AsString(), "{{ end }}]")));
}

TEST_CASE("manifests: the role names the configurations and the Secret", "[webhooks][deploy]") {
  const cmd::WebhookFlags flags = DeployedFlags();
  std::vector<std::string> named;
  for (const Json& manifest : Manifests("rbac.yaml")) {
    for (const Json& rule : manifest["rules"].items()) {
      for (const Json& name : rule["resourceNames"].items()) named.emplace_back(name.AsString());
    }
  }
  std::vector<std::string> wanted = {flags.certificate_secret};
  const auto enabled = *ReadEnabledPaths(flags.enabled_admission);
  for (const Webhook* webhook : enabled) {
    wanted.push_back(ConfigurationName(*webhook));
  }
  std::sort(named.begin(), named.end());
  std::sort(wanted.begin(), wanted.end());
  CHECK(named == wanted);
}

}  // namespace
}  // namespace bth::admission
