// The Job controller on an API server in process, on virtual time.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/strings.h"
#include "controllers/job/job_controller.h"
#include "tests/controllers/controller_bed.h"
#include "tests/controllers/job/fake_plugin.h"

namespace bth::test {

class JobBed : public ControllerBed {
 public:
  static constexpr const char* kJobs = "/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs";
  static constexpr const char* kGroups =
      "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups";
  static constexpr const char* kQueues = "/apis/scheduling.volcano.sh/v1beta1/queues";
  static constexpr const char* kCommands =
      "/apis/bus.volcano.sh/v1alpha1/namespaces/default/commands";
  static constexpr const char* kClaims = "/api/v1/namespaces/default/persistentvolumeclaims";

  JobBed() { Create(kQueues, R"({"metadata":{"name":"default"},"spec":{"weight":1}})"); }

  void StartJobs() {
    Start({[this](const controllers::ControllerContext& context) {
      return std::make_unique<controllers::JobController>(context, controllers::JobPluginTools(),
                                                          make_plugins);
    }});
  }
  void Restart() {
    Kill();
    StartJobs();
  }

  static std::string TaskText(const std::string& name, int replicas, const std::string& more = "") {
    return StrCat(R"({"name":")", name, R"(","replicas":)", replicas,
                  R"(,"template":{"metadata":{"labels":{"app":"x"}},"spec":{"containers":)",
                  R"([{"name":"c","image":"img","resources":{"requests":{"cpu":"100m"}}}],)",
                  R"("restartPolicy":"Never"}})", more.empty() ? "" : ",", more, "}");
  }
  // A job in namespace default; `spec` are further members of its spec.
  void CreateJob(const std::string& name, int min_available, const std::string& tasks,
                 const std::string& spec = "") {
    Create(kJobs, StrCat(R"({"metadata":{"name":")", name,
                         R"("},"spec":{"queue":"default","schedulerName":"volcano",)",
                         R"("minAvailable":)", min_available, R"(,"tasks":[)", tasks, "]",
                         spec.empty() ? "" : ",", spec, "}}"));
    Settle();
  }
  Json Job(const std::string& name) { return Get(StrCat(kJobs, "/", name)); }
  std::string Phase(const std::string& name) {
    return std::string(Job(name).At({"status", "state", "phase"}).AsString());
  }
  std::string Message(const std::string& name) {
    return std::string(Job(name).At({"status", "state", "message"}).AsString());
  }
  // A status that differs in its counters only may be a second late.
  void WaitForCounts() { Wait(absl::Seconds(1)); }
  int64_t Count(const std::string& name, const std::string& counter) {
    return Job(name).At({"status", counter}).AsInt();
  }
  std::string GroupOf(const std::string& job) {
    return StrCat(job, "-", std::string(Job(job).At({"metadata", "uid"}).AsString()));
  }
  std::string PodUid(const std::string& pod) {
    return std::string(Get(PodPath(pod)).At({"metadata", "uid"}).AsString());
  }
  // What a server answers to a pod that is one too many.
  static Fault OverQuota() {
    Fault fault;
    fault.code = 403;
    fault.reason = "Forbidden";
    fault.message = "exceeded quota: q";
    return fault;
  }
  // As the scheduler would.
  void SetGroup(const std::string& job, const std::string& phase) {
    Patch(StrCat(kGroups, "/", GroupOf(job)), StrCat(R"({"status":{"phase":")", phase, R"("}})"));
    Settle();
  }
  void SetPods(const std::string& phase) {
    for (const std::string& pod : Pods()) SetPodPhase(pod, phase);
  }
  // Creates the job, admits its group, and lets all its pods run.
  void RunJob(const std::string& name, int min_available, const std::string& tasks,
              const std::string& spec = "") {
    CreateJob(name, min_available, tasks, spec);
    SetGroup(name, "Inqueue");
    SetPods("Running");
  }
  void Command(const std::string& name, const std::string& job, const std::string& action) {
    Command(name, job, std::string(Job(job).At({"metadata", "uid"}).AsString()), action);
  }
  void Command(const std::string& name, const std::string& job, const std::string& uid,
               const std::string& action) {
    Create(kCommands,
           StrCat(R"({"metadata":{"name":")", name, R"("},"action":")", action,
                  R"(","target":{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job",)",
                  R"("name":")", job, R"(","uid":")", uid, R"("}})"));
    Settle();
  }
  // What would have happened to the pods that are being deleted, had they a kubelet.
  void FinishDeletions() {
    for (const std::string& pod : Pods()) {
      if (Get(PodPath(pod)).At({"metadata", "deletionTimestamp"}).is_null()) continue;
      Call("DELETE", PodPath(pod) + "?gracePeriodSeconds=0");
    }
    Settle();
  }
  // Phases in the order of the job's conditions.
  std::vector<std::string> Conditions(const std::string& job) {
    std::vector<std::string> phases;
    const Json object = Job(job);
    for (const Json& condition : object.At({"status", "conditions"}).items()) {
      phases.emplace_back(condition["status"].AsString());
    }
    return phases;
  }

  controllers::MakePlugins make_plugins = &MakeFakePlugins;
};

}  // namespace bth::test
