// Which pods belong together by services and workloads, and the spread that follows from it.
#include <algorithm>
#include <map>

#include "base/strings.h"
#include "cache/cluster/mirror.h"
#include "cache/intake/compile_selectors.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using model::TaskId;
using testing::PodText;
using testing::Read;

CompiledService Service(const std::string& name, const Labels& selector,
                        const std::string& ns = "ns") {
  return {.ns = ns, .name = name, .selector = selector};
}

CompiledPod Pod(const Labels& labels, const std::string& owner = "") {
  CompiledPod pod;
  pod.names.ns = "ns";
  pod.labels = labels;
  pod.owner = owner.empty() ? "" : WorkloadKey(owner, "ns", "w");
  return pod;
}

CompiledWorkload Set(const std::vector<LabelRequirement>& selector) {
  CompiledWorkload out;
  out.ns = "ns";
  out.key = WorkloadKey("ReplicaSet", "ns", "w");
  out.selector = selector;
  return out;
}

// The requirements of the selector that a pod's siblings meet, in order of their texts.
std::string SiblingsOf(SelectorBook& book, const CompiledPod& pod, Interner& symbols) {
  const auto spread = book.SpreadOf(pod, symbols);
  if (spread == nullptr) return "none";
  REQUIRE(spread->spread.size() == 2);
  std::vector<std::string> texts;
  for (const model::NodeRequirement& r : spread->spread[0].selector.requirements) {
    std::string text = StrCat(symbols.Text(r.key), " ", static_cast<int>(r.op));
    for (Symbol value : r.values) StrAppend(&text, " ", symbols.Text(value));
    texts.push_back(std::move(text));
  }
  std::sort(texts.begin(), texts.end());
  std::string out;
  for (const std::string& text : texts) StrAppend(&out, out.empty() ? "" : ", ", text);
  return out;
}

TEST_CASE("default spread: hosts with a skew of 3, zones with 5, both preferred",
          "[cache][spread]") {
  Interner symbols;
  SelectorBook book;
  book.Put(Service("s", {{"app", "x"}}));
  const auto spread = book.SpreadOf(Pod({{"app", "x"}}), symbols);
  REQUIRE(spread != nullptr);
  CHECK(symbols.Text(spread->own->ns) == "ns");
  REQUIRE(spread->spread.size() == 2);
  const model::SpreadConstraint& host = spread->spread[0];
  const model::SpreadConstraint& zone = spread->spread[1];
  CHECK(symbols.Text(host.topology_key) == "kubernetes.io/hostname");
  CHECK(host.per_host);
  CHECK(host.skew_max == 3);
  CHECK(symbols.Text(zone.topology_key) == "topology.kubernetes.io/zone");
  CHECK_FALSE(zone.per_host);
  CHECK(zone.skew_max == 5);
  for (const model::SpreadConstraint* one : {&host, &zone}) {
    CHECK_FALSE(one->required);
    CHECK(one->by_default);
    CHECK(one->honor_node_affinity);
    CHECK_FALSE(one->honor_node_taints);
  }
}

TEST_CASE("default spread: siblings are those of all services and of the owner",
          "[cache][spread]") {
  Interner symbols;
  SelectorBook book;
  book.Put(Service("app", {{"app", "x"}}));
  book.Put(Service("both", {{"app", "x"}, {"tier", "t"}}));
  book.Put(Service("all", {}));
  book.Put(Service("elsewhere", {{"app", "x"}, {"zone", "z"}}, "other"));
  book.Put(Set({{.key = "hash", .op = model::SelectorOp::kExists, .values = {}},
                {.key = "app", .op = model::SelectorOp::kIn, .values = {"x"}}}));
  struct Case {
    CompiledPod pod;
    std::string siblings;
  };
  const std::vector<Case> cases = {
      {Pod({}), "none"},
      {Pod({{"app", "y"}}), "none"},
      {Pod({{"app", "x"}}), "app 0 x"},
      {Pod({{"app", "x"}, {"other", "o"}, {"tier", "t"}}), "app 0 x, tier 0 t"},
      {Pod({{"tier", "t"}}), "none"},
      // What both say counts once.
      {Pod({{"app", "x"}}, "ReplicaSet"), "app 0 x, hash 2"},
      {Pod({{"app", "y"}}, "ReplicaSet"), "app 0 x, hash 2"},
      // Of the same name, but of another kind.
      {Pod({{"app", "x"}}, "StatefulSet"), "app 0 x"},
  };
  for (const Case& c : cases) {
    INFO(c.pod.labels.size() << " labels, owner " << c.pod.owner);
    CHECK(SiblingsOf(book, c.pod, symbols) == c.siblings);
  }
}

