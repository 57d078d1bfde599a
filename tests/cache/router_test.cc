#include "cache/routing/router.h"

#include <map>
#include <string>
#include <utility>

#include "base/strings.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using testing::PodText;
using testing::Read;

struct RouterBed {
  ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};
  Mirror mirror{clock, {}};
  Responsibility responsibility;
  Router router{mirror, responsibility};

  static types::Pod MakePodObject(const PodText& text, const std::string& scheduler = "volcano") {
    types::Pod pod = Read<types::Pod>(text.Json());
    pod.spec.scheduler_name = scheduler;
    return pod;
  }
  template <typename T>
  T Make(std::string_view api_version, std::string_view rest, std::string_view meta = "") {
    return Read<T>(StrCat(R"({"apiVersion":")", api_version, R"(","kind":")",
                          types::ResourceTraits<T>::type().kind,
                          R"(","metadata":{"namespace":"ns",)", meta, R"("name":"x"})", rest, "}"));
  }
  std::shared_ptr<const model::Snapshot> Look() { return mirror.Publish(); }
};

TEST_CASE("router: a waiting pod of another scheduler is noted, a bound one takes its room",
          "[cache][router]") {
  RouterBed bed;
  bed.mirror.PutPodGroup(testing::MakeGroup("g", 1));
  CHECK(bed.mirror.OwnsGroup("ns/g"));
  REQUIRE(bed.router.Put(RouterBed::MakePodObject({}, "another")).ok());
  CHECK(bed.mirror.pods() == 0);
  CHECK_FALSE(bed.mirror.OwnsGroup("ns/g"));
  REQUIRE(bed.router.Put(RouterBed::MakePodObject({.spec = R"("nodeName":"n",)"}, "another")).ok());
  CHECK(bed.mirror.pods() == 1);
  bed.router.Remove(Kind<types::Pod>(), {"ns", "p"});
  CHECK(bed.mirror.pods() == 0);
  CHECK(bed.mirror.OwnsGroup("ns/g"));
}

