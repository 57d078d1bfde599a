// Whole cycles with chips that MindCluster lends, and random ones beside a slow twin.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/devices/chip_objects.h"
#include "tests/devices/device_cluster.h"
#include "tests/support/seeds.h"

namespace bth::devices {
namespace {

using testing::ChipNode;
using testing::ChipPod;
using testing::DeviceCluster;
using Binds = std::map<std::string, std::string>;

constexpr char kChipsOn[] = "      deviceshare.AscendMindClusterVNPUEnable: true\n";

class ChipCluster : public DeviceCluster {
 public:
  explicit ChipCluster(const std::string& arguments = "",
                       const std::string& actions = "enqueue, allocate")
      : DeviceCluster(StrCat(kChipsOn, arguments), actions) {
    ids_key = "huawei.com/npu-core";
  }
  void ChipsOf(const std::string& node, const std::vector<int32_t>& free,
               const std::vector<int32_t>& broken = {}) {
    types::Json list = types::Json::MakeObject();
    list.Set("huawei.com/Ascend310P", Named(free));
    list.Set("huawei.com/Ascend310P-Unhealthy", Named(broken));
    types::Json& info = devices_["mindx-dl-deviceinfo-" + node];
    info.Set("DeviceList", std::move(list));
    info.Set("UpdateTime", int64_t{++told_});
    Tell("cluster-info-device-0", devices_);
  }
  void SetApart(const std::string& node, bool apart) {
    states_["mindx-dl-nodeinfo-" + node].Set("NodeStatus", apart ? "PreSeparate" : "Healthy");
    Tell("cluster-info-node-cm", states_);
  }
  void Chip(const std::string& name, int64_t cores, const std::string& server = "Ascend310P-8") {
    types::Node node = ChipNode(cores, server);
    node.meta.name = name;
    Put(node);
  }
  void Ask(const std::string& name, const std::string& group, int64_t cores,
           const std::string& labels = "") {
    types::Pod pod = ChipPod(cores, labels);
    pod.meta.annotations["scheduling.k8s.io/group-name"] = group;
    AddPod(name, std::move(pod));
  }
  // The device plugin has cut it.
  void Cut(const std::string& name, const std::string& real = "Ascend310P-x") {
    pods.at(name).meta.annotations["huawei.com/AscendReal"] = real;
    Put(pods.at(name));
  }

 private:
  static std::string Named(const std::vector<int32_t>& chips) {
    std::string out;
    for (const int32_t chip : chips) StrAppend(&out, out.empty() ? "" : ",", "Ascend310P-", chip);
    return out;
  }
  void Tell(const std::string& name, const types::Json& data) {
    types::ConfigMap map;
    map.meta.ns = "mindx-dl";
    map.meta.name = name;
    map.data.Set(name, data.Dump());
    Put(map);
  }