TEST_CASE("default spread: a replication controller goes before services", "[cache][spread]") {
  Interner symbols;
  SelectorBook book;
  book.Put(Service("s", {{"app", "x"}, {"tier", "t"}}));
  CompiledWorkload controller;
  controller.ns = "ns";
  controller.key = WorkloadKey("ReplicationController", "ns", "w");
  controller.pairs = {{"app", "y"}};
  book.Put(controller);
  CHECK(SiblingsOf(book, Pod({{"app", "x"}, {"tier", "t"}}, "ReplicationController"), symbols) ==
        "app 0 y, tier 0 t");
}

TEST_CASE("default spread: pods that are selected alike share one object", "[cache][spread]") {
  Interner symbols;
  SelectorBook book;
  book.Put(Service("s", {{"app", "x"}}));
  const auto first = book.SpreadOf(Pod({{"app", "x"}, {"index", "1"}}), symbols);
  CHECK(first == book.SpreadOf(Pod({{"app", "x"}, {"index", "2"}}), symbols));
  // A service that adds nothing leaves it.
  book.Put(Service("again", {{"app", "x"}}));
  CHECK(first == book.SpreadOf(Pod({{"app", "x"}}), symbols));
  book.Put(Service("more", {{"index", "1"}}));
  CHECK(first != book.SpreadOf(Pod({{"app", "x"}, {"index", "1"}}), symbols));
}

TEST_CASE("default spread: only those who wait and are concerned are looked at again",
          "[cache][spread]") {
  SelectorBook book;
  const std::map<TaskId, CompiledPod> pods = {
      {TaskId::FromIndex(0), Pod({{"app", "x"}})},
      {TaskId::FromIndex(1), Pod({{"app", "y"}})},
      {TaskId::FromIndex(2), Pod({{"tier", "t"}}, "ReplicaSet")},
      {TaskId::FromIndex(3), Pod({})},
  };
  for (const auto& [id, pod] : pods) book.Enter(id, pod);
  const auto affected = [&] {
    std::vector<size_t> out;
    for (TaskId id :
         book.TakeAffected([&](TaskId task) -> const CompiledPod& { return pods.at(task); })) {
      out.push_back(id.index());
    }
    return out;
  };
  using Ids = std::vector<size_t>;
  CHECK(affected().empty());
  book.Put(Service("s", {{"app", "x"}}));
  CHECK(affected() == Ids{0});
  CHECK(affected().empty());
  book.Put(Service("s", {{"app", "x"}}));  // As before.
  CHECK(affected().empty());
  book.Put(Service("s", {{"app", "y"}}));
  CHECK(affected() == Ids{0, 1});
  book.Put(Service("s", {}));
  CHECK(affected() == Ids{1});
  book.Put(Set({}));
  CHECK(affected() == Ids{2});
  book.RemoveWorkload(WorkloadKey("ReplicaSet", "ns", "w"));
  book.Put(Service("far", {{"app", "x"}}, "other"));
  CHECK(affected() == Ids{2});
  book.RemoveService("ns", "never there");
  book.Leave(TaskId::FromIndex(2), "ns");
  book.Put(Set({}));
  book.Put(Service("s", {{"app", "x"}}));
  CHECK(affected() == Ids{0});
}

