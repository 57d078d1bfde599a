// HyperNodes, shards of nodes and settings of pods whose controllers die at each of their writes.
#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/strings.h"
#include "tests/crashes/crash_bed.h"

namespace bth::test {
namespace {

using types::Json;

constexpr const char* kNodes = "/api/v1/nodes";
constexpr const char* kHyperNodes = "/apis/topology.volcano.sh/v1alpha1/hypernodes";
constexpr const char* kShards = "/apis/shard.volcano.sh/v1alpha1/nodeshards";
constexpr const char* kColocations =
    "/apis/config.volcano.sh/v1alpha1/namespaces/default/colocationconfigurations";
constexpr const char* kSystemMaps = "/api/v1/namespaces/volcano-system/configmaps";

// With one key; the text needs no escapes.
void MakeMap(CrashBed& bed, const std::string& name, const std::string& key,
             const std::string& text) {
  bed.MakeSystemNamespace();
  bed.Create(kSystemMaps, StrCat(R"({"metadata":{"name":")", name, R"("},"data":{")", key, R"(":")",
                                 text, R"("}})"));
}
void MakeLabelledNode(CrashBed& bed, const std::string& name, const std::string& labels) {
  bed.Create(kNodes, StrCat(R"({"metadata":{"name":")", name, R"(","labels":{)", labels, "}}}"));
}
// One that says how large it is: others are in no shard.
void MakeSizedNode(CrashBed& bed, const std::string& name) {
  bed.Create(kNodes, StrCat(R"({"metadata":{"name":")", name,
                            R"("},"status":{"capacity":{"cpu":"8","memory":"32Gi"}}})"));
}
void Delete(CrashBed& bed, const std::string& collection, const std::string& name) {
  REQUIRE(bed.Call("DELETE", StrCat(collection, "/", name)).code == 200);
}

// Once what `tell` says of the bed is this.
StoryStep OnceTold(
    std::string (*tell)(CrashBed&), const std::string& expected,
    std::function<void(CrashBed&)> then = [](CrashBed&) {}) {
  return {expected, [tell, expected](CrashBed& bed) { return tell(bed) == expected; },
          std::move(then)};
}

// Of each HyperNode the label that it stands for, its members and how many were counted.
std::string DomainsOf(CrashBed& bed) {
  std::vector<std::string> texts;
  const Json list = bed.Get(kHyperNodes);
  for (const Json& item : list["items"].items()) {
    const std::string label(item.At({"spec", "tierName"}).AsString());
    texts.push_back(StrCat(std::string(item.At({"metadata", "labels", label}).AsString()), " ",
                           item.At({"spec", "members"}).size(), "/",
                           item.At({"status", "nodeCount"}).AsInt()));
  }
  std::sort(texts.begin(), texts.end());
  return absl::StrJoin(texts, ", ");
}

TEST_CASE("crashes: HyperNodes follow the labels of nodes", "[crashes][hyper_node]") {
  const auto discover = [](CrashBed& bed) {
    for (const char* node : {"a", "b"}) {
      MakeLabelledNode(bed, node, R"("rack":"r0","spine":"s0")");
    }
    MakeMap(bed, "volcano-controller-configmap", "volcano-controller.conf",
            "networkTopologyDiscovery: [{source: label, enabled: true, config: "
            "{networkTopologyTypes: {fabric: [{nodeLabel: spine}, {nodeLabel: rack}, "
            "{nodeLabel: kubernetes.io/hostname}]}}}]");
  };
  const auto move = [](CrashBed& bed) {
    bed.Patch(StrCat(kNodes, "/b"), R"({"metadata":{"labels":{"rack":"r1"}}})");
  };
  const auto lose_node = [](CrashBed& bed) { Delete(bed, kNodes, "b"); };
  // Somebody deletes the HyperNode of the rack.
  const auto lose_rack = [](CrashBed& bed) {
    const Json list = bed.Get(kHyperNodes);
    for (const Json& item : list["items"].items()) {
      if (item.At({"metadata", "labels", "rack"}).is_null()) continue;
      Delete(bed, kHyperNodes, std::string(item.At({"metadata", "name"}).AsString()));
    }
  };
  CheckAllDeaths({{AtOnce(discover), OnceTold(&DomainsOf, "r0 2/2, s0 1/1", move),
                   OnceTold(&DomainsOf, "r0 1/1, r1 1/1, s0 2/2", lose_node),
                   OnceTold(&DomainsOf, "r0 1/1, s0 1/1", lose_rack),
                   OnceTold(&DomainsOf, "r0 1/1, s0 1/1")}});
}

// Of each pod the ratio that it is to have; "-" without settings, "0" once they are gone.
std::string RatiosOf(CrashBed& bed) {
  std::vector<std::string> texts;
  for (const Json& pod : bed.stand_in.Objects("pods")) {
    const Json& annotations = pod.At({"metadata", "annotations"});
    const Json& text = annotations["volcano.sh/colocation-config"];
    std::string ratio = "-";
    if (!text.is_null()) {
      const auto settings = Json::Parse(text.AsString());
      ratio = settings.ok() ? StrCat(settings->At({"memoryQos", "highRatio"}).AsInt()) : "?";
    }
    texts.push_back(StrCat(std::string(pod.At({"metadata", "name"}).AsString()), "=", ratio,
                           annotations["volcano.sh/colocation-config-name"].AsString("")));
  }
  std::sort(texts.begin(), texts.end());
  return absl::StrJoin(texts, " ");
}

