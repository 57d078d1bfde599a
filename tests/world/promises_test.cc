// Promises that are judged by hand: what they let pass, and what not.
#include <string>
#include <vector>

#include "base/strings.h"
#include "sim/world/programs.h"
#include "sim/world/promises/promise.h"
#include "tests/support/catch.h"

namespace bth::sim {
namespace {

// A ledger that is told of objects one by one.
struct Court {
  Court() {
    sight.now = [this] { return now; };
    sight.fair_since = [this] { return fair_since; };
  }
  void Hear(PromisePtr promise_at_court) {
    promise = std::move(promise_at_court);
    onlookers = {promise.get()};
  }
  void Note(apiserver::EventType type, const std::string& collection, const std::string& text) {
    absl::StatusOr<types::Json> json = types::Json::Parse(text);
    INFO(text);
    REQUIRE(json.ok());
    (*json)["metadata"].Set("resourceVersion", std::to_string(revision + 1));
    sight.ledger.Note(collection, {++revision, type, apiserver::MakeStored(*json, {}), nullptr},
                      onlookers);
  }
  void Put(const std::string& collection, const std::string& text) {
    Note(apiserver::EventType::kModified, collection, text);
  }
  void Node(const std::string& name, int cpus = 4) {
    Put("nodes", StrCat(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")", name,
                        R"("},"status":{"allocatable":{"cpu":")", cpus, R"("}}})"));
  }
  static std::string HyperNode(const std::string& name, const std::string& a,
                               const std::string& b) {
    return StrCat(R"({"apiVersion":"topology.volcano.sh/v1alpha1","kind":"HyperNode","metadata":)",
                  R"({"name":")", name, R"("},"spec":{"tier":1,"members":[{"type":"Node",)",
                  R"("selector":{"exactMatch":{"name":")", a, R"("}}},{"type":"Node","selector":)",
                  R"({"exactMatch":{"name":")", b, R"("}}}]}})");
  }
  void Rack(const std::string& name, const std::string& a, const std::string& b) {
    Put("hypernodes.topology.volcano.sh", HyperNode(name, a, b));
  }
  void Shard(const std::string& name, const std::string& desired, const std::string& used) {
    Put("nodeshards.shard.volcano.sh",
        StrCat(R"({"apiVersion":"shard.volcano.sh/v1alpha1","kind":"NodeShard","metadata":{)",
               R"("name":")", name, R"("},"spec":{"nodesDesired":[)", desired,
               R"(]},"status":{"nodesInUse":[)", used, "]}}"));
  }
  // `cpus`: its capability; 0: none.
  void Queue(const std::string& name, int weight, int cpus = 0) {
    const std::string most = cpus == 0 ? "" : StrCat(R"(,"capability":{"cpu":")", cpus, R"("})");
    Put("queues.scheduling.volcano.sh",
        StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":{)",
               R"("name":")", name, R"("},"spec":{"weight":)", weight, most, "}}"));
  }
  // `more`: further members of its spec, each behind a comma.
  void Group(const std::string& name, int least, const std::string& more = "") {
    Put("podgroups.scheduling.volcano.sh",
        StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{)",
               R"("namespace":"ns","name":")", name, R"(","uid":"u-)", name,
               R"("},"spec":{"minMember":)", least, more, "}}"));
  }
  void Pod(const std::string& name, const std::string& group, const std::string& node,
           const std::string& more = "", std::string_view scheduler = "volcano") {
    const std::string text =
        StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"ns","name":")", name,
               R"(","uid":"u-)", name, R"(","annotations":{"scheduling.k8s.io/group-name":")",
               group, "\"}", more, R"(},"spec":{"schedulerName":")", scheduler,
               R"(","containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"2"}}}])");
    if (!sight.ledger.pods().contains("ns/" + name)) Put("pods", text + "}}");
    if (!node.empty()) Put("pods", StrCat(text, R"(,"nodeName":")", node, "\"}}"));
  }
  // Of app x; will not have such in its zone.
  void Shy(const std::string& name, const std::string& group, const std::string& node) {
    Put("pods", StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"ns","name":")",
                       name, R"(","uid":"u-)", name, R"(","labels":{"app":"x"},"annotations":{)",
                       R"("scheduling.k8s.io/group-name":")", group, R"("}},"spec":{"affinity":{)",
                       R"("podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)",
                       R"([{"topologyKey":"zone","labelSelector":{"matchLabels":{"app":"x"}}}]}},)",
                       R"("schedulerName":"volcano","nodeName":")", node, R"("}})"));
  }

  Sight sight;
  absl::Duration now = absl::Minutes(10);
  absl::Duration fair_since;
  PromisePtr promise;
  std::vector<Onlooker*> onlookers;
  int64_t revision = 0;
};