TEST_CASE("default spread: a service is found by its rarest label", "[cache][spread]") {
  Interner symbols;
  SelectorBook book;
  for (int i = 0; i < 50; ++i) {
    book.Put(Service(StrCat("s", i), {{"a", "1"}, {"own", StrCat(i)}}));
  }
  CHECK(SiblingsOf(book, Pod({{"a", "1"}, {"own", "7"}}), symbols) == "a 0 1, own 0 7");
  // Only pods with the own label can have been affected, but for the first.
  const CompiledPod pod = Pod({{"a", "1"}, {"own", "none"}});
  book.Enter(TaskId::FromIndex(0), pod);
  for (int i = 1; i < 50; ++i) book.RemoveService("ns", StrCat("s", i));
  CHECK(book.TakeAffected([&](TaskId) -> const CompiledPod& { return pod; }).empty());
  CHECK(SiblingsOf(book, Pod({{"a", "1"}, {"own", "7"}}), symbols) == "none");
  CHECK(SiblingsOf(book, Pod({{"a", "1"}, {"own", "0"}}), symbols) == "a 0 1, own 0 0");
}

TEST_CASE("compile: services and workloads as far as they select pods", "[cache][spread]") {
  const CompiledService service = Compile(Read<types::Service>(
      R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s","namespace":"ns"},
          "spec":{"selector":{"b":"2","a":"1"},"ports":[{"port":80}]}})"));
  CHECK(service.ns == "ns");
  CHECK(service.name == "s");
  CHECK(service.selector == Labels{{"a", "1"}, {"b", "2"}});
  const CompiledWorkload controller = Compile(Read<types::ReplicationController>(
      R"({"apiVersion":"v1","kind":"ReplicationController","metadata":{"name":"w",
          "namespace":"ns"},"spec":{"selector":{"a":"1"}}})"));
  CHECK(controller.key == WorkloadKey("ReplicationController", "ns", "w"));
  CHECK(controller.pairs == Labels{{"a", "1"}});
  const CompiledWorkload set = Compile(Read<types::ReplicaSet>(
      R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"w","namespace":"ns"},
          "spec":{"selector":{"matchLabels":{"a":"1"},"matchExpressions":
          [{"key":"b","operator":"Exists"}]}}})"));
  CHECK(set.key == WorkloadKey("ReplicaSet", "ns", "w"));
  REQUIRE(set.selector.size() == 2);
  CHECK(set.selector[0].key == "a");
  CHECK(set.selector[1].op == model::SelectorOp::kExists);
  // One that cannot be parsed, or is not there, adds nothing.
  for (const char* selector : {R"({"matchExpressions":[{"key":"b","operator":"In"}]})", "null"}) {
    INFO(selector);
    CHECK(Compile(Read<types::StatefulSet>(StrCat(
                      R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"w",
                          "namespace":"ns"},"spec":{"selector":)",
                      selector, "}}")))
              .selector.empty());
  }
}

TEST_CASE("compile: the workload that manages a pod", "[cache][spread]") {
  struct Case {
    std::string version;
    std::string kind;
    bool manages;
    std::string key;
  };
  const Case c =
      GENERATE(values<Case>({{"apps/v1", "ReplicaSet", true, "ReplicaSet ns/w"},
                             {"apps/v1", "StatefulSet", true, "StatefulSet ns/w"},
                             {"v1", "ReplicationController", true, "ReplicationController ns/w"},
                             {"apps/v1", "ReplicaSet", false, ""},
                             {"apps/v1", "DaemonSet", true, ""},
                             {"batch.volcano.sh/v1alpha1", "Job", true, ""},
                             {"example.com/v1", "ReplicaSet", true, ""},
                             {"apps/v1", "ReplicationController", true, ""}}));
  CAPTURE(c.version, c.kind, c.manages);
  Interner symbols;
  PodText text;
  text.meta =
      StrCat(R"("ownerReferences":[{"apiVersion":")", c.version, R"(","kind":")", c.kind,
             R"(","name":"w","uid":"u","controller":)", c.manages ? "true" : "false", "}],");
  CHECK(testing::MakePod(text, symbols).owner == c.key);
}

