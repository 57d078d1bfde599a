// The Job controller is killed at each of its writes and started again: the end is the same.
#include <functional>

#include "absl/strings/str_replace.h"
#include "base/strings.h"
#include "tests/controllers/death.h"
#include "tests/controllers/job/job_bed.h"
#include "tests/support/seeds.h"

namespace bth::test {
namespace {

using Step = std::function<void(JobBed&)>;

struct Scenario {
  std::string name;
  std::vector<Step> steps;
  // A policy acts: what it does may be lost, so that retries and versions may differ.
  bool has_policy = false;
};

std::string Canonical(JobBed& bed, bool has_policy) {
  const std::string uid(bed.Job("j").At({"metadata", "uid"}).AsString());
  std::string text;
  for (const char* collection :
       {JobBed::kJobs, JobBed::kGroups, JobBed::kClaims, "/api/v1/namespaces/default/configmaps",
        "/api/v1/namespaces/default/pods", JobBed::kCommands}) {
    types::Json list = bed.Get(collection);
    for (types::Json& item : list["items"].MutableItems()) {
      types::Json& meta = item["metadata"];
      for (const char* key : {"uid", "resourceVersion", "creationTimestamp", "generation"}) {
        meta.Erase(key);
      }
      for (const char* key : {"volcano.sh/job-version", "volcano.sh/job-retry-count"}) {
        if (types::Json* annotations = meta.Find("annotations"); has_policy && annotations) {
          annotations->Erase(key);
        }
      }
      if (types::Json* status = item.Find("status")) {
        status->Erase("runningDuration");
        status->Erase("startTime");
        // How often a kill was begun is told by the version alone.
        status->Erase("version");
        if (types::Json* resources = status->Find("controlledResources")) {
          if (resources->Find("command") != nullptr) resources->Set("command", "COMMAND");
        }
        if (has_policy) {
          status->Erase("retryCount");
          status->Erase("conditions");
        }
        if (types::Json* state = status->Find("state")) state->Erase("lastTransitionTime");
        if (types::Json* conditions = status->Find("conditions")) {
          for (types::Json& condition : conditions->MutableItems()) {
            condition.Erase("lastTransitionTime");
          }
        }
      }
      text += item.Pretty() + "\n";
    }
  }
  return absl::StrReplaceAll(text, {{uid, "UID"}});
}

// The end of the scenario; nothing when the controllers made fewer than `at` writes.
std::optional<std::string> EndOf(const Scenario& scenario, int at, bool after) {
  JobBed bed;
  bed.StartJobs();
  Death death(*bed.line, at, after, [&bed] { bed.Restart(); });
  for (const Step& step : scenario.steps) {
    step(bed);
    bed.Settle();
    death.Bury();
    bed.Wait(absl::Seconds(2));
  }
  if (at > 0 && !death.happened()) return std::nullopt;
  return Canonical(bed, scenario.has_policy);
}

Step CreateOf(const std::string& spec) {
  return [spec](JobBed& bed) {
    bed.CreateJob("j", 2, JobBed::TaskText("a", 2) + "," + JobBed::TaskText("b", 1), spec);
  };
}
Step GroupIs(const std::string& phase) {
  return [phase](JobBed& bed) { bed.SetGroup("j", phase); };
}
Step PodsAre(const std::string& phase) {
  return [phase](JobBed& bed) { bed.SetPods(phase); };
}
Step ReplicasAre(int replicas) {
  return [replicas](JobBed& bed) {
    bed.Patch(StrCat(JobBed::kJobs, "/j"),
              StrCat(R"({"spec":{"minAvailable":1,"tasks":[)", JobBed::TaskText("a", replicas), ",",
                     JobBed::TaskText("b", 1), "]}}"));
  };
}
// As a user would who looks whether the command was carried out; to be done twice.
Step Commanded(const std::string& action, const std::string& phase) {
  return [action, phase](JobBed& bed) {
    if (bed.Phase("j") == phase) return;
    const size_t number = bed.Names("/api/v1/namespaces/default/secrets").size();
    bed.Create("/api/v1/namespaces/default/secrets",
               StrCat(R"({"metadata":{"name":"command-)", number, R"("}})"));
    bed.Command(StrCat("c", number), "j", action);
  };
}

// Once, whatever becomes of it.
Step CommandedOnce(const std::string& action) {
  return [action](JobBed& bed) { bed.Command("c", "j", action); };
}

std::vector<Scenario> Scenarios() {
  const std::string rich =
      R"("plugins":{"fake":[]},"volumes":[{"mountPath":"/d","volumeClaim":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}])";
  const std::string restart = R"("policies":[{"event":"PodFailed","action":"RestartJob"}])";
  const Step fail = [](JobBed& bed) { bed.SetPodPhase("j-a-0", "Failed"); };
  return {
      {"create, run, complete",
       {CreateOf(rich), GroupIs("Inqueue"), PodsAre("Running"), PodsAre("Succeeded")}},
      {"scale up and down",
       {CreateOf(""), GroupIs("Inqueue"), PodsAre("Running"), ReplicasAre(4), PodsAre("Running"),
        ReplicasAre(1)}},
      {"one pod fails, the others succeed",
       {CreateOf(""), GroupIs("Inqueue"), PodsAre("Running"), fail,
        [](JobBed& bed) {
          bed.SetPodPhase("j-a-1", "Succeeded");
          bed.SetPodPhase("j-b-0", "Succeeded");
        }}},
      {"abort and resume",
       {CreateOf(rich), GroupIs("Inqueue"), PodsAre("Running"), Commanded("AbortJob", "Aborted"),
        Commanded("AbortJob", "Aborted"), Commanded("ResumeJob", "Pending"),
        Commanded("ResumeJob", "Pending"), GroupIs("Inqueue"), PodsAre("Running")},
       true},
      {"restart by a command",
       {CreateOf(rich), GroupIs("Inqueue"), PodsAre("Running"), CommandedOnce("RestartJob"),
        GroupIs("Inqueue"), PodsAre("Running")}},
      {"end by a command",
       {CreateOf(""), GroupIs("Inqueue"), PodsAre("Running"), CommandedOnce("TerminateJob")}},
      {"abort by a command, resume by another",
       {CreateOf(""), GroupIs("Inqueue"), PodsAre("Running"), CommandedOnce("AbortJob"),
        CommandedOnce("ResumeJob"), GroupIs("Inqueue"), PodsAre("Running")}},
      {"restart by policy",
       {CreateOf(restart), GroupIs("Inqueue"), PodsAre("Running"), fail, GroupIs("Inqueue"),
        PodsAre("Running")}},
  };
}

TEST_CASE("job controller: killed at any write, it comes to the same end",
          "[controllers][job][crash]") {
  // Sanitizers have time for some of them.
  const int stride = FewSeeds() ? 5 : 1;
  for (const Scenario& scenario : Scenarios()) {
    const std::optional<std::string> expected = EndOf(scenario, 0, false);
    REQUIRE(expected.has_value());
    for (const bool after : {false, true}) {
      int at = 1;
      for (; at < 100; at += stride) {
        const std::optional<std::string> end = EndOf(scenario, at, after);
        if (!end.has_value()) break;
        INFO(scenario.name << (after ? ", after" : ", before") << " write " << at);
        CHECK(*end == *expected);
      }
      CHECK(at > 5);
      CHECK(at < 100);
    }
  }
}

}  // namespace
}  // namespace bth::test
