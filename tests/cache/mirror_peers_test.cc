// Who stands on which node, by labels and terms.
#include "base/strings.h"
#include "cache/cluster/mirror.h"
#include "cache/cluster/pod_label_book.h"
#include "cache/intake/compile.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using testing::MakeNode;
using testing::MakePod;
using testing::MakeQueue;
using testing::PodText;

constexpr char kAvoidsX[] =
    R"("affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
       [{"topologyKey":"h","labelSelector":{"matchLabels":{"app":"x"}}}]}},)";

struct PeersBed {
  ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};
  Mirror mirror{clock, {}};

  PeersBed() {
    mirror.PutNode(MakeNode("n", R"({"cpu":"9","pods":"10"})", symbols()));
    mirror.PutQueue(MakeQueue("default"));
  }
  Interner& symbols() { return mirror.vocabulary().symbols(); }
  void Put(const std::string& name, const std::string& labels, const std::string& spec = "",
           const std::string& status = R"("phase":"Running",)", const std::string& more = "") {
    PodText text;
    text.name = name;
    text.meta = StrCat(R"("labels":{)", labels, "},", more);
    text.spec = spec;
    text.status = status;
    mirror.PutPod(MakePod(text, symbols()));
  }
  // "<pods>x <labels>[ with terms][ terminating]" of node n, in order of their texts.
  std::vector<std::string> Peers() {
    const auto snapshot = mirror.Publish();
    std::vector<std::string> out;
    const model::PodsOnNode& peers = snapshot->pods_on_nodes[(*snapshot->nodes_by_name)[0]];
    if (peers == nullptr) return out;
    for (const model::LabelledPods& row : *peers) {
      std::string text = StrCat(row.pods, "x");
      for (const auto& [key, value] : snapshot->labels[row.labels]->labels) {
        StrAppend(&text, " ", symbols().Text(key), "=", symbols().Text(value));
      }
      if (row.terms.valid()) {
        REQUIRE(snapshot->constraints[row.terms]->peer_terms->has_affinity());
        text += " with terms";
      }
      if (row.terminating) text += " terminating";
      out.push_back(std::move(text));
    }
    std::sort(out.begin(), out.end());
    return out;
  }
};

using Rows = std::vector<std::string>;
constexpr char kOnN[] = R"("nodeName":"n",)";

TEST_CASE("mirror: pods on nodes are counted by the labels that somebody asks about",
          "[cache][peers]") {
  PeersBed bed;
  bed.Put("a", R"("app":"x","index":"1")", kOnN);
  bed.Put("b", R"("app":"x","index":"2")", kOnN);
  bed.Put("c", R"("app":"y","index":"3")", kOnN);
  CHECK(bed.Peers() == Rows{"3x"});
  // A selector that came later relabels those that are there.
  bed.Put("w", "", kAvoidsX, R"("phase":"Pending",)");
  CHECK(bed.Peers() == Rows{"1x app=y", "2x app=x"});
  bed.Put("d", R"("app":"x","index":"4")", kOnN);
  CHECK(bed.Peers() == Rows{"1x app=y", "3x app=x"});
  bed.mirror.RemovePod("ns/a");
  bed.mirror.RemovePod("ns/c");
  CHECK(bed.Peers() == Rows{"2x app=x"});
}

TEST_CASE("mirror: a pod counts with its terms from its binding to its end", "[cache][peers]") {
  PeersBed bed;
  bed.Put("p", R"("app":"x")", kAvoidsX, R"("phase":"Pending",)");
  CHECK(bed.Peers().empty());
  CHECK(bed.mirror.Publish()->pods_with_anti_affinity == 0);
  REQUIRE(bed.mirror.AssumeBinding("ns/p", "u-p", "n").ok());
  CHECK(bed.Peers() == Rows{"1x app=x with terms"});
  CHECK(bed.mirror.Publish()->pods_with_anti_affinity == 1);
  CHECK(bed.mirror.Publish()->pods_with_preferred_terms == 1);
  bed.mirror.ForgetAssumption("ns/p", "u-p");
  CHECK(bed.Peers().empty());
  const std::string bound = StrCat(kAvoidsX, kOnN);
  bed.Put("p", R"("app":"x")", bound);
  CHECK(bed.Peers() == Rows{"1x app=x with terms"});
  // Evicted, by us or by somebody else, it is still there.
  REQUIRE(bed.mirror.AssumeEviction("ns/p", "u-p").ok());
  CHECK(bed.Peers() == Rows{"1x app=x with terms terminating"});
  bed.Put("p", R"("app":"x")", bound, R"("phase":"Running",)",
          R"("deletionTimestamp":"2026-01-01T00:01:00Z",)");
  CHECK(bed.Peers() == Rows{"1x app=x with terms terminating"});
  bed.Put("p", R"("app":"x")", bound, R"("phase":"Failed",)");
  CHECK(bed.Peers().empty());
  CHECK(bed.mirror.Publish()->pods_with_anti_affinity == 0);
  CHECK(bed.mirror.Publish()->pods_with_preferred_terms == 0);
}

TEST_CASE("mirror: a pod that is labelled anew counts anew", "[cache][peers]") {
  PeersBed bed;
  bed.Put("w", "", kAvoidsX, R"("phase":"Pending",)");
  bed.Put("p", R"("app":"x")", kOnN);
  CHECK(bed.Peers() == Rows{"1x app=x"});
  bed.Put("p", R"("app":"y")", kOnN);
  CHECK(bed.Peers() == Rows{"1x app=y"});
}

