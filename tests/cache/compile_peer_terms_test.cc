// Terms of pods about other pods: how they are read, and whom they match.
#include <algorithm>

#include "api/model/pod_peers.h"
#include "base/strings.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using model::PodPeerTerms;
using testing::MakePod;
using testing::PodText;

std::string AntiAffinity(const std::string& term) {
  return StrCat(
      R"("affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{)", term,
      R"("topologyKey":"h"}]}},)");
}

std::string Spread(const std::string& more) {
  return StrCat(R"("topologySpreadConstraints":[{)", more,
                R"("maxSkew":2,"topologyKey":"kubernetes.io/hostname"}],)");
}

model::PodLabels PodLabelsOf(const std::string& ns, const Labels& labels, Interner& symbols) {
  model::PodLabels out{.ns = symbols.Intern(ns)};
  for (const auto& [key, value] : labels) {
    out.labels.emplace_back(symbols.Intern(key), symbols.Intern(value));
  }
  std::sort(out.labels.begin(), out.labels.end());
  return out;
}

TEST_CASE("peers: a skew that no count can be added to is cut", "[cache][peers]") {
  Interner symbols;
  const auto skew_of = [&symbols](const std::string& skew) {
    const CompiledPod pod =
        MakePod({.spec = StrCat(R"("topologySpreadConstraints":[{"maxSkew":)", skew,
                                R"(,"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule"}],)")},
                symbols);
    return pod.constraints->peer_terms->spread.at(0).skew_max;
  };
  CHECK(skew_of("3") == 3);
  CHECK(skew_of("2147483647") == 1 << 30);
  CHECK(skew_of("-2147483648") == 1);
}

