// The JobFlow and JobTemplate controllers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/strings.h"
#include "controllers/job_flow/job_flow_controller.h"
#include "controllers/job_flow/job_template_controller.h"
#include "tests/controllers/controller_bed.h"

namespace bth::test {

class FlowBed : public ControllerBed {
 public:
  void StartFlows() {
    Start({[](const controllers::ControllerContext& context) {
             return std::make_unique<controllers::JobFlowController>(context);
           },
           [](const controllers::ControllerContext& context) {
             return std::make_unique<controllers::JobTemplateController>(context);
           }});
  }
  static std::string JobPath(const std::string& name) {
    return "/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs" +
           (name.empty() ? "" : "/" + name);
  }
  static std::string FlowPath(const std::string& plural, const std::string& name) {
    return "/apis/flow.volcano.sh/v1alpha1/namespaces/default/" + plural +
           (name.empty() ? "" : "/" + name);
  }
  void MakeTemplate(const std::string& name) {
    Create(FlowPath("jobtemplates", ""),
           StrCat(R"({"apiVersion":"flow.volcano.sh/v1alpha1","kind":"JobTemplate",)",
                  R"("metadata":{"name":")", name, R"("},"spec":{"minAvailable":1,)",
                  R"("tasks":[{"name":"t","replicas":1,"template":{"spec":{"containers":)",
                  R"([{"name":"c","image":"i","tty":true}]}}}]}})"));
  }
  void MakeFlow(const std::string& spec) {
    Create(FlowPath("jobflows", ""),
           StrCat(R"({"apiVersion":"flow.volcano.sh/v1alpha1","kind":"JobFlow",)",
                  R"("metadata":{"name":"f"},"spec":)", spec, "}"));
    Wait(absl::Seconds(1));
  }
  std::vector<std::string> Jobs() { return Names(JobPath("")); }
  void SetJob(const std::string& name, const std::string& phase) {
    Patch(JobPath(name) + "/status", StrCat(R"({"status":{"state":{"phase":")", phase, "\"}}}"));
    Wait(absl::Seconds(1));
  }
  std::string Phase() {
    return std::string(Get(FlowPath("jobflows", "f")).At({"status", "state", "phase"}).AsString());
  }
};

}  // namespace bth::test