TEST_CASE("mirror: labels whose last pod is gone leave their slot to others", "[cache][peers]") {
  PeersBed bed;
  bed.Put("w", "", kAvoidsX, R"("phase":"Pending",)");
  size_t slots = 0;
  for (int round = 0; round < 20; ++round) {
    bed.Put("p", StrCat(R"("app":")", round, R"(")"), kOnN);
    CHECK(bed.Peers() == Rows{StrCat("1x app=", round)});
    bed.mirror.RemovePod("ns/p");
    if (round == 4) slots = bed.mirror.Publish()->labels.size();
  }
  CHECK(bed.mirror.Publish()->labels.size() <= slots);
}

TEST_CASE("mirror: however many keys are asked about, the others do not count", "[cache][peers]") {
  PeersBed bed;
  bed.Put("p", R"("nobody":"asks")", kOnN);
  for (size_t i = 0; i <= 300; ++i) {
    bed.Put(StrCat("w", i), "",
            StrCat(R"("topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z",
                          "whenUnsatisfiable":"DoNotSchedule","labelSelector":
                          {"matchLabels":{"key)",
                   i, R"(":"v"}}}],)"),
            R"("phase":"Pending",)");
  }
  CHECK(bed.Peers() == Rows{"1x"});
  CHECK(bed.mirror.table_sizes().label_keys == 301);
  for (size_t i = 0; i <= 300; ++i) bed.mirror.RemovePod(StrCat("ns/w", i));
  CHECK(bed.mirror.table_sizes().label_keys <= PodLabelBook::kIdleKeysMax);
}

TEST_CASE("mirror: a key that comes again after a long time counts again", "[cache][peers]") {
  PeersBed bed;
  const auto ask = [&bed](const std::string& name, const std::string& key) {
    bed.Put(name, "",
            StrCat(R"("topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z",
                          "whenUnsatisfiable":"DoNotSchedule","labelSelector":
                          {"matchLabels":{")",
                   key, R"(":"x"}}}],)"),
            R"("phase":"Pending",)");
  };
  bed.Put("p", R"("app":"x")", kOnN);
  ask("w", "app");
  CHECK(bed.Peers() == Rows{"1x app=x"});
  bed.mirror.RemovePod("ns/w");
  for (size_t i = 0; i <= PodLabelBook::kIdleKeysMax; ++i) {
    ask("v", StrCat("other", i));
    bed.mirror.Publish();
    bed.mirror.RemovePod("ns/v");
  }
  bed.Put("q", R"("app":"x")", kOnN);
  CHECK(bed.Peers() == Rows{"1x", "1x app=x"});  // Who came meanwhile was not asked about.
  ask("w", "app");
  CHECK(bed.Peers() == Rows{"2x app=x"});
}

TEST_CASE("mirror: a binding lets those try again that seek others", "[cache][peers]") {
  const std::string seeks =
      R"("affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
       [{"topologyKey":"h","labelSelector":{"matchLabels":{"app":"x"}}}]}},)";
  const std::string spreads = R"("topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"h",
       "whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"x"}}}],)";
  struct Case {
    std::string spec;
    bool tries_again;
  };
  const Case c =
      GENERATE_REF(values<Case>({{"", false}, {kAvoidsX, false}, {seeks, true}, {spreads, true}}));
  CAPTURE(c.spec);
  PeersBed bed;
  const char* pending = R"("phase":"Pending",)";
  bed.Put("seeker", "", c.spec, pending);
  bed.Put("p", R"("app":"x")", "", pending);
  bed.mirror.Publish();
  REQUIRE(bed.mirror.AssumeBinding("ns/p", "u-p", "n").ok());
  CHECK(bed.mirror.changed() == c.tries_again);
  // Not when it has its place.
  REQUIRE(bed.mirror.AssumeBinding("ns/seeker", "u-seeker", "n").ok());
  bed.mirror.Publish();
  bed.Put("q", R"("app":"x")", "", pending);
  bed.mirror.Publish();
  REQUIRE(bed.mirror.AssumeBinding("ns/q", "u-q", "n").ok());
  CHECK_FALSE(bed.mirror.changed());
}

TEST_CASE("mirror: labels of namespaces", "[cache][peers]") {
  PeersBed bed;
  // A job that waits looks at them again.
  bed.mirror.PutPodGroup(testing::MakeGroup("g", 1));
  bed.Put("p", "", "", R"("phase":"Pending",)");
  CHECK(bed.mirror.Publish()->namespaces == nullptr);
  bed.mirror.PutNamespace("red", {{"b", "2"}, {"a", "1"}});
  CHECK(bed.mirror.changed());
  const auto first = bed.mirror.Publish();
  REQUIRE(first->namespaces->size() == 1);
  CHECK(first->namespaces->begin()->second.size() == 2);
  bed.mirror.PutNamespace("red", {{"a", "1"}, {"b", "2"}});
  CHECK_FALSE(bed.mirror.changed());
  CHECK(bed.mirror.Publish()->namespaces == first->namespaces);
  bed.mirror.RemoveNamespace("red");
  CHECK(bed.mirror.Publish()->namespaces->empty());
  CHECK(first->namespaces->size() == 1);
}

}  // namespace
}  // namespace bth::cache
