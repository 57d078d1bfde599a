// The Job controller with the real plugins: their objects live and die with the pods.
#include "controllers/job_plugins/job_plugin.h"
#include "tests/controllers/job/job_bed.h"

namespace bth::test {
namespace {

struct PluginBed : JobBed {
  PluginBed() {
    make_plugins = [](const types::BatchJobSpec& spec, const controllers::JobPluginTools&) {
      static const auto* const kTools = new controllers::JobPluginTools{[] {
        return controllers::SshKeys{"private\n", "public\n"};
      }};
      return controllers::MakeJobPlugins(spec, *kTools);
    };
    StartJobs();
    RunJob(
        "j", 2, TaskText("t", 2),
        R"("plugins":{"env":[],"svc":[],"ssh":[]},"policies":[{"event":"PodFailed","action":"RestartPod"}])");
  }
  bool Exists(const std::string& path) {
    return Call("GET", "/api/v1/namespaces/default/" + path).code == 200;
  }
  bool ObjectsExist() {
    return Exists("services/j") && Exists("configmaps/j-svc") && Exists("secrets/j-ssh");
  }
  bool ObjectsAreGone() {
    return !Exists("services/j") && !Exists("configmaps/j-svc") && !Exists("secrets/j-ssh");
  }
  // Without the Command that was carried out last.
  std::string Recorded() {
    types::Json recorded = Job("j").At({"status", "controlledResources"});
    recorded.Erase("command");
    return recorded.Pretty();
  }
};

constexpr const char* kAll = R"({"plugin-env":"env","plugin-ssh":"ssh","plugin-svc":"svc"})";

TEST_CASE("job objects: those of svc and ssh go when the job stops, and come back",
          "[controllers][job]") {
  PluginBed bed;
  CHECK(bed.Phase("j") == "Running");
  CHECK(bed.ObjectsExist());
  CHECK(*types::Json::Parse(bed.Recorded()) == *types::Json::Parse(kAll));
  const types::Json pod = bed.Get(JobBed::PodPath("j-t-1"));
  CHECK(pod.At({"spec", "subdomain"}).AsString() == "j");
  CHECK_FALSE(pod.At({"spec", "containers"})[size_t{0}]["env"].empty());

  bed.Command("c1", "j", "AbortJob");
  CHECK(bed.Phase("j") == "Aborted");
  CHECK(bed.ObjectsAreGone());
  bed.Command("c2", "j", "ResumeJob");
  CHECK(bed.Phase("j") == "Pending");
  CHECK(bed.ObjectsExist());
  CHECK(*types::Json::Parse(bed.Recorded()) == *types::Json::Parse(kAll));
}

TEST_CASE("job objects: the restart of one pod leaves them to the others", "[controllers][job]") {
  PluginBed bed;
  const types::Json before = bed.Get("/api/v1/namespaces/default/secrets/j-ssh");
  bed.SetPodPhase("j-t-0", "Failed");
  CHECK(bed.Count("j", "retryCount") == 1);
  CHECK(bed.ObjectsExist());
  CHECK(bed.Get("/api/v1/namespaces/default/secrets/j-ssh")["metadata"] == before["metadata"]);
}

TEST_CASE("job objects: they go when the job completes", "[controllers][job]") {
  PluginBed bed;
  bed.SetPods("Succeeded");
  CHECK(bed.Phase("j") == "Completed");
  CHECK(bed.ObjectsAreGone());
}

}  // namespace
}  // namespace bth::test
