// The PodGroup controller on an API server in process, with pods and their sets.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/strings.h"
#include "controllers/core/keys.h"
#include "controllers/pod_group/pod_group_controller.h"
#include "tests/controllers/controller_bed.h"

namespace bth::test {

class GroupBed : public ControllerBed {
 public:
  void StartGroups() {
    Start({[](const controllers::ControllerContext& context) {
      return std::make_unique<controllers::PodGroupController>(context);
    }});
  }
  void MakePod(const std::string& name, const std::string& owner = "",
               const std::string& scheduler = "volcano", const std::string& labels = "{}") {
    Create("/api/v1/namespaces/default/pods",
           StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")", name, R"(","labels":)",
                  labels, owner.empty() ? "" : StrCat(",\"ownerReferences\":[", owner, "]"),
                  R"(},"spec":{"schedulerName":")", scheduler,
                  R"(","containers":[{"name":"c","image":"i"}]}})"));
  }
  // A ReplicaSet or StatefulSet; returns a controller reference to it.
  std::string MakeSet(const std::string& kind, const std::string& name, int replicas,
                      const std::string& annotations = "{}") {
    const std::string plural = kind == "ReplicaSet" ? "replicasets" : "statefulsets";
    const std::string target = "/apis/apps/v1/namespaces/default/" + plural;
    Create(target, StrCat(R"({"apiVersion":"apps/v1","kind":")", kind, R"(","metadata":{"name":")",
                          name, R"(","annotations":)", annotations, R"(},"spec":{"replicas":)",
                          replicas, R"(,"serviceName":"s","selector":{"matchLabels":{"app":"a"}},)",
                          R"("template":{"metadata":{"labels":{"app":"a"}},"spec":{"containers":)",
                          R"([{"name":"c","image":"i"}]}}}})"));
    const std::string uid(Get(target + "/" + name).At({"metadata", "uid"}).AsString());
    return StrCat(R"({"apiVersion":"apps/v1","kind":")", kind, R"(","name":")", name,
                  R"(","uid":")", uid, R"(","controller":true})");
  }
  std::vector<std::string> Groups() {
    return Names("/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups");
  }
  Json Group(const std::string& name) {
    return Get("/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups/" + name);
  }
  std::string GroupOf(const std::string& pod) {
    return std::string(
        Get(PodPath(pod)).At({"metadata", "annotations"})[controllers::kGroupNameKey].AsString());
  }
};

}  // namespace bth::test