TEST_CASE("crashes: pods follow colocation settings", "[crashes][colocation]") {
  const auto make_settings = [](CrashBed& bed, const std::string& name, const std::string& selector,
                                int high_ratio) {
    bed.Create(kColocations, StrCat(R"({"metadata":{"name":")", name, R"("},"spec":{"selector":)",
                                    selector, R"(,"memoryQos":{"highRatio":)", high_ratio, "}}}"));
  };
  const auto submit = [make_settings](CrashBed& bed) {
    for (const auto& [name, app] :
         {std::pair("a", "batch"), std::pair("b", "batch"), std::pair("c", "web")}) {
      bed.Create("/api/v1/namespaces/default/pods",
                 StrCat(R"({"metadata":{"name":")", name, R"(","labels":{"app":")", app,
                        R"("}},"spec":{"containers":[{"name":"c","image":"i"}]}})"));
    }
    make_settings(bed, "x", R"({"matchLabels":{"app":"batch"}})", 90);
  };
  const auto lower = [](CrashBed& bed) {
    bed.Patch(StrCat(kColocations, "/x"), R"({"spec":{"memoryQos":{"highRatio":80}}})");
  };
  const auto relabel = [](CrashBed& bed) {
    bed.Patch(CrashBed::PodPath("b"), R"({"metadata":{"labels":{"app":"web"}}})");
  };
  // The newest counts; were it as old as the other, the first by name.
  const auto add_for_all = [make_settings](CrashBed& bed) { make_settings(bed, "w", "{}", 70); };
  const auto remove = [](const char* name) {
    return [name](CrashBed& bed) { Delete(bed, kColocations, name); };
  };
  CheckAllDeaths(
      {{AtOnce(submit), OnceTold(&RatiosOf, "a=90x b=90x c=-", lower),
        OnceTold(&RatiosOf, "a=80x b=80x c=-", relabel),
        OnceTold(&RatiosOf, "a=80x b=0 c=-", add_for_all),
        OnceTold(&RatiosOf, "a=70w b=70w c=70w", remove("w")),
        OnceTold(&RatiosOf, "a=80x b=0 c=0", remove("x")), OnceTold(&RatiosOf, "a=0 b=0 c=0")}});
}

// Of each shard its nodes, those that its scheduler is to take up, and those that it is to leave.
std::string ShardsOf(CrashBed& bed) {
  std::vector<std::string> texts;
  const Json list = bed.Get(kShards);
  for (const Json& item : list["items"].items()) {
    const auto names = [&item](std::initializer_list<std::string_view> path) {
      std::vector<std::string> nodes;
      for (const Json& node : item.At(path).items()) nodes.emplace_back(node.AsString());
      return absl::StrJoin(nodes, ",");
    };
    texts.push_back(StrCat(std::string(item.At({"metadata", "name"}).AsString()), "=",
                           names({"spec", "nodesDesired"}), " +", names({"status", "nodesToAdd"}),
                           " -", names({"status", "nodesToRemove"})));
  }
  std::sort(texts.begin(), texts.end());
  return absl::StrJoin(texts, "; ");
}

TEST_CASE("crashes: shards of nodes", "[crashes][sharding]") {
  // Before that the shards of the flags are there, which go. For `c` no node is left.
  const auto configure = [](CrashBed& bed) {
    for (const char* node : {"n2", "n3"}) MakeSizedNode(bed, node);
    MakeMap(bed, "volcano-sharding-configmap", "sharding.yaml",
            "schedulerConfigs: [{name: a, maxNodes: 1}, {name: b}, {name: c}]");
  };
  const auto take_up_and_grow = [](CrashBed& bed) {
    bed.Patch(StrCat(kShards, "/a/status"), R"({"status":{"nodesInUse":["n2"]}})");
    MakeSizedNode(bed, "n4");
  };
  const auto lose_node = [](CrashBed& bed) { Delete(bed, kNodes, "n2"); };
  const auto lose_scheduler = [](CrashBed& bed) {
    bed.Patch(StrCat(kSystemMaps, "/volcano-sharding-configmap"),
              R"({"data":{"sharding.yaml":"schedulerConfigs: [{name: a}, {name: c}]"}})");
  };
  const auto lose_shard = [](CrashBed& bed) { Delete(bed, kShards, "a"); };
  Story story = {{AtOnce(configure),
                  OnceTold(&ShardsOf, "a=n2 +n2 -; b=n3 +n3 -; c= + -", take_up_and_grow),
                  OnceTold(&ShardsOf, "a=n2 + -; b=n3,n4 +n3,n4 -; c= + -", lose_node),
                  OnceTold(&ShardsOf, "a=n3 +n3 -n2; b=n4 +n4 -; c= + -", lose_scheduler),
                  OnceTold(&ShardsOf, "a=n3,n4 +n3,n4 -n2; c= + -", lose_shard),
                  OnceTold(&ShardsOf, "a=n3,n4 +n3,n4 -; c= + -")}};
  story.selection = {"*"};
  CheckAllDeaths(story);
}

}  // namespace
}  // namespace bth::test
