// Arguments of plugin predicates that concern volumes, but for the switches (tests/scenarios).
#include "absl/strings/match.h"
#include "framework/session/statement.h"
#include "plugins/factories.h"
#include "tests/plugins/fixtures.h"
#include "tests/volumes/storage_world.h"

namespace bth::test {
namespace {

// What is to be done for a pod with a claim whose volume can be made on node n1.
std::shared_ptr<const model::VolumePlan> PlanWith(const std::string& arguments) {
  StorageWorld objects;
  objects.Node("n1", "");
  objects.Class(R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass",)"
                R"("metadata":{"name":"made"},"provisioner":"x.io/made",)"
                R"("volumeBindingMode":"WaitForFirstConsumer"})");
  objects.Claim(
      R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":)"
      R"({"namespace":"ns","name":"data","uid":"u"},"spec":{"storageClassName":"made"}})");
  objects.Pod("p", StorageWorld::Uses("data"));
  PluginBed bed(Builtins(), MakePolicy("", "predicates", {{"predicates", arguments}}),
                objects.Publish());
  framework::Session& session = bed.session();
  const model::TaskId task = bed.world().task("p");
  CHECK(session.votes().VolumePlanOf(task) == nullptr);
  framework::Statement statement(session, "allocate");
  statement.Allocate(task, bed.world().node("n1"));
  auto plan = session.votes().VolumePlanOf(task);
  statement.Discard();
  CHECK(session.votes().VolumePlanOf(task) == nullptr);
  return plan;
}

TEST_CASE("predicates: volumebinding.bindTimeoutSeconds goes with what is to be bound",
          "[plugins][predicates][volumes]") {
  const auto plain = PlanWith("{}");
  REQUIRE(plain != nullptr);
  CHECK(plain->timeout == absl::Minutes(10));
  REQUIRE(plain->choices.size() == 1);
  CHECK(plain->choices[0].claim == "ns/data");
  CHECK(plain->choices[0].volume.empty());
  const auto set = PlanWith("{volumebinding.bindTimeoutSeconds: 7}");
  REQUIRE(set != nullptr);
  CHECK(set->timeout == absl::Seconds(7));
  CHECK(PlanWith("{predicate.VolumeBindingEnable: false}") == nullptr);
}

TEST_CASE("predicates: arguments of volumes that make no sense are refused by name",
          "[plugins][predicates][volumes]") {
  const auto refusal = [](std::string_view yaml) {
    return std::string(plugins::CreatePredicates(MakeArguments(yaml)).status().message());
  };
  CHECK(refusal("{volumebinding.bindTimeoutSeconds: 0}") == "");
  CHECK(refusal("{volumebinding.bindTimeoutSeconds: -1}") ==
        "volumebinding.bindTimeoutSeconds: must be from 0 to 86400, is -1");
  CHECK(refusal("{volumebinding.bindTimeoutSeconds: 90000}") ==
        "volumebinding.bindTimeoutSeconds: must be from 0 to 86400, is 90000");
}

TEST_CASE("predicates: arguments of the volume score are accepted, and said to be idle",
          "[plugins][predicates][volumes]") {
  const conf::Arguments arguments = MakeArguments(
      "{volumebinding.weight: 1, volumebinding.bindTimeoutSeconds: 600, volumebinding.shape: "
      "[{Utilization: 0, Score: 0}, {Utilization: 40, Score: 8}, {utilization: 80, score: 4}]}");
  REQUIRE(plugins::CreatePredicates(arguments).ok());
  size_t idle = 0;
  for (const conf::Finding& finding : arguments.Findings()) {
    idle += absl::StrContains(finding.text, "StorageCapacityScoring");
  }
  CHECK(idle == 2);
}

}  // namespace
}  // namespace bth::test
