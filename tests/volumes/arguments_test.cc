// Arguments of plugin predicates that concern volumes, but for the switches (tests/scenarios).
#include "framework/session/statement.h"
#include "plugins/factories.h"
#include "plugins/predicates/volume_scores.h"
#include "tests/plugins/fixtures.h"
#include "tests/volumes/storage_world.h"

namespace bth::test {
namespace {

using plugins::predicates::CapacityScore;
using plugins::predicates::ScoreShape;

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

TEST_CASE("predicates: arguments of the volume score are read, whatever their case",
          "[plugins][predicates][volumes]") {
  const auto read = [](std::string_view yaml) {
    return plugins::predicates::ReadShape(MakeArguments(yaml));
  };
  const auto message = [&](std::string_view yaml) {
    return std::string(read(yaml).status().message());
  };
  const auto shape =
      read("{volumebinding.shape: [{Utilization: 20, Score: 3}, {utilization: 80, score: 4}]}");
  REQUIRE(shape.ok());
  CHECK(shape->points == std::vector<ScoreShape::Point>{{20, 30}, {80, 40}});
  CHECK(message("{volumebinding.shape: 3}") == "volumebinding.shape: must be a list");
  CHECK(message("{volumebinding.shape: [3]}") ==
        "volumebinding.shape[0]: must be a map of utilization and score");
  CHECK(message("{volumebinding.shape: [{utilization: 101, score: 0}]}") ==
        "volumebinding.shape[0].utilization: must be a whole number from 0 to 100");
  CHECK(message("{volumebinding.shape: [{utilization: 0, score: 11}]}") ==
        "volumebinding.shape[0].score: must be a whole number from 0 to 10");
  CHECK(
      message("{volumebinding.shape: [{utilization: 5, score: 1}, {utilization: 5, score: 2}]}") ==
      "volumebinding.shape[1].utilization: must be more than that of the point before");
  const conf::Arguments heavy = MakeArguments("{volumebinding.weight: 1000001}");
  CHECK(plugins::CreatePredicates(heavy).status().message() ==
        "volumebinding.weight: beyond 1000000");
}

TEST_CASE("predicates: a shape is straight between its points, and level beyond them",
          "[plugins][predicates][volumes]") {
  CHECK(ScoreShape().At(0) == 100);
  CHECK(ScoreShape().At(30) == 70);
  CHECK(ScoreShape().At(100) == 0);
  const ScoreShape bent{.points = {{10, 0}, {50, 80}, {90, 40}}};
  CHECK(bent.At(0) == 0);
  CHECK(bent.At(30) == 40);
  CHECK(bent.At(70) == 60);
  CHECK(bent.At(100) == 40);
}

TEST_CASE("predicates: nodes are rated by the part of their volumes that a pod would use",
          "[plugins][predicates][volumes]") {
  const ScoreShape shape;
  const model::NodeFacts node;
  const auto claim = [](std::string name, std::string storage_class, int64_t bytes) {
    model::ClaimFacts facts;
    facts.key = "ns/" + name;
    facts.storage_class = std::move(storage_class);
    facts.bytes = bytes;
    return facts;
  };
  const model::ClaimFacts a = claim("a", "fast", 10);
  const model::ClaimFacts b = claim("b", "fast", 20);
  const model::ClaimFacts c = claim("c", "slow", 40);
  model::VolumeFacts small, large;
  small.bytes = 40;
  large.bytes = 60;
  CHECK(CapacityScore({}, {}, node, shape) == 0);
  CHECK(CapacityScore({}, {{&a, &small}}, node, shape) == 75);
  CHECK(CapacityScore({}, {{&a, &small}, {&b, &large}}, node, shape) == 70);   // 30 of 100.
  CHECK(CapacityScore({}, {{&a, &small}, {&c, &small}}, node, shape) == 38);   // 75 and 0.
  CHECK(CapacityScore({}, {{&a, nullptr}, {&c, nullptr}}, node, shape) == 0);  // Nobody says.
}

}  // namespace
}  // namespace bth::test