constexpr char kTier1[] = R"(,"networkTopology":{"mode":"hard","highestTierAllowed":1})";

struct Racks : Court {
  Racks() {
    Hear(MakeNearGangs(sight));
    sight.keeps_near = true;
    for (const char* node : {"n0", "n1", "n2", "n3"}) Node(node);
    Rack("rack-0", "n0", "n1");
    Rack("rack-1", "n2", "n3");
    now += absl::Minutes(1);
    Group("g", 2, kTier1);
    Pod("a", "g", "n0");
  }
};

TEST_CASE("near-gangs: a gang stays in one HyperNode of its tier", "[world][promises]") {
  Racks court;
  court.Pod("b", "g", "n1");
  CHECK(court.promise->breach().empty());
  CHECK(court.promise->looks() == 2);
  court.Pod("c", "g", "n2");
  CHECK(court.promise->breach() ==
        "pod ns/c was bound by somebody to n2, but group g must stay within tier 1; others of it: "
        "a on n0 b on n1");
}

TEST_CASE("near-gangs: a single pod may be outside all HyperNodes only if its tier is the highest",
          "[world][promises]") {
  Racks court;
  court.Node("n9");
  court.Group("top", 1, R"(,"networkTopology":{"mode":"hard","highestTierAllowed":2})");
  court.Pod("t", "top", "n9");
  court.Group("soft", 1, R"(,"networkTopology":{"mode":"soft"})");
  court.Pod("s", "soft", "n9");
  CHECK(court.promise->breach().empty());
  court.Group("low", 1, kTier1);
  court.Pod("l", "low", "n9");
  CHECK_FALSE(court.promise->breach().empty());
}

TEST_CASE("near-gangs: what nobody could know better", "[world][promises]") {
  Racks court;
  SECTION("a pod that is told to go does not count") {
    court.Pod("a", "g", "n0", R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")");
    court.Pod("b", "g", "n2");
  }
  SECTION("nor does one whose node is gone") {
    court.Note(apiserver::EventType::kDeleted, "nodes",
               R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n0"}})");
    court.Pod("b", "g", "n2");
  }
  SECTION("a gang whose HyperNode is gone has no bound any more") {
    court.Note(apiserver::EventType::kDeleted, "hypernodes.topology.volcano.sh",
               Court::HyperNode("rack-0", "n0", "n1"));
    court.now += absl::Minutes(1);
    court.Pod("b", "g", "n2");
  }
  SECTION("news of HyperNodes travel") {
    court.Rack("rack-0", "n0", "n3");
    court.now += absl::Seconds(3);
    court.Pod("b", "g", "n1");
  }
  SECTION("in bad weather a scheduler need not know of what another one has bound") {
    court.fair_since = court.now + absl::Minutes(1);
    court.sight.binder_of = {{"u-a", "scheduler-0_1"}, {"u-b", "scheduler-1_1"}};
    court.Pod("b", "g", "n2");
  }
  SECTION("the policy does not ask for it") {
    court.sight.keeps_near = false;
    court.Pod("b", "g", "n2");
  }
  CHECK(court.promise->breach().empty());
}

TEST_CASE("near-gangs: in bad weather a scheduler knows of what it has bound itself",
          "[world][promises]") {
  Racks court;
  court.fair_since = court.now + absl::Minutes(10);
  court.sight.binder_of = {{"u-a", "scheduler-0_1"}, {"u-b", "scheduler-0_1"}};
  SECTION("and its HyperNodes are the ones that are there") {
    court.Pod("b", "g", "n2");
    CHECK_FALSE(court.promise->breach().empty());
  }
  SECTION("or those that were") {
    court.Rack("rack-0", "n0", "n3");
    court.now += absl::Minutes(5);
    court.Pod("b", "g", "n1");
    CHECK(court.promise->breach().empty());
  }
}

