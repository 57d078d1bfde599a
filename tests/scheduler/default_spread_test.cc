// Services are watched, and pods spread among those that they select.
#include "base/strings.h"
#include "tests/scheduler/bed.h"

namespace bth::scheduler {
namespace {

using testing::Bed;
using testing::Fault;

constexpr char kServices[] = "/api/v1/namespaces/default/services";

void AddNode(Bed& bed, const std::string& name) {
  bed.Create(
      "/api/v1/nodes",
      StrCat(R"({"metadata":{"name":")", name, R"(","labels":{"kubernetes.io/hostname":")", name,
             R"("}},"status":{"allocatable":{"cpu":"8","memory":"16Gi","pods":"110"},)",
             R"("conditions":[{"type":"Ready","status":"True"}]}})"));
}

void AddPod(Bed& bed, const std::string& name, const std::string& app, const std::string& node) {
  bed.Create("/api/v1/namespaces/default/pods",
             StrCat(R"({"metadata":{"name":")", name, R"(","labels":{"app":")", app,
                    R"("},"annotations":{"scheduling.k8s.io/group-name":"g"}},"spec":{)",
                    node.empty() ? "" : StrCat(R"("nodeName":")", node, R"(",)"),
                    R"("schedulerName":"volcano","containers":[{"name":"c","image":"i",)",
                    R"("resources":{"requests":{"cpu":")", app == "busy" ? 3 : 1, R"("}}}]}})"));
}

// Where the next pod of the service goes, when n1 has one of them and n2 less room.
std::string PlaceOfNext(Bed& bed) {
  AddNode(bed, "n1");
  AddNode(bed, "n2");
  AddPod(bed, "web-0", "web", "n1");
  AddPod(bed, "busy", "busy", "n2");
  bed.Group("g", 1);
  bed.Start();
  CHECK(bed.scheduler->ready());
  AddPod(bed, "web-1", "web", "");
  bed.Settle();
  return bed.NodeOf("web-1");
}

constexpr char kWeb[] = R"({"metadata":{"name":"web"},"spec":{"selector":{"app":"web"},)"
                        R"("ports":[{"port":80}]}})";

TEST_CASE("default spread: a pod goes where fewer of its service are", "[scheduler][spread]") {
  const bool has_service = GENERATE(false, true);
  Bed bed;
  if (has_service) bed.Create(kServices, kWeb);
  CHECK(PlaceOfNext(bed) == (has_service ? "n2" : "n1"));
}

TEST_CASE("default spread: services that come and go are watched", "[scheduler][spread]") {
  Bed bed;
  CHECK(PlaceOfNext(bed) == "n1");
  bed.Create(kServices, kWeb);
  bed.Settle();
  AddPod(bed, "web-2", "web", "");
  bed.Settle();
  CHECK(bed.NodeOf("web-2") == "n2");
  CHECK(bed.scheduler->idle());
}

TEST_CASE("default spread: without leave to read services, pods are placed as if there were none",
          "[scheduler][spread]") {
  const char* forbidden =
      GENERATE("/services", "/replicasets", "/statefulsets", "/replicationcontrollers");
  INFO(forbidden);
  Bed bed;
  bed.Create(kServices, kWeb);
  bed.line->script = [forbidden](const net::Request& request) -> std::optional<Fault> {
    if (!absl::StrContains(request.target, forbidden)) return std::nullopt;
    return Fault{.code = 403, .reason = "Forbidden"};
  };
  CHECK(PlaceOfNext(bed) == (std::string(forbidden) == "/services" ? "n1" : "n2"));
}

}  // namespace
}  // namespace bth::scheduler