// One pod that waits, in a mirror with one node.
struct SpreadBed {
  ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};
  Mirror mirror{clock, {}};

  SpreadBed() { mirror.PutNode(testing::MakeNode("n", R"({"cpu":"9","pods":"10"})", symbols())); }
  Interner& symbols() { return mirror.vocabulary().symbols(); }
  void Put(const std::string& spec = "", const std::string& labels = R"("app":"x")",
           const std::string& group = "g") {
    PodText text;
    text.group = group;
    text.meta = StrCat(R"("labels":{)", labels, "},");
    text.spec = spec;
    mirror.PutPod(testing::MakePod(text, symbols()));
  }
  std::shared_ptr<const model::PodPeerTerms> Spread() {
    const auto snapshot = mirror.Publish();
    for (TaskId id : snapshot->tasks.ids()) {
      if (snapshot->tasks[id].names != nullptr) return snapshot->tasks[id].default_spread;
    }
    return nullptr;
  }
};

TEST_CASE("mirror: a waiting pod's spread follows its services", "[cache][spread]") {
  SpreadBed bed;
  bed.Put();
  CHECK(bed.Spread() == nullptr);
  bed.mirror.selectors().Put(Service("s", {{"app", "x"}}));
  const auto first = bed.Spread();
  REQUIRE(first != nullptr);
  // A change of a service lets in nobody who was kept out: no cycle is due.
  bed.mirror.selectors().Put(Service("s", {{"app", "y"}}));
  CHECK_FALSE(bed.mirror.changed());
  CHECK(bed.Spread() == nullptr);
  bed.Put("", R"("app":"y")");
  CHECK(bed.Spread() != nullptr);
  CHECK(bed.Spread() != first);
  bed.mirror.selectors().RemoveService("ns", "s");
  CHECK(bed.Spread() == nullptr);
}

TEST_CASE("mirror: who has no spread by default", "[cache][spread]") {
  const std::string soft = R"("topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z",
       "whenUnsatisfiable":"ScheduleAnyway","labelSelector":{"matchLabels":{"app":"x"}}}],)";
  const std::string avoids =
      R"("affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
       [{"topologyKey":"h","labelSelector":{"matchLabels":{"app":"x"}}}]}},)";
  struct Case {
    std::string spec;
    std::string group;
    bool spreads;
  };
  const Case c = GENERATE_COPY(values<Case>({{"", "g", true},
                                             {avoids, "g", true},
                                             {soft, "g", false},
                                             {R"("nodeName":"n",)", "g", false},
                                             {"", "", false}}));
  CAPTURE(c.spec, c.group);
  const bool service_first = GENERATE(false, true);
  SpreadBed bed;
  if (service_first) bed.mirror.selectors().Put(Service("s", {{"app", "x"}}));
  bed.Put(c.spec, R"("app":"x")", c.group);
  if (!service_first) bed.mirror.selectors().Put(Service("s", {{"app", "x"}}));
  CHECK((bed.Spread() != nullptr) == c.spreads);
}

TEST_CASE("mirror: labels that services ask about are kept apart", "[cache][spread]") {
  SpreadBed bed;
  bed.Put("", R"("app":"x","index":"1")");
  const auto labels = [&bed] {
    const auto snapshot = bed.mirror.Publish();
    for (TaskId id : snapshot->tasks.ids()) {
      if (snapshot->tasks[id].names != nullptr) {
        return snapshot->labels[snapshot->tasks[id].labels]->labels.size();
      }
    }
    return size_t{99};
  };
  CHECK(labels() == 0);
  bed.mirror.selectors().Put(Service("s", {{"app", "x"}}));
  CHECK(labels() == 1);
}

}  // namespace
}  // namespace bth::cache