TEST_CASE("own-shard: schedulers bind to nodes of their own shard", "[world][promises]") {
  Court court;
  court.Hear(MakeOwnShard(court.sight));
  court.Shard("volcano", R"("n0","n1")", R"("n2")");
  court.Shard(std::string(kAgentName), R"("n3")", "");
  court.Pod("a", "g", "n0");
  court.Pod("b", "g", "n2");
  court.Pod("s", "", "n3", "", kAgentName);
  CHECK(court.promise->looks() == 3);
  court.Shard("volcano", R"("n0")", "");
  court.now += absl::Seconds(3);
  court.Pod("c", "g", "n1");
  CHECK(court.promise->breach().empty());
  court.now += absl::Seconds(3);
  SECTION("not to one that left it a while ago") {
    court.Pod("d", "g", "n1");
    CHECK(court.promise->breach() ==
          "pod ns/d was bound by somebody to n1, which is not of shard volcano");
  }
  SECTION("which in bad weather one may not have heard of") {
    court.fair_since = court.now + absl::Minutes(1);
    court.Pod("d", "g", "n1");
    CHECK(court.promise->breach().empty());
    court.Pod("e", "g", "n3");
    CHECK_FALSE(court.promise->breach().empty());
  }
}

TEST_CASE("own-shard: no node is in use by two", "[world][promises]") {
  Court court;
  court.Hear(MakeOwnShard(court.sight));
  court.Shard("volcano", "", R"("n0","n1")");
  court.Shard(std::string(kAgentName), "", R"("n1")");
  court.promise->OnTick();
  CHECK(court.promise->breach().empty());
  court.now += absl::Minutes(1);
  SECTION("for a minute") {
    court.promise->OnTick();
    CHECK(court.promise->breach() ==
          "node n1 by agent-scheduler and volcano is in use for a minute");
  }
  SECTION("it is settled in time") {
    court.Shard(std::string(kAgentName), "", "");
    court.promise->OnTick();
    CHECK(court.promise->breach().empty());
  }
}

TEST_CASE("true-sums: what is told wrongly for long, in fair weather", "[world][promises]") {
  Court court;
  court.Hear(MakeTrueSums(court.sight));
  const auto tell = [&court](int running) {
    court.Put("queues.scheduling.volcano.sh",
              StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":{)",
                     R"("name":"a"},"status":{"running":)", running, "}}"));
  };
  const auto later = [&court](absl::Duration time) {
    court.now += time;
    court.promise->OnTick();
    return court.promise->breach();
  };
  tell(1);
  CHECK(later(absl::ZeroDuration()).empty());
  SECTION("until it is judged") {
    CHECK(later(absl::Minutes(5)).empty());
    CHECK(later(absl::Minutes(1)) ==
          "queue a tells of 1 running, 0 pending, 0 inqueue; it is 0, 0, 0, since 6m");
  }
  SECTION("what was mended in foul weather, and comes again after it, is new") {
    court.fair_since = court.now + absl::Seconds(1);
    tell(0);
    CHECK(later(absl::Minutes(1)).empty());
    tell(1);
    CHECK(later(absl::Minutes(6)).empty());
    CHECK_FALSE(later(absl::Minutes(6)).empty());
  }
}

using Names = std::vector<std::string>;

TEST_CASE("all-run: what is larger than the part of its queue may be taken back",
          "[world][promises]") {
  Court court;
  court.Node("n0");
  court.Queue("a", 3);
  court.Queue("b", 1);
  court.Group("big", 2, R"(,"queue":"a")");
  court.Pod("big-0", "big", "");
  court.Pod("big-1", "big", "");
  court.Group("small", 1, R"(,"queue":"b")");
  court.Pod("small-0", "small", "");
  // Of four CPUs three are a's, which asks for four, and one is b's, which asks for two.
  CHECK(HopelessOf(court.sight).empty());
  court.sight.by_weight = true;
  CHECK(HopelessOf(court.sight) == Names{"podgroups ns/big", "podgroups ns/small"});
  // What several ask for, and fits all parts, has no excuse.
  court.Node("n1", 8);
  CHECK(HopelessOf(court.sight).empty());
  // What is not there in the cluster comes first.
  court.Node("n1", 0);
  court.Group("small", 9, R"(,"queue":"b")");
  CHECK(HopelessOf(court.sight) == Names{"podgroups ns/small"});
}