TEST_CASE("router: of a role longer than any name only so much is kept as tells it apart",
          "[cache][router]") {
  RouterBed bed;
  bed.mirror.PutQueue(testing::MakeQueue("default"));
  bed.mirror.PutPodGroup(testing::MakeGroup("g", 1));
  const std::string longest(253, 'x');
  const std::string beyond(200'000, 'x');
  const auto role = [](const std::string& name) {
    return StrCat(R"("volcano.sh/task-spec":")", name, R"(",)");
  };
  for (const auto& [name, text] : {std::pair("a", longest), std::pair("b", beyond),
                                   std::pair("c", beyond + "x"), std::pair("d", beyond)}) {
    REQUIRE(
        bed.router.Put(RouterBed::MakePodObject({.name = name, .annotations = role(text)})).ok());
  }
  std::map<std::string, std::string> roles;
  const auto snapshot = bed.Look();
  for (model::TaskId task : snapshot->tasks.ids()) {
    roles[snapshot->tasks[task].names->name] = snapshot->tasks[task].names->role;
  }
  CHECK(roles["a"] == longest);
  CHECK(roles["b"].size() <= 300);
  CHECK(roles["b"] == roles["d"]);
  CHECK(roles["b"] != roles["c"]);
  CHECK(roles["b"] != roles["a"]);
}

TEST_CASE("router: what is refused says why, and its last usable state stays", "[cache][router]") {
  RouterBed bed;
  REQUIRE(bed.router.Put(RouterBed::MakePodObject({.cpu = "1"})).ok());
  const types::Pod bad = RouterBed::MakePodObject({.cpu = "-1"});
  const absl::Status refused = bed.router.Put(bad);
  CHECK(absl::IsInvalidArgument(refused));
  CHECK(refused.message() == "cpu: quantity -1 is negative");
  CHECK(bed.mirror.pods() == 1);
  CHECK(bed.router.IsTold(bad, refused));
  // Of other schedulers' pods only those that we cannot count are our business.
  const types::Pod foreign = RouterBed::MakePodObject({.cpu = "-1"}, "another");
  CHECK_FALSE(bed.router.IsTold(foreign, refused));
  CHECK(bed.router.IsTold(foreign, absl::ResourceExhaustedError("requests")));
  CHECK(Router::kIsTold<types::Node>);
  CHECK_FALSE(Router::kIsTold<types::Pod>);
  CHECK_FALSE(Router::kIsTold<types::Service>);
}

TEST_CASE("router: a node that is not ours is as if it were not there", "[cache][router]") {
  RouterBed bed;
  const std::string status = R"(,"status":{"allocatable":{"cpu":"4","pods":"9"}})";
  const auto node = bed.Make<types::Node>("v1", status, R"("labels":{"pool":"a"},)");
  REQUIRE(bed.router.Put(node).ok());
  CHECK(bed.mirror.nodes() == 1);
  CHECK(bed.mirror.NodeNamed("x")->document == nullptr);
  bed.responsibility.documents = true;
  REQUIRE(bed.router.Put(node).ok());
  CHECK(bed.mirror.NodeNamed("x")->document != nullptr);
  bed.responsibility.node_labels = {{"pool", "b"}};
  REQUIRE(bed.router.Put(node).ok());
  CHECK(bed.mirror.nodes() == 0);
}

TEST_CASE("router: pods are kept as documents on request", "[cache][router]") {
  RouterBed bed;
  CHECK(bed.router.Read(RouterBed::MakePodObject({}))->document == nullptr);
  bed.responsibility.documents = true;
  CHECK(bed.router.Read(RouterBed::MakePodObject({}))->document != nullptr);
}

TEST_CASE("router: objects of the scheduler's own kinds come and go", "[cache][router]") {
  RouterBed bed;
  constexpr std::string_view kOurs = "scheduling.volcano.sh/v1beta1";
  REQUIRE(bed.router.Put(bed.Make<types::Queue>(kOurs, R"(,"spec":{"weight":1})")).ok());
  REQUIRE(bed.router
              .Put(bed.Make<types::PriorityClass>("scheduling.k8s.io/v1",
                                                  R"(,"value":7,"globalDefault":true)"))
              .ok());
  const std::string spec = R"(,"spec":{"queue":"x","minMember":1})";
  REQUIRE(bed.router.Put(bed.Make<types::PodGroup>(kOurs, spec)).ok());
  const auto full = bed.Look();
  REQUIRE(full->all_jobs->size() == 1);
  CHECK(full->jobs[full->all_jobs->front()].priority == 7);
  bed.router.Remove(Kind<types::PriorityClass>(), {"", "x"});
  const auto without_class = bed.Look();
  CHECK(without_class->jobs[without_class->all_jobs->front()].priority == 0);
  bed.router.Remove(Kind<types::Queue>(), {"", "x"});
  CHECK(bed.Look()->jobs_without_queue->size() == 1);
  bed.router.Remove(Kind<types::PodGroup>(), {"ns", "x"});
  CHECK(bed.Look()->jobs_without_queue->empty());
}

TEST_CASE("router: shards mark nodes, and come and go", "[cache][router]") {
  const ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};
  Mirror mirror{clock, {.shard = {.mode = model::ShardMode::kHard, .name = "mine"}}};
  const Responsibility responsibility;
  Router router{mirror, responsibility};
  const auto put_node = [&router](const std::string& name) {
    types::Node node;
    node.meta.name = name;
    REQUIRE(router.Put(node).ok());
  };
  const auto inside = [&mirror] {
    const auto snapshot = mirror.Publish();
    CHECK(snapshot->shard_mode == model::ShardMode::kHard);
    std::string names;
    for (model::NodeId node : *snapshot->nodes_by_name) {
      if (!snapshot->nodes[node].outside_shard) {
        StrAppend(&names, snapshot->node_facts(node).name, " ");
      }
    }
    return names;
  };
  put_node("n1");
  CHECK(inside().empty());
  CHECK(mirror.lacks_shard());
  types::NodeShard mine;
  mine.meta.name = "mine";
  mine.nodes_desired = {"n1", "n2"};
  REQUIRE(router.Put(mine).ok());
  put_node("n2");
  put_node("n3");
  CHECK(inside() == "n1 n2 ");
  types::NodeShard other;
  other.meta.name = "other";
  other.nodes_in_use = {"n2"};
  REQUIRE(router.Put(other).ok());
  CHECK(inside() == "n1 ");
  CHECK(mirror.nodes_in_shard() == 1);
  router.Remove(Kind<types::NodeShard>(), {"", "other"});
  CHECK(inside() == "n1 n2 ");
  const auto news = mirror.TakeShardNews();
  REQUIRE(news);
  CHECK(news->use == ShardUse{{"n1", "n2"}, {}, {}});
  mine.nodes_in_use = {"n1", "n2"};
  REQUIRE(router.Put(mine).ok());
  CHECK_FALSE(mirror.TakeShardNews());
  // What is read anew is told anew.
  mirror.StartOver();
  CHECK(mirror.lacks_shard());
  put_node("n1");
  CHECK(inside().empty());
}