  types::Json devices_ = types::Json::MakeObject();
  types::Json states_ = types::Json::MakeObject();
  int told_ = 0;
};

TEST_CASE("chips: no core is given away twice in one cycle", "[devices]") {
  ChipCluster cluster;
  cluster.Chip("n", 16);
  cluster.ChipsOf("n", {0, 1});
  cluster.Group("g");
  for (const char* name : {"a", "b", "c", "d", "e"}) cluster.Ask(name, "g", 4);
  CHECK(cluster.Run() == Binds{{"a", "n 0-vir04_3c"},
                               {"b", "n 0-vir04_3c"},
                               {"c", "n 1-vir04_3c"},
                               {"d", "n 1-vir04_3c"}});
}

TEST_CASE("chips: CPUs of chips keep pods off where cores are left", "[devices]") {
  ChipCluster cluster;
  cluster.Chip("n", 8);
  cluster.ChipsOf("n", {0});
  cluster.Group("g");
  cluster.Ask("a", "g", 4, R"("vnpu-dvpp":"yes")");
  cluster.Ask("b", "g", 4, R"("vnpu-dvpp":"yes")");
  CHECK(cluster.Run() == Binds{{"a", "n 0-vir04_4c_dvpp"}});
  CHECK(cluster.MessageOf("b") ==
        "0/1 nodes are unavailable: 1 selectChipFromNodeSegment available chip not found.");
}

TEST_CASE("chips: what was given counts before the watch shows it, and once it is cut",
          "[devices]") {
  ChipCluster cluster;
  cluster.Chip("n", 8);
  cluster.ChipsOf("n", {0});
  cluster.Group("g");
  cluster.Ask("a", "g", 4);
  CHECK(cluster.Run() == Binds{{"a", "n 0-vir04_3c"}});
  cluster.Ask("b", "g", 2);
  CHECK(cluster.Run().empty());  // Of another template.
  cluster.Put(cluster.Bound("a", "n", "0-vir04_3c"));
  CHECK(cluster.Run().empty());  // Being cut.
  CHECK(cluster.MessageOf("b") ==
        "0/1 nodes are unavailable: 1 selectChipFromNodeSegment available chip not found.");
  cluster.Cut("a", "Ascend310P-4c.3cpu-100-0_0");
  CHECK(cluster.Run() == Binds{{"b", "n 0-vir02_1c"}});
}

TEST_CASE("chips: a binding that fails gives its chip back", "[devices]") {
  ChipCluster cluster;
  cluster.Chip("n", 8);
  cluster.ChipsOf("n", {0});
  cluster.Group("g");
  cluster.Ask("a", "g", 8);
  CHECK(cluster.Run() == Binds{{"a", "n 0"}});
  cluster.Ask("b", "g", 8);
  CHECK(cluster.Run().empty());
  cluster.mirror.RemovePod("ns/a");
  CHECK(cluster.Run() == Binds{{"b", "n 0"}});
}

TEST_CASE("chips: reports may come before the node or after it, change and go", "[devices]") {
  ChipCluster cluster;
  cluster.Group("g");
  cluster.Ask("a", "g", 8);
  cluster.ChipsOf("n", {1});
  cluster.Chip("n", 16);
  cluster.Chip("m", 16);
  CHECK(cluster.Run() == Binds{{"a", "n 1"}});
  cluster.Ask("b", "g", 8);
  CHECK(cluster.Run().empty());
  CHECK(cluster.MessageOf("b") ==
        "0/2 nodes are unavailable: 1 checkNodeNPUByDyTask invalid VNode, "
        "1 selectChipFromNodeWhole free whole chip not enough.");
  cluster.ChipsOf("m", {0}, {1});
  CHECK(cluster.Run() == Binds{{"b", "m 0"}});
  cluster.Ask("c", "g", 8);
  CHECK(cluster.Run().empty());
  cluster.SetApart("n", true);
  cluster.ChipsOf("n", {0, 1});
  CHECK(cluster.Run().empty());
  cluster.SetApart("n", false);
  CHECK(cluster.Run() == Binds{{"c", "n 0"}});
}

TEST_CASE("chips: nodes with few idle cores are taken first, and the one that need not lower",
          "[devices]") {
  ChipCluster cluster("      deviceshare.ScheduleWeight: 10\n");
  for (const char* node : {"m", "n", "o"}) cluster.Chip(node, 16);
  for (const char* node : {"m", "n", "o"}) cluster.ChipsOf(node, {0, 1});
  cluster.Group("g");
  // o has two idle cores less than m and n.
  cluster.Ask("old", "g", 2);
  cluster.Put(cluster.Bound("old", "o", "0-vir02_1c"));
  cluster.Cut("old");
  cluster.Ask("a", "g", 4, R"("vnpu-level":"high")");
  CHECK(cluster.Run() == Binds{{"a", "o 0-vir04"}});
}

TEST_CASE("chips: who would be lowered goes where it need not be", "[devices]") {
  const auto binds = [](const char* arguments) {
    ChipCluster cluster(arguments);
    cluster.Chip("m", 8);
    cluster.Chip("n", 16);
    cluster.ChipsOf("m", {0});
    cluster.ChipsOf("n", {0, 1});
    cluster.Group("g");
    cluster.Ask("old", "g", 4, R"("vnpu-level":"high")");
    cluster.Put(cluster.Bound("old", "m", "0-vir04"));
    cluster.Cut("old");
    cluster.Ask("a", "g", 4, R"("vnpu-level":"high")");
    return cluster.Run();
  };
  // m has the fewest idle cores and gets 8, n gives all that is asked for and gets 16.
  CHECK(binds("      deviceshare.ScheduleWeight: 10\n") == Binds{{"a", "n 0-vir04"}});
  // Without the score the first by name is taken.
  CHECK(binds("") == Binds{{"a", "m 0-vir04_3c"}});
}

// --- The slow twin: knows objects and the rules as written, nothing of ours. ---

struct TwinPart {
  int cores = 0;
  int cpus = 0;
  std::string dvpp;  // "null", "no", "yes"
};

const std::map<std::string, TwinPart>& TwinTemplates() {
  static const std::map<std::string, TwinPart> kTemplates = {
      {"vir01", {1, 1, "null"}},       {"vir02", {2, 2, "null"}},
      {"vir02_1c", {2, 1, "null"}},    {"vir04", {4, 4, "null"}},
      {"vir04_3c", {4, 3, "null"}},    {"vir04_3c_ndvpp", {4, 3, "no"}},
      {"vir04_4c_dvpp", {4, 4, "yes"}}};
  return kTemplates;
}

struct TwinHolder {
  std::string told;
  std::string real;  // Empty: not cut.
  bool given = false;
};

struct TwinNode {
  int chips = 0;
  int cores = 8;  // Of each.
  std::set<int> free;
  std::set<int> broken;
  bool had_broken = false;
  bool apart = false;
  std::map<std::string, TwinHolder> holders;
};

struct TwinAsk {
  int cores = 0;
  std::string dvpp;
  bool high = false;
};

struct TwinChip {
  int cores = 0;  // Left.
  int cpus = 7;
  bool held = false;
  bool parted = false;
  bool in_work = false;
  bool yes = false;
  bool null = false;
  std::set<std::string> groups;
};

std::map<int, TwinChip> TwinChips(const TwinNode& node, std::set<std::string>* coming) {
  std::map<int, TwinChip> chips;
  for (int i = 0; i < node.chips; ++i) {
    if (!node.broken.contains(i)) chips[i].cores = node.cores;
  }
  int alone = 0;
  for (const auto& [name, holder] : node.holders) {
    const size_t dash = holder.told.find('-');
    if (dash == std::string::npos) {
      for (const absl::string_view id : SplitText(holder.told, ',')) {
        const auto chip = chips.find(std::stoi(std::string(id)));
        if (chip == chips.end()) continue;
        chip->second.cores = 0;
        chip->second.cpus = 0;
        chip->second.held = true;
        chip->second.null = true;
      }
      continue;
    }
    const std::string kind = holder.told.substr(dash + 1);
    const auto chip = chips.find(std::stoi(holder.told.substr(0, dash)));
    if (chip == chips.end()) continue;
    const TwinPart& part = TwinTemplates().at(kind);
    chip->second.cores -= part.cores;
    chip->second.cpus -= part.cpus;
    chip->second.held = chip->second.parted = true;
    chip->second.yes |= part.dvpp == "yes";
    chip->second.null |= part.dvpp == "null";
    chip->second.in_work |= holder.real.empty() && !holder.given;
    if (holder.real.empty()) coming->insert(kind);
    const size_t line = holder.real.find('_');
    chip->second.groups.insert(line == std::string::npos ? StrCat("alone", alone++)
                                                         : holder.real.substr(line));
  }
  return chips;
}

bool TwinTakes(const TwinNode& node, int number, const TwinChip& chip, const TwinPart& part) {
  if (!node.free.contains(number) && !chip.held) return false;
  if (chip.cores < part.cores || chip.cpus < part.cpus || chip.in_work) return false;
  if (chip.parted && chip.groups.size() >= 4 && part.cores > 1) return false;
  if (chip.parted && chip.groups.size() == 3 && part.cores >= 4) return false;
  if (part.dvpp == "yes" && (chip.yes || chip.null)) return false;
  return !(part.dvpp == "null" && chip.yes);
}

// What its annotation would say; "-": it cannot be served.
std::string TwinAnswer(const TwinNode& node, const TwinAsk& ask) {
  if (node.apart) return "-";
  std::set<std::string> coming;
  const std::map<int, TwinChip> chips = TwinChips(node, &coming);
  if (ask.cores % node.cores == 0) {
    std::string out;
    int wanted = ask.cores / node.cores;
    for (const auto& [number, chip] : chips) {
      const bool idle = chip.cores == node.cores && !chip.held && node.free.contains(number);
      if (wanted == 0 || !idle) continue;
      StrAppend(&out, out.empty() ? "" : ",", number);
      --wanted;
    }
    return wanted == 0 ? out : "-";
  }
  std::vector<std::string> names;
  if (ask.dvpp != "null" && ask.dvpp != "no" && ask.dvpp != "yes") return "-";
  if (ask.cores == 1) names = {"vir01"};
  if (ask.cores == 2 && !ask.high) names = {"vir02_1c"};
  if (ask.cores == 2 && ask.high) names = {"vir02", "vir02_1c"};
  if (ask.cores == 4 && ask.dvpp == "yes") names = {"vir04_4c_dvpp"};
  if (ask.cores == 4 && ask.dvpp == "no") names = {"vir04_3c_ndvpp"};
  if (ask.cores == 4 && ask.dvpp == "null" && !ask.high) names = {"vir04_3c"};
  if (ask.cores == 4 && ask.dvpp == "null" && ask.high) names = {"vir04", "vir04_3c"};
  for (const std::string& name : names) {
    int best = -1;
    for (const auto& [number, chip] : chips) {
      if (!TwinTakes(node, number, chip, TwinTemplates().at(name))) continue;
      if (best < 0 ||
          std::pair(chip.cores, chip.cpus) < std::pair(chips.at(best).cores, chips.at(best).cpus)) {
        best = number;
      }
    }
    if (best < 0) continue;
    coming.insert(name);
    return coming.size() > 1 ? "-" : StrCat(best, "-", name);
  }
  return "-";
}

TwinAsk RandomAsk(Rng& rng) {
  constexpr int kCores[] = {1, 1, 2, 2, 4, 4, 4, 8, 8, 10, 16, 3};
  constexpr const char* kWords[] = {"null", "null", "null", "no", "yes", "Yes"};
  return {.cores = kCores[rng.Below(12)], .dvpp = kWords[rng.Below(6)], .high = rng.Chance(0.5)};
}

class TwinWorld {
 public:
  TwinWorld(Rng& rng, ChipCluster& cluster) : rng_(rng), cluster_(cluster) {
    cluster_.Group("g");
    for (uint64_t i = 0, count = 1 + rng_.Below(3); i < count; ++i) {
      TwinNode& node = nodes[StrCat("n", i)];
      node.chips = 1 + static_cast<int>(rng_.Below(3));
      node.cores = rng_.Chance(0.7) ? 8 : 10;
      cluster_.Chip(StrCat("n", i), node.chips * node.cores, StrCat("Ascend310P-", node.cores));
      Report(StrCat("n", i));
    }
  }