TEST_CASE("all-run: what a task lacks must fit as a whole", "[world][promises]") {
  Court court;
  court.Queue("default", 1);
  for (const char* node : {"n0", "n1"}) court.Node(node, 2);
  const int least = GENERATE(3, 2);  // With less than the sum, tasks have no minimum.
  court.Group("g", least, R"(,"minTaskMember":{"a":1,"b":2})");
  const auto task = [](const char* name) { return StrCat(R"(g","volcano.sh/task-spec":")", name); };
  court.Pod("a-0", task("a"), "n0");
  court.Pod("a-1", task("a"), "n1");
  for (const char* name : {"b-0", "b-1"}) court.Pod(name, task("b"), "");
  CHECK(HopelessOf(court.sight).empty());
  court.Queue("default", 1, 2);
  CHECK(HopelessOf(court.sight) == (least == 3 ? Names{"podgroups ns/g"} : Names{}));
}

TEST_CASE("all-run: what no HyperNode or shard takes may be taken back", "[world][promises]") {
  Court court;
  court.Queue("default", 1);
  for (const char* node : {"n0", "n1", "n2", "n3"}) court.Node(node, 2);
  court.Rack("rack-0", "n0", "n1");
  court.Group("g", 1, kTier1);
  court.Pod("a", "g", "");
  court.Pod("b", "g", "");
  court.sight.keeps_near = true;
  CHECK(HopelessOf(court.sight).empty());
  // One would do, but what waits must fit as a whole before the first one is placed.
  court.Pod("c", "g", "");
  CHECK(HopelessOf(court.sight) == Names{"podgroups ns/g"});
  court.Pod("a", "g", "n0");
  CHECK(HopelessOf(court.sight).empty());
  court.sight.hard_shards = true;
  court.Shard("volcano", R"("n0")", "");
  CHECK(HopelessOf(court.sight).empty());
  court.Shard("volcano", R"("n3")", "");
  CHECK(HopelessOf(court.sight) == Names{"podgroups ns/g"});
}

TEST_CASE("all-run: what will not have its like near must be able to come one by one",
          "[world][promises]") {
  Court court;
  court.Queue("default", 1);
  court.Node("n0");
  const int least = GENERATE(1, 2);
  court.Group("g", least);
  for (const char* name : {"a", "b"}) court.Shy(name, "g", "");
  CHECK(HopelessOf(court.sight) == (least == 2 ? Names{"podgroups ns/g"} : Names{}));
}

TEST_CASE("kept-apart: in a domain, either way, and not beyond what can be known",
          "[world][promises]") {
  Court court;
  court.Hear(MakeKeptApart(court.sight));
  const std::string zone = GENERATE("a", "b");
  const auto node = [&court](const std::string& name, const std::string& in) {
    court.Put("nodes", StrCat(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")", name,
                              R"(","labels":{"zone":")", in, R"("}}})"));
  };
  node("n0", "a");
  node("n1", zone);
  const std::string x = R"(,"labels":{"app":"x"})";
  court.now += absl::Seconds(1);
  SECTION("labels that are new") {
    court.Shy("s", "", "n1");
    court.Pod("p", "g", "n0", x);
    CHECK(court.promise->breach().empty());
    return;
  }
  court.now += kNewsWithin;
  SECTION("who will not have it is there") {
    court.Shy("s", "", "");
    court.Shy("s", "", "n1");
    court.Pod("p", "g", "n0", x);
  }
  SECTION("it is there") {
    court.Pod("p", "g", "n0", x);
    court.Shy("s", "", "");
    court.Shy("s", "", "n1");
  }
  SECTION("another app") {
    court.Shy("s", "", "");
    court.Shy("s", "", "n1");
    court.Pod("p", "g", "n0");
    CHECK(court.promise->breach().empty());
    return;
  }
  CHECK(court.promise->breach().empty() == (zone == "b"));
}

}  // namespace
}  // namespace bth::sim