TEST_CASE("router: budgets, quotas and namespaces come and go", "[cache][router]") {
  RouterBed bed;
  REQUIRE(bed.router
              .Put(bed.Make<types::PodDisruptionBudget>("policy/v1", R"(,"spec":{"selector":{}})"))
              .ok());
  REQUIRE(bed.router.Put(bed.Make<types::ResourceQuota>("v1", R"(,"status":{"hard":{"cpu":"1"}})"))
              .ok());
  REQUIRE(bed.router.Put(bed.Make<types::Namespace>("v1", "", R"("labels":{"a":"b"},)")).ok());
  const auto full = bed.Look();
  CHECK(full->budgets.size() == 1);
  REQUIRE(full->quotas != nullptr);
  CHECK(full->quotas->size() == 1);
  REQUIRE(full->namespaces != nullptr);
  CHECK(full->namespaces->size() == 1);
  REQUIRE(bed.router.Put(RouterBed::MakePodObject({})).ok());
  const auto budgets_of_pod = [&bed] {
    const auto snapshot = bed.Look();
    return snapshot->tasks[model::TaskId::FromIndex(0)].budgets != nullptr;
  };
  CHECK(budgets_of_pod());
  bed.router.Remove(Kind<types::PodDisruptionBudget>(), {"ns", "x"});
  bed.router.Remove(Kind<types::ResourceQuota>(), {"ns", "x"});
  bed.router.Remove(Kind<types::Namespace>(), {"", "x"});
  CHECK_FALSE(budgets_of_pod());
  CHECK(bed.Look()->quotas == nullptr);
  CHECK(bed.Look()->namespaces->empty());
}

TEST_CASE("router: objects of storage come and go", "[cache][router]") {
  RouterBed bed;
  const StorageMirror& storage = bed.mirror.storage();
  REQUIRE(bed.router.Put(bed.Make<types::PersistentVolumeClaim>("v1", "")).ok());
  REQUIRE(bed.router.Put(bed.Make<types::PersistentVolume>("v1", "")).ok());
  CHECK(storage.Claim("ns/x") != nullptr);
  CHECK(storage.Volume("x") != nullptr);
  bed.router.Remove(Kind<types::PersistentVolumeClaim>(), {"ns", "x"});
  bed.router.Remove(Kind<types::PersistentVolume>(), {"", "x"});
  CHECK(storage.Claim("ns/x") == nullptr);
  CHECK(storage.Volume("x") == nullptr);
}

// Spread by default follows whatever selects the pod.
TEST_CASE("router: services and workloads come and go", "[cache][router]") {
  RouterBed bed;
  bed.mirror.PutPodGroup(testing::MakeGroup("g", 1));
  const auto spreads = [&bed] {
    const auto snapshot = bed.Look();
    return snapshot->tasks[model::TaskId::FromIndex(0)].default_spread != nullptr;
  };
  REQUIRE(bed.router
              .Put(RouterBed::MakePodObject(
                  {.meta = R"("labels":{"app":"a"},"ownerReferences":[{"apiVersion":"apps/v1",)"
                           R"("kind":"ReplicaSet","name":"x","uid":"u","controller":true}],)"}))
              .ok());
  CHECK_FALSE(spreads());
  REQUIRE(
      bed.router.Put(bed.Make<types::Service>("v1", R"(,"spec":{"selector":{"app":"a"}})")).ok());
  CHECK(spreads());
  bed.router.Remove(Kind<types::Service>(), {"ns", "x"});
  CHECK_FALSE(spreads());
  const std::string selector = R"(,"spec":{"selector":{"matchLabels":{"app":"a"}}})";
  REQUIRE(bed.router.Put(bed.Make<types::ReplicaSet>("apps/v1", selector)).ok());
  CHECK(spreads());
  bed.router.Remove(Kind<types::StatefulSet>(), {"ns", "x"});  // Another kind of that name.
  CHECK(spreads());
  bed.router.Remove(Kind<types::ReplicaSet>(), {"ns", "x"});
  CHECK_FALSE(spreads());
}

}  // namespace
}  // namespace bth::cache
