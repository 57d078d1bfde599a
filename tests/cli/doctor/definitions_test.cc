#include "cli/doctor/definitions.h"

#include "api/types/crd/generate.h"
#include "cli/text/object.h"
#include "tests/cli/doctor/points_text.h"

namespace bth::cli {
namespace {

using test::Parsed;
using types::Json;

std::vector<Json> OurDefinitions() {
  auto made = types::crd::GenerateDefinitions();
  REQUIRE(made.ok());
  std::vector<Json> out;
  for (auto& one : *made) out.push_back(std::move(one.object));
  return out;
}

// As the API server shows them once it serves them.
ObjectsRead Installed(std::vector<Json> definitions) {
  for (Json& one : definitions) {
    one.MutableAt({"status", "conditions"}) =
        Parsed(R"([{"type": "Established", "status": "True"}])");
  }
  return {std::move(definitions), ""};
}

std::vector<Point> Checked(const ObjectsRead& installed) {
  std::vector<Point> points;
  CheckDefinitions(installed, OurDefinitions(), &points);
  CHECK(test::HaveRemedies(points));
  return points;
}

// The points that are not in order.
std::string Wrong(const ObjectsRead& installed) {
  std::vector<Point> points = Checked(installed);
  std::erase_if(points, [](const Point& point) { return point.level == PointLevel::kOk; });
  return test::PointsText(points);
}

Json& VersionIn(ObjectsRead* installed, std::string_view name) {
  for (Json& one : installed->items) {
    if (NameIn(one) == name) return one.MutableAt({"spec", "versions"}).MutableItems()[0];
  }
  FAIL("no such definition");
  return installed->items[0];
}

TEST_CASE("doctor: definitions as deploy/crds has them are in order", "[cli][doctor]") {
  const std::vector<Point> points = Checked(Installed(OurDefinitions()));
  CHECK(points.size() >= OurDefinitions().size());
  CHECK(Wrong(Installed(OurDefinitions())).empty());
}

TEST_CASE("doctor: one definition that is missing, and none that may be read", "[cli][doctor]") {
  ObjectsRead installed = Installed(OurDefinitions());
  std::erase_if(installed.items,
                [](const Json& one) { return NameIn(one) == "queues.scheduling.volcano.sh"; });
  CHECK(Wrong(installed) == "fault: queues.scheduling.volcano.sh: is not there\n");
  CHECK(Wrong({{}, "forbidden"}) == "not checked: all: forbidden\n");
}

TEST_CASE("doctor: a definition that is not established", "[cli][doctor]") {
  ObjectsRead installed = Installed(OurDefinitions());
  installed.items[0].Erase("status");
  CHECK(Wrong(installed) == "fault: " + std::string(NameIn(installed.items[0])) +
                                ": is not established: the API server does not serve it\n");
}

TEST_CASE("doctor: versions that are not served, not stored, or have other subresources",
          "[cli][doctor]") {
  ObjectsRead installed = Installed(OurDefinitions());
  VersionIn(&installed, "queues.scheduling.volcano.sh").Set("served", false);
  CHECK(Wrong(installed) == "fault: queues.scheduling.volcano.sh: version v1beta1 is not served\n");

  installed = Installed(OurDefinitions());
  VersionIn(&installed, "queues.scheduling.volcano.sh").Set("storage", false);
  const Json younger = Parsed(R"({"name": "v2", "served": true, "storage": true})");
  for (Json& one : installed.items) {
    if (NameIn(one) != "queues.scheduling.volcano.sh") continue;
    one.MutableAt({"spec", "versions"}).MutableItems().push_back(younger);
  }
  CHECK(Wrong(installed) ==
        "warning: queues.scheduling.volcano.sh: stored as v2, not as v1beta1\n");

  installed = Installed(OurDefinitions());
  VersionIn(&installed, "queues.scheduling.volcano.sh").Erase("subresources");
  CHECK(Wrong(installed) ==
        "fault: queues.scheduling.volcano.sh: v1beta1 lacks the subresource status: statuses "
        "cannot be written\n");

  installed = Installed(OurDefinitions());
  VersionIn(&installed, "podgroups.scheduling.volcano.sh")
      .Set("subresources", Parsed(R"({"status": {}})"));
  CHECK(Wrong(installed) ==
        "fault: podgroups.scheduling.volcano.sh: v1beta1 has a subresource status: what is written "
        "of statuses with the object is dropped\n");
}

TEST_CASE("doctor: fields that an older definition would drop", "[cli][doctor]") {
  ObjectsRead installed = Installed(OurDefinitions());
  Json& spec = VersionIn(&installed, "queues.scheduling.volcano.sh")
                   .MutableAt({"schema", "openAPIV3Schema", "properties", "spec", "properties"});
  REQUIRE(spec.Erase("deserved"));
  REQUIRE(spec.Erase("dequeueStrategy"));
  const std::string wrong = Wrong(installed);
  CHECK(wrong.find("v1beta1 does not know 2 fields and drops what is written there: ") !=
        std::string::npos);
  CHECK(wrong.find(".spec.deserved") != std::string::npos);
  VersionIn(&installed, "queues.scheduling.volcano.sh")
      .MutableAt({"schema", "openAPIV3Schema", "properties", "spec"})
      .Set("x-kubernetes-preserve-unknown-fields", true);
  CHECK(Wrong(installed).empty());
}

}  // namespace
}  // namespace bth::cli