TEST_CASE("peers: which pods a term matches", "[cache][peers]") {
  struct Case {
    std::string name, term;
    std::string ns;
    cache::Labels labels;
    bool matches;
  };
  const std::string app = R"("labelSelector":{"matchLabels":{"app":"x"}},)";
  const Case c = GENERATE_REF(values<Case>({
      {"equal label, own namespace", app, "ns", {{"app", "x"}}, true},
      {"another value", app, "ns", {{"app", "y"}}, false},
      {"label absent", app, "ns", {}, false},
      {"another namespace", app, "red", {{"app", "x"}}, false},
      {"a namespace that is listed",
       app + R"("namespaces":["blue","red"],)",
       "red",
       {{"app", "x"}},
       true},
      {"the own one when others are listed",
       app + R"("namespaces":["red"],)",
       "ns",
       {{"app", "x"}},
       false},
      {"a namespace with the label",
       app + R"("namespaceSelector":{"matchLabels":{"t":"1"}},)",
       "red",
       {{"app", "x"}},
       true},
      {"a namespace with another label",
       app + R"("namespaceSelector":{"matchLabels":{"t":"1"}},)",
       "blue",
       {{"app", "x"}},
       false},
      {"the own one when a selector speaks",
       app + R"("namespaceSelector":{"matchLabels":{"t":"1"}},)",
       "ns",
       {{"app", "x"}},
       false},
      {"listed or selected",
       app + R"("namespaces":["ns"],"namespaceSelector":{"matchLabels":{"t":"1"}},)",
       "ns",
       {{"app", "x"}},
       true},
      {"an empty namespace selector means all",
       app + R"("namespaceSelector":{},)",
       "unheard-of",
       {{"app", "x"}},
       true},
      {"a namespace that lacks what it must not have",
       app + R"("namespaceSelector":{"matchExpressions":[{"key":"t","operator":"DoesNotExist"}]},)",
       "ns",
       {{"app", "x"}},
       true},
      {"a namespace that has it",
       app + R"("namespaceSelector":{"matchExpressions":[{"key":"t","operator":"DoesNotExist"}]},)",
       "red",
       {{"app", "x"}},
       false},
      {"no selector matches nobody", "", "ns", {{"app", "x"}}, false},
      {"an empty selector matches everybody", R"("labelSelector":{},)", "ns", {}, true},
      {"In",
       R"("labelSelector":{"matchExpressions":[{"key":"app","operator":"In","values":["y","x"]}]},)",
       "ns",
       {{"app", "x"}},
       true},
      {"NotIn, another value",
       R"("labelSelector":{"matchExpressions":[{"key":"app","operator":"NotIn","values":["y"]}]},)",
       "ns",
       {{"app", "x"}},
       true},
      {"NotIn, label absent",
       R"("labelSelector":{"matchExpressions":[{"key":"app","operator":"NotIn","values":["y"]}]},)",
       "ns",
       {},
       true},
      {"NotIn, that value",
       R"("labelSelector":{"matchExpressions":[{"key":"app","operator":"NotIn","values":["x"]}]},)",
       "ns",
       {{"app", "x"}},
       false},
      {"Exists",
       R"("labelSelector":{"matchExpressions":[{"key":"app","operator":"Exists"}]},)",
       "ns",
       {{"app", ""}},
       true},
      {"DoesNotExist",
       R"("labelSelector":{"matchExpressions":[{"key":"app","operator":"DoesNotExist"}]},)",
       "ns",
       {{"app", "x"}},
       false},
      {"all requirements must hold",
       R"("labelSelector":{"matchLabels":{"app":"x"},"matchExpressions":[{"key":"b","operator":"Exists"}]},)",
       "ns",
       {{"app", "x"}},
       false},
      {"an unreadable selector matches nobody",
       R"("labelSelector":{"matchExpressions":[{"key":"app","operator":"In"}]},)",
       "ns",
       {{"app", "x"}},
       false},
      {"matchLabelKeys: the same value",
       app + R"("matchLabelKeys":["hash"],)",
       "ns",
       {{"app", "x"}, {"hash", "7"}},
       true},
      {"matchLabelKeys: another value",
       app + R"("matchLabelKeys":["hash"],)",
       "ns",
       {{"app", "x"}, {"hash", "8"}},
       false},
      {"matchLabelKeys: a key that the pod lacks",
       app + R"("matchLabelKeys":["lacking"],)",
       "ns",
       {{"app", "x"}},
       true},
      {"mismatchLabelKeys: the same value",
       app + R"("mismatchLabelKeys":["hash"],)",
       "ns",
       {{"app", "x"}, {"hash", "7"}},
       false},
      {"mismatchLabelKeys: another value",
       app + R"("mismatchLabelKeys":["hash"],)",
       "ns",
       {{"app", "x"}, {"hash", "8"}},
       true},
      {"a server merged the key, and the label changed since",
       R"("matchLabelKeys":["hash"],"labelSelector":{"matchExpressions":[{"key":"hash","operator":"In","values":["6"]}]},)",
       "ns",
       {{"hash", "6"}},
       true},
  }));
  CAPTURE(c.name);
  Interner symbols;
  PodText text;
  text.meta = R"("labels":{"app":"own","hash":"7"},)";
  text.spec = AntiAffinity(c.term);
  const CompiledPod pod = MakePod(text, symbols);
  REQUIRE(pod.constraints->peer_terms != nullptr);
  REQUIRE(pod.constraints->peer_terms->required_anti_affinity.size() == 1);
  const auto team = [&](const char* ns, const char* value) {
    return std::pair{symbols.Intern(ns),
                     std::vector<model::LabelPair>{{symbols.Intern("t"), symbols.Intern(value)}}};
  };
  const model::NamespaceTable namespaces{team("red", "1"), team("blue", "2")};
  CHECK(model::Matches(pod.constraints->peer_terms->required_anti_affinity[0],
                       PodLabelsOf(c.ns, c.labels, symbols), &namespaces) == c.matches);
}

TEST_CASE("peers: without any namespace known only an empty namespace selector matches",
          "[cache][peers]") {
  Interner symbols;
  const auto matches = [&](const std::string& selector) {
    PodText text;
    text.spec = AntiAffinity(R"("labelSelector":{},"namespaceSelector":)" + selector + ",");
    const CompiledPod pod = MakePod(text, symbols);
    return model::Matches(pod.constraints->peer_terms->required_anti_affinity[0],
                          PodLabelsOf("ns", {}, symbols), nullptr);
  };
  CHECK(matches("{}"));
  CHECK_FALSE(matches(R"({"matchExpressions":[{"key":"t","operator":"DoesNotExist"}]})"));
}

