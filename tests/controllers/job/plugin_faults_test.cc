// What plugins make, while servers refuse, others have its name, or controllers are killed.
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/controllers/death.h"
#include "tests/controllers/job/plugin_bed.h"
#include "tests/controllers/job/told_bed.h"

namespace bth::test {
namespace {

constexpr const char* kConfigMaps = "/api/v1/namespaces/default/configmaps";
constexpr const char* kFakeMap = "/api/v1/namespaces/default/configmaps/j-fake";
constexpr const char* kFake = R"("plugins":{"fake":[]})";

// As a server does whose quota of ConfigMaps is used up: whatever the name.
std::optional<Fault> RefuseMaps(const net::Request& request) {
  if (request.method != "POST" || !absl::EndsWith(request.target, "/configmaps")) {
    return std::nullopt;
  }
  return JobBed::OverQuota();
}

TEST_CASE("plugin objects: a quota that is used up does not end a job that has them",
          "[controllers][job]") {
  ToldBed bed;
  bed.options.max_requeue_num = 3;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("a", 1), kFake);
  REQUIRE(bed.Phase("j") == "Running");
  bed.line->script = &RefuseMaps;
  int writes = 0;
  bed.line->on_request = [&writes](const net::Request& request) {
    if (request.method != "GET" && absl::StrContains(request.target, "/configmaps")) ++writes;
  };
  SECTION("it is changed") {
    bed.PatchJob("j", StrCat(R"({"tasks":[)", JobBed::TaskText("a", 2), "]}"));
    CHECK(bed.Get(kFakeMap).At({"data", "pods"}).AsString() == "2");
    CHECK(writes == 1);
  }
  SECTION("other controllers take over") {
    bed.Restart();
    CHECK(writes == 0);
  }
  bed.Wait(absl::Minutes(5));
  bed.line->on_request = nullptr;
  CHECK(bed.Told("j", "Warning PluginError") == 0);
  CHECK(bed.Phase("j") == "Running");
}

TEST_CASE("plugin objects: what was made before a crash is found where a quota is used up",
          "[controllers][job]") {
  ToldBed bed;
  bed.options.max_requeue_num = 3;
  bed.CreateJob("j", 1, JobBed::TaskText("a", 1), kFake);
  const std::string uid(bed.Job("j").At({"metadata", "uid"}).AsString());
  bed.Create(kConfigMaps,
             StrCat(R"({"metadata":{"name":"j-fake","ownerReferences":[{"apiVersion":)",
                    R"("batch.volcano.sh/v1alpha1","kind":"Job","name":"j","uid":")", uid,
                    R"(","controller":true}]},"data":{"pods":"1","tasks":"1"}})"));
  bed.line->script = &RefuseMaps;
  bed.StartJobs();
  bed.Wait(absl::Minutes(5));
  CHECK(bed.Phase("j") == "Pending");
  CHECK(bed.Reason("j").empty());
  CHECK(bed.Job("j").At({"status", "controlledResources", "plugin-fake"}).AsString() == "fake");
}

TEST_CASE("plugin objects: a quota ends a job that never gets them", "[controllers][job]") {
  ToldBed bed;
  bed.options.max_requeue_num = 3;
  bed.StartJobs();
  bed.line->script = &RefuseMaps;
  bed.CreateJob("j", 1, JobBed::TaskText("a", 1), kFake);
  bed.Wait(absl::Minutes(5));
  CHECK(bed.Phase("j") == "Terminated");
  CHECK(absl::StrContains(bed.Message("j"), "exceeded quota: q"));
}

