// The Job controller and what it says of jobs.
#pragma once

#include <string>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/controllers/job/job_bed.h"

namespace bth::test {

class ToldBed : public JobBed {
 public:
  std::string Reason(const std::string& job) {
    return std::string(Job(job).At({"status", "state", "reason"}).AsString());
  }
  // Events about the job that begin so: "Warning REASON".
  size_t Told(const std::string& job, const std::string& prefix) {
    size_t count = 0;
    for (const std::string& event : Events(job)) count += absl::StartsWith(event, prefix) ? 1 : 0;
    return count;
  }
  void PatchJob(const std::string& job, const std::string& spec) {
    Patch(StrCat(kJobs, "/", job), StrCat(R"({"spec":)", spec, "}"));
    Settle();
  }
  void MakeQueue(const std::string& name) {
    Create(kQueues, StrCat(R"({"metadata":{"name":")", name, R"("},"spec":{"weight":1}})"));
  }
  // Nothing but events is written meanwhile. Events are kept for an hour.
  bool IsQuiet(absl::Duration time) {
    int seen = 0;
    line->on_request = [&seen](const net::Request& request) {
      if (request.method != "GET" && !absl::StrContains(request.target, "/events")) ++seen;
    };
    Wait(time);
    line->on_request = nullptr;
    return seen == 0;
  }
  // As where definitions without a schema of pods are installed, as Volcano's are.
  void AcceptAnyTemplate() {
    const Answer answer = Call(
        "PATCH", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/jobs.batch.volcano.sh",
        R"([{"op":"replace","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/)"
        R"(properties/tasks/items/properties/template","value":{"type":"object",)"
        R"("x-kubernetes-preserve-unknown-fields":true}}])",
        "application/json-patch+json");
    INFO(answer.text);
    REQUIRE(answer.code == 200);
    Settle();
  }
  // Which nobody can read.
  static std::string BadTask(const std::string& cpu) {
    return StrCat(R"({"name":"a","replicas":1,"template":{"spec":{"containers":[{"name":"c",)",
                  R"("image":"i","resources":{"requests":{"cpu":")", cpu,
                  R"("}}}],"restartPolicy":"Never"}}})");
  }
};

}  // namespace bth::test