  void Report(const std::string& name) {
    TwinNode& node = nodes.at(name);
    node.free.clear();
    node.broken.clear();
    for (int i = 0; i < node.chips; ++i) {
      if (rng_.Chance(0.8)) node.free.insert(i);
      if (rng_.Chance(0.05)) node.broken.insert(i);
    }
    node.had_broken |= !node.broken.empty();
    cluster_.ChipsOf(name, {node.free.begin(), node.free.end()},
                     {node.broken.begin(), node.broken.end()});
    if (!rng_.Chance(0.1)) return;
    node.apart = !node.apart;
    cluster_.SetApart(name, node.apart);
  }

  void Step() {
    for (uint64_t i = rng_.Below(4); i > 0; --i) {
      const std::string name = StrCat("p", made_++);
      const TwinAsk ask = asks[name] = RandomAsk(rng_);
      cluster_.Ask(name, "g", ask.cores,
                   StrCat(R"("vnpu-dvpp":")", ask.dvpp, R"(","vnpu-level":")",
                          ask.high ? "high" : "low", "\""));
    }
    for (auto& [name, node] : nodes) {
      if (rng_.Chance(0.2)) Report(name);
      for (auto it = node.holders.begin(); it != node.holders.end();) {
        TwinHolder& holder = it->second;
        if (holder.given && rng_.Chance(0.7)) {  // The watch shows it.
          cluster_.Put(cluster_.Bound(it->first, name, holder.told));
          holder.given = false;
        } else if (!holder.given && holder.real.empty() && rng_.Chance(0.5)) {
          holder.real = rng_.Chance(0.7) ? StrCat("Ascend310P-c-1-0_", rng_.Below(4)) : "x";
          cluster_.Cut(it->first, holder.real);
        } else if (rng_.Chance(0.1)) {
          cluster_.mirror.RemovePod("ns/" + it->first);
          it = node.holders.erase(it);
          continue;
        }
        ++it;
      }
    }
  }

