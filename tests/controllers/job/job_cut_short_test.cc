// Restarts that fail half-way, or whose process ends meanwhile, are gone on with.
#include <optional>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/controllers/death.h"
#include "tests/controllers/job/plugin_bed.h"

namespace bth::test {
namespace {

// The first request of that method to a path that ends so fails.
FaultyLine::Script FailsOnce(const std::string& method, const std::string& end) {
  return [method, end, failed = false](const net::Request& request) mutable {
    std::optional<Fault> fault;
    if (failed || request.method != method || !absl::EndsWith(request.target, end)) return fault;
    failed = true;
    fault.emplace();
    fault->code = 503;
    fault->reason = "ServiceUnavailable";
    return fault;
  };
}

TEST_CASE("job restarts: killed at any write, the next incarnation has all that its plugins make",
          "[controllers][job][crash]") {
  for (const bool after : {false, true}) {
    int at = 1;
    for (; at < 50; ++at) {
      PluginBed bed;
      bed.RunJob("j", 2, JobBed::TaskText("t", 2),
                 StrCat(PluginBed::kPlugins,
                        R"(,"policies":[{"event":"PodFailed","action":"RestartJob"}])"));
      Death death(*bed.line, at, after, [&bed] { bed.Restart(); });
      bed.SetPodPhase("j-t-0", "Failed");
      death.Bury();
      bed.Wait(absl::Seconds(2));
      if (!death.happened()) break;
      INFO((after ? "after" : "before") << " write " << at);
      CHECK(bed.Phase("j") == "Pending");
      CHECK(bed.Count("j", "retryCount") == 1);
      CHECK(bed.ObjectsExist());
      CHECK(bed.Records(PluginBed::kAll));
    }
    CHECK(at > 10);
    CHECK(at < 50);
  }
}

TEST_CASE("job restarts: what fails after the pod is gone for which it began is gone on with",
          "[controllers][job]") {
  PluginBed bed;
  bed.CreateJob(
      "j", 2, JobBed::TaskText("t", 2),
      StrCat(PluginBed::kPlugins,
             R"(,"policies":[{"event":"PodPending","action":"RestartJob","timeout":"1m"}])"));
  bed.SetGroup("j", "Inqueue");
  const auto group_uid = [&bed] {
    const types::Json group = bed.Get(StrCat(JobBed::kGroups, "/", bed.GroupOf("j")));
    return std::string(group.At({"metadata", "uid"}).AsString());
  };
  const std::string first = group_uid();
  bed.line->script = FailsOnce("DELETE", "/services/j");
  bed.Wait(absl::Seconds(70));
  CHECK(bed.Phase("j") == "Pending");
  CHECK(bed.Count("j", "retryCount") == 1);
  CHECK(bed.Count("j", "version") == 1);
  CHECK(bed.ObjectsExist());
  CHECK(bed.Records(PluginBed::kAll));
  CHECK(group_uid() != first);
}

TEST_CASE("job restarts: of a task, half done when its pending pod is gone, is done and counted",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.CreateJob("j", 2, JobBed::TaskText("t", 2),
                R"("policies":[{"event":"PodPending","action":"RestartTask","timeout":"1m"}])");
  bed.SetGroup("j", "Inqueue");
  bed.SetPodPhase("j-t-1", "Running");
  const std::string uid = bed.PodUid("j-t-1");
  bed.line->script = FailsOnce("PATCH", "/pods/j-t-1");
  bed.Wait(absl::Seconds(70));
  CHECK(bed.Count("j", "retryCount") == 1);
  CHECK(bed.PodUid("j-t-1") != uid);
}

TEST_CASE(
    "job restarts: one that is due and failed before it did anything lets a pod run that does",
    "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.CreateJob("j", 1, JobBed::TaskText("t", 1),
                R"("policies":[{"event":"PodPending","action":"RestartTask","timeout":"1m"}])");
  bed.SetGroup("j", "Inqueue");
  const std::string uid = bed.PodUid("j-t-0");
  bed.line->script = [](const net::Request& request) -> std::optional<Fault> {
    if (request.method != "PATCH" || !absl::EndsWith(request.target, "/pods/j-t-0")) {
      return std::nullopt;
    }
    Fault fault;
    fault.code = 503;
    fault.reason = "ServiceUnavailable";
    return fault;
  };
  bed.Wait(absl::Seconds(70));
  bed.SetPodPhase("j-t-0", "Running");
  bed.line->script = nullptr;
  bed.Wait(absl::Minutes(5));
  CHECK(bed.PodUid("j-t-0") == uid);
  CHECK(bed.Phase("j") == "Running");
  CHECK(bed.Count("j", "retryCount") == 0);
}

}  // namespace
}  // namespace bth::test