TEST_CASE("plugin objects: a job waits until that of somebody else is gone", "[controllers][job]") {
  ToldBed bed;
  bed.options.max_requeue_num = 3;
  bed.Create(kConfigMaps, R"({"metadata":{"name":"j-fake"},"data":{"mine":"yes"}})");
  bed.StartJobs();
  bed.CreateJob("j", 1, JobBed::TaskText("a", 1), kFake);
  CHECK(bed.IsQuiet(absl::Minutes(20)));
  CHECK(bed.Phase("j") == "Pending");
  CHECK(bed.Reason("j") == "PluginError");
  CHECK(absl::StrContains(bed.Message("j"), "exists and does not belong to the job"));
  CHECK(bed.Told("j", "Warning PluginError") == 1);
  bed.Call("DELETE", kFakeMap);
  bed.Wait(absl::Seconds(31));
  CHECK(bed.Reason("j").empty());
  CHECK(bed.Get(kFakeMap).At({"data", "pods"}).AsString() == "1");
  CHECK(bed.Names(JobBed::kGroups).size() == 1);
}

TEST_CASE("plugin objects: killed at any write of a restart without pods, the job has them all",
          "[controllers][job][crash]") {
  for (const bool after : {false, true}) {
    int at = 1;
    for (; at < 50; ++at) {
      PluginBed bed;
      bed.RunJob("j", 1, JobBed::TaskText("t", 1),
                 StrCat(PluginBed::kPlugins,
                        R"(,"policies":[{"event":"PodEvicted","action":"RestartJob"}])"));
      Death death(*bed.line, at, after, [&bed] { bed.Restart(); });
      bed.Call("DELETE", StrCat(JobBed::PodPath("j-t-0"), "?gracePeriodSeconds=0"));
      bed.Settle();
      death.Bury();
      bed.Wait(absl::Seconds(2));
      if (!death.happened()) break;
      INFO((after ? "after" : "before") << " write " << at);
      CHECK(bed.Phase("j") == "Pending");
      CHECK(bed.ObjectsExist());
      CHECK(bed.Records(PluginBed::kAll));
    }
    CHECK(at > 10);
    CHECK(at < 50);
  }
}

TEST_CASE("plugin objects: a restart that ends in failure leaves none", "[controllers][job]") {
  PluginBed bed;
  bed.RunJob("j", 1, JobBed::TaskText("t", 1),
             StrCat(PluginBed::kPlugins,
                    R"(,"maxRetry":1,"policies":[{"event":"PodFailed","action":"RestartJob"}])"));
  REQUIRE(bed.ObjectsExist());
  bed.SetPods("Failed");
  bed.FinishDeletions();
  bed.Wait(absl::Seconds(5));
  CHECK(bed.Phase("j") == "Failed");
  CHECK(bed.ObjectsAreGone());
}

TEST_CASE("plugin objects: the config of ssh changes, its keys do not", "[controllers][job]") {
  int made = 0;
  const controllers::JobPluginTools tools{[&made] {
    ++made;
    return controllers::SshKeys{StrCat("private ", made, "\n"), "public\n"};
  }};
  JobBed bed;
  bed.make_plugins = [&tools](const types::BatchJobSpec& spec, const controllers::JobPluginTools&) {
    return controllers::MakeJobPlugins(spec, tools);
  };
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("t", 1), R"("plugins":{"ssh":[]})");
  const std::string secret = PluginBed::Object("secrets/j-ssh");
  const types::Json before = bed.Get(secret);
  REQUIRE(before.At({"data", "id_rsa"}).is_string());
  // The restart of one pod, in which the controllers change.
  bed.Kill();
  bed.Patch(StrCat(JobBed::kJobs, "/j/status"), R"({"status":{"state":{"phase":"Restarting"}}})");
  bed.Patch(StrCat(JobBed::kJobs, "/j"),
            StrCat(R"({"spec":{"tasks":[)", JobBed::TaskText("t", 2), "]}}"));
  bed.StartJobs();
  bed.Settle();
  const types::Json after = bed.Get(secret);
  CHECK(after.At({"metadata", "uid"}) == before.At({"metadata", "uid"}));
  CHECK(after.At({"data", "id_rsa"}) == before.At({"data", "id_rsa"}));
  CHECK(after.At({"data", "config"}) != before.At({"data", "config"}));
  CHECK(made == 1);
}

}  // namespace
}  // namespace bth::test