  // Each bind is one that the rules allow, beside those before it in the cycle: the order in which
  // they were given is that of the pods.
  void Take(const Binds& binds) {
    for (const auto& [pod, bound] : binds) {
      const size_t blank = bound.find(' ');
      REQUIRE(blank != std::string::npos);
      nodes.at(bound.substr(0, blank)).holders[pod] = {
          .told = bound.substr(blank + 1), .real = "", .given = true};
      asks.erase(pod);
    }
  }

  void CheckBounds() const {
    for (const auto& [name, node] : nodes) {
      std::set<std::string> coming;
      TwinNode all = node;
      all.broken.clear();
      int dvpp = 0;
      for (const auto& [number, chip] : TwinChips(all, &coming)) {
        CAPTURE(name, number);
        CHECK(chip.cores >= 0);
        CHECK(chip.cpus >= 0);
        dvpp += chip.yes && chip.null ? 1 : 0;
      }
      CHECK(dvpp == 0);
      // Who is on a broken chip counts for nothing, until it is sound again.
      CHECK((coming.size() <= 1 || node.had_broken));
    }
  }

  std::map<std::string, TwinNode> nodes;
  std::map<std::string, TwinAsk> asks;  // Of those that wait.

 private:
  Rng& rng_;
  ChipCluster& cluster_;
  int made_ = 0;
};

// What the session answers to each that waits, of each node.
void CheckAnswers(const framework::Session& session, const TwinWorld& world) {
  for (model::TaskId task : session.base().tasks.ids()) {
    if (session.task(task).names == nullptr) continue;
    const auto asked = world.asks.find(session.task(task).names->name);
    if (asked == world.asks.end()) continue;
    const model::ShapeId shape = session.task(task).shape;
    for (model::NodeId node : *session.base().nodes_by_name) {
      const model::NodeRange one(node.index(), node.index() + 1);
      framework::ReasonId verdict = framework::kFits;
      for (const auto& entry : session.hooks().usage_filter) {
        if (entry.origin.plugin != "deviceshare") continue;
        entry.fn(shape, one, absl::Span<framework::ReasonId>(&verdict, 1));
      }
      const std::string& name = session.node(node).name;
      const std::string expect = TwinAnswer(world.nodes.at(name), asked->second);
      CAPTURE(name, session.task(task).names->name, asked->second.cores, asked->second.dvpp,
              asked->second.high, expect);
      CHECK((verdict == framework::kFits) == (expect != "-"));
    }
  }
}

TEST_CASE("chips: cycles on random clusters beside a slow twin", "[devices][property]") {
  test::ForEachSeed(60, [](uint64_t seed) {
    Rng rng(seed);
    ChipCluster cluster(rng.Chance(0.5) ? "      deviceshare.ScheduleWeight: 5\n" : "");
    TwinWorld world(rng, cluster);
    for (int cycle = 0; cycle < 15; ++cycle) {
      CAPTURE(cycle);
      world.Step();
      CheckAnswers(cluster.Open(), world);
      const Binds binds = cluster.Run();
      if (binds.size() == 1) {  // The chip is the very one.
        const auto& [pod, bound] = *binds.begin();
        const size_t blank = bound.find(' ');
        CHECK(TwinAnswer(world.nodes.at(bound.substr(0, blank)), world.asks.at(pod)) ==
              bound.substr(blank + 1));
      }
      world.Take(binds);
      world.CheckBounds();
      // Nobody waits who could be served beside all that was given; who may be lowered may have
      // been asked about before that.
      for (const auto& [pod, ask] : world.asks) {
        if (ask.high) continue;
        for (const auto& [name, node] : world.nodes) {
          CAPTURE(pod, name, ask.cores, ask.dvpp, ask.high);
          CHECK(TwinAnswer(node, ask) == "-");
        }
      }
    }
  });
}

}  // namespace
}  // namespace bth::devices