TEST_CASE("peers: preferences have weights, and those without one count for nothing",
          "[cache][peers]") {
  Interner symbols;
  PodText text;
  text.spec =
      R"("affinity":{"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[
         {"weight":7,"podAffinityTerm":{"topologyKey":"h","labelSelector":{}}},
         {"weight":0,"podAffinityTerm":{"topologyKey":"h","labelSelector":{}}}]}},)";
  const CompiledPod pod = MakePod(text, symbols);
  const PodPeerTerms& peers = *pod.constraints->peer_terms;
  REQUIRE(peers.preferred_affinity.size() == 1);
  CHECK(peers.preferred_affinity[0].weight == 7);
  CHECK(peers.has_affinity());
}

TEST_CASE("peers: spread constraints and the defaults of their policies", "[cache][peers]") {
  Interner symbols;
  const auto read = [&](const std::string& more) {
    PodText text;
    text.meta = R"("labels":{"app":"own","hash":"7","index":"3"},)";
    text.spec = Spread(more);
    return MakePod(text, symbols).constraints->peer_terms;
  };
  const auto plain = read(R"("whenUnsatisfiable":"DoNotSchedule",)");
  REQUIRE(plain->spread.size() == 1);
  CHECK(plain->spread[0].required);
  CHECK(plain->spread[0].per_host);
  CHECK(plain->spread[0].skew_max == 2);
  CHECK(plain->spread[0].domains_min == 0);
  CHECK(plain->spread[0].honor_node_affinity);
  CHECK_FALSE(plain->spread[0].honor_node_taints);
  CHECK(plain->spread[0].selector.never);
  CHECK_FALSE(plain->has_affinity());
  const auto other = read(
      R"("whenUnsatisfiable":"ScheduleAnyway","minDomains":3,"nodeAffinityPolicy":"Ignore",
         "nodeTaintsPolicy":"Honor","matchLabelKeys":["hash"],"labelSelector":{},)");
  CHECK_FALSE(other->spread[0].required);
  CHECK(other->spread[0].domains_min == 3);
  CHECK_FALSE(other->spread[0].honor_node_affinity);
  CHECK(other->spread[0].honor_node_taints);
  REQUIRE(other->spread[0].selector.requirements.size() == 1);
  CHECK(symbols.Text(other->spread[0].selector.requirements[0].key) == "hash");
  // Of its own labels a pod keeps those it asks about.
  REQUIRE(other->own->labels.size() == 1);
  CHECK(symbols.Text(other->own->labels[0].second) == "7");
}

TEST_CASE("peers: pods with the same terms share constraints, whatever else they are labelled",
          "[cache][peers]") {
  Interner symbols;
  const auto key = [&](const std::string& labels, const std::string& spec) {
    PodText text;
    text.meta = StrCat(R"("labels":{)", labels, "},");
    text.spec = spec;
    return MakePod(text, symbols).constraints_key;
  };
  const std::string app = AntiAffinity(R"("labelSelector":{"matchLabels":{"app":"x"}},)");
  CHECK(key(R"("app":"x","index":"1")", app) == key(R"("app":"x","index":"2")", app));
  const std::string spread =
      Spread(R"("whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"x"}},)");
  CHECK(key(R"("app":"x","index":"1")", spread) == key(R"("app":"x","index":"2")", spread));
  CHECK(key(R"("app":"x")", spread) != key(R"("app":"y")", spread));
  CHECK(key(R"("app":"x")", spread) != key(R"("app":"x")", app));
  CHECK(key(R"("app":"x")", "") == key(R"("app":"y")", ""));
  // The same selector, written otherwise.
  CHECK(key("", AntiAffinity(R"("labelSelector":{"matchLabels":{"a":"1","b":"2"}},)")) ==
        key("", AntiAffinity(R"("labelSelector":{"matchLabels":{"a":"1"},"matchExpressions":
                 [{"key":"b","operator":"In","values":["2"]}]},)")));
}

}  // namespace
}  // namespace bth::cache
