#include "tests/devices/family_world.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/time/time.h"

namespace bth::devices::testing {
namespace {

PlainParts OnCard(const PlainParts& parts, const std::string& card) {
  PlainParts out;
  for (const PlainPart& part : parts) {
    if (part.card == card) out.push_back(part);
  }
  return out;
}

// Cards by memory, or whole: numbers that are the node's own.
class GpuWorld final : public FamilyWorld {
 public:
  GpuWorld(Rng& dice, bool whole) : FamilyWorld(dice), whole_(whole) {
    ids_key = "volcano.sh/gpu-index";
    lock_key = "gpu";
    lock_counts = !whole;
  }
  PlainParts PartsOf(const std::string& pod, const std::string& node,
                     const std::string& text) const override {
    PlainParts out;
    for (const absl::string_view id : SplitText(text, ',')) {
      out.push_back({.pod = pod,
                     .card = StrCat(node, "/", id),
                     .instance = "",
                     .memory = whole_ ? 0 : asks.at(pod).memory,
                     .cores = whole_ ? 100 : 0});
    }
    return out;
  }

 protected:
  std::string Family() const override { return whole_ ? "GPUNumberEnable" : "GPUSharingEnable"; }
  types::Node DrawNode(const std::string& name) override {
    int64_t& count = counts_[name];
    if (count == 0) count = rng.Between(1, 4);
    std::string unhealthy;
    for (int64_t i = 0; i < count; ++i) {
      PlainCard& card = cards[StrCat(name, "/", i)];
      card = {.memory = kMemory, .slots = whole_ ? 1 : INT32_MAX};
      card.offered = !rng.Chance(0.15);
      if (!card.offered) StrAppend(&unhealthy, unhealthy.empty() ? "" : ",", i);
    }
    return MakeNode(
        StrCat(R"("volcano.sh/gpu-unhealthy-ids":")", unhealthy, "\""),
        StrCat(R"("volcano.sh/gpu-memory":")", count * kMemory, R"(","volcano.sh/gpu-number":")",
               count, R"(","cpu":"64","memory":"64Gi","pods":"110")"));
  }
  types::Pod Asking(PlainAsk* ask) override {
    std::vector<std::string> limits;
    int64_t sum = 0;
    for (uint64_t i = 1 + rng.Below(2); i > 0; --i) {
      const int64_t amount = whole_ ? rng.Between(1, 2) : 100 * rng.Between(1, 5);
      limits.push_back(
          StrCat(R"("volcano.sh/gpu-)", whole_ ? "number" : "memory", R"(":")", amount, "\""));
      sum += amount;
    }
    ask->count = whole_ ? sum : 1;
    ask->memory = whole_ ? 0 : sum;
    ask->cores = whole_ ? 100 : 0;
    return MakePod(limits);
  }

 private:
  static constexpr int64_t kMemory = 1000;
  const bool whole_;
  std::map<std::string, int64_t> counts_;  // Of cards, by node.
};

// Virtual GPUs: by software, under rules that keep some pods apart, or on cards that are cut.
class VgpuWorld final : public FamilyWorld {
 public:
  VgpuWorld(Rng& dice, bool cut) : FamilyWorld(dice), cut_(cut) {
    ids_key = kIdsKey;
    lock_key = "hamivgpu";
  }

 protected:
  std::string Family() const override { return "VGPUEnable"; }
  int rules() const override { return cut_ ? 0 : 2; }
  std::string MoreArguments() const override {
    return cut_ ? "" : "      deviceshare.GPUExclusiveRules: [{rule-0: x}, {rule-1: x, all: x}]\n";
  }
  std::string Config() const override {
    if (!cut_) return "";
    std::string groups;
    for (const auto& [group, sizes] : Groups()) {
      StrAppend(&groups, groups.empty() ? "" : ", ", "{group: ", group, ", geometries: [");
      for (size_t i = 0; i < sizes.size(); ++i) {
        StrAppend(&groups, i == 0 ? "" : ", ", "{name: i", i, ", memory: ", sizes[i],
                  ", count: 1}");
      }
      groups += "]}";
    }
    return StrCat("nvidia: {knownMigGeometries: [{models: [A30], allowedGeometries: [", groups,
                  "]}]}");
  }
  types::Node DrawNode(const std::string& name) override {
    std::string& text = registers_[name];
    for (int64_t i = 0, count = text.empty() ? rng.Between(1, 3) : 0; i < count; ++i) {
      const std::string id = StrCat(name, "-", i);
      const PlainCard card{.memory = cut_ ? 24576 : 1000, .slots = cut_ ? 7 : 3};
      cards[StrCat(name, "/", id)] = card;
      StrAppend(&text, id, ",", card.slots, ",", card.memory, ",NVIDIA-A30,true,",
                cut_ ? "mig" : "hami-core", ":");
    }
    return MakeNode(StrCat(R"("volcano.sh/node-vgpu-register":")", text, "\""),
                    StrCat(VgpuNode(), R"(,"cpu":"64","memory":"64Gi","pods":"110")"));
  }
  types::Pod Asking(PlainAsk* ask) override {
    std::vector<std::string> limits;
    const uint64_t containers = rng.Chance(0.7) ? 1 : 2;
    for (uint64_t i = 0; i < containers; ++i) {
      constexpr int64_t kSizes[] = {1000, 6000, 6145, 12000, 20000};
      ask->count = rng.Between(1, 2);
      const int64_t memory =
          rng.Chance(0.1) ? -1 : (cut_ ? kSizes[rng.Below(5)] : 100 * rng.Between(1, 6));
      ask->memory = memory >= 0 ? memory : (cut_ ? 24576 : 1000);
      ask->cores = 10 * rng.Between(0, cut_ ? 1 : 5);
      limits.push_back(Vgpu(ask->count, memory, ask->cores));
    }
    ask->is_simple = containers == 1;
    return MakePod(limits);
  }
  bool Takes(const std::string& card, const PlainParts& there,
             const std::string& pod) const override {
    if (!FamilyWorld::Takes(card, there, pod)) return false;
    const PlainSum sum = SumOf(there, card);
    if (sum.cores == 100 && asks.at(pod).cores == 0) return false;
    if (!cut_) return true;
    for (const auto& [group, sizes] : Groups()) {
      const std::string mark = group + "-";
      const auto other = [&mark](const PlainPart& p) { return !p.instance.starts_with(mark); };
      if (std::any_of(there.begin(), there.end(), other)) continue;
      int number = 0;
      for (int64_t size : sizes) {
        const std::string id = StrCat(mark, number++);
        const auto is_it = [&id](const PlainPart& p) { return p.instance == id; };
        const bool taken = std::any_of(there.begin(), there.end(), is_it);
        if (!taken && size >= asks.at(pod).memory) return true;
      }
    }
    return false;
  }

 private:
  // Ways to cut a card, and the sizes of instances then, in order of their numbers.
  static const std::vector<std::pair<std::string, std::vector<int64_t>>>& Groups() {
    static const auto& kGroups = *new std::vector<std::pair<std::string, std::vector<int64_t>>>{
        {"even", {6144, 6144, 6144, 6144}}, {"mixed", {12288, 6144, 6144}}, {"whole", {24576}}};
    return kGroups;
  }
  const bool cut_;
  std::map<std::string, std::string> registers_;  // By node.
};

// Parts of Ascend cards by template, and by software where the node can.
class AscendWorld final : public FamilyWorld {
 public:
  explicit AscendWorld(Rng& dice) : FamilyWorld(dice) {
    ids_key = "hami.io/Ascend310P-devices-allocated";
    lock_key = "hami.io/mutex.lock";
  }

 protected:
  std::string Family() const override { return "AscendHAMiVNPUEnable"; }
  types::Node DrawNode(const std::string& name) override {
    std::string& text = registers_[name];
    if (text.empty() && rng.Chance(0.5)) soft_.insert(name);
    for (int64_t i = 0, count = text.empty() ? rng.Between(1, 3) : 0; i < count; ++i) {
      const std::string id = StrCat(name, "-", i);
      cards[StrCat(name, "/", id)] = {
          .memory = kAll, .slots = 4, .cores = soft_.contains(name) ? 100 : kCores};
      StrAppend(&text, text.empty() ? "[" : ",", R"({"id":")", id, R"(","count":4,"devmem":)", kAll,
                R"(,"devcore":)", kCores, R"(,"type":"Ascend310P"})");
    }
    types::Node node =
        MakeNode("", R"("huawei.com/Ascend310P":"40","cpu":"64","memory":"64Gi","pods":"110")");
    node.meta.annotations.Set("hami.io/node-register-Ascend310P", text + "]");
    node.meta.annotations.Set("hami-vnpu-core", soft_.contains(name) ? "true" : "false");
    return node;
  }
  types::Pod Asking(PlainAsk* ask) override {
    std::vector<std::string> limits;
    ask->soft = rng.Chance(0.3);
    const uint64_t containers = rng.Chance(0.7) ? 1 : 2;
    for (uint64_t i = 0; i < containers; ++i) {
      const bool all = rng.Chance(0.2);
      const int64_t memory = all ? kAll : 1000 * rng.Between(1, 14);
      ask->count = all && rng.Chance(0.5) ? 2 : 1;
      ask->cores = ask->soft ? 10 * rng.Between(0, 6) : rng.Between(0, 3);
      ask->memory = ask->soft ? memory : Rounded(memory);
      limits.push_back(StrCat(R"("huawei.com/Ascend310P":")", ask->count,
                              R"(","huawei.com/Ascend310P-memory":")", memory,
                              R"(","huawei.com/Ascend310P-core":")", ask->cores, "\""));
    }
    ask->is_simple = containers == 1;
    return MakePod(limits, ask->soft ? R"("huawei.com/vnpu-mode":"hami-core")" : "");
  }
  bool Takes(const std::string& card, const PlainParts& there,
             const std::string& pod) const override {
    const PlainAsk& ask = asks.at(pod);
    const PlainSum sum = SumOf(there, card);
    const PlainCard& has = cards.at(card);
    if (ask.soft && !soft_.contains(card.substr(0, card.find('/')))) return false;
    const int64_t cores = ask.soft ? 100 : kCores;
    return sum.parts < has.slots && has.memory - sum.memory >= ask.memory &&
           cores - sum.cores >= ask.cores && !(sum.cores == cores && ask.cores == 0);
  }

 private:
  static constexpr int64_t kAll = 21527;
  static constexpr int64_t kCores = 8;
  static int64_t Rounded(int64_t memory) {
    for (const int64_t part : {3072, 6144, 12288}) {
      if (memory <= part) return part;
    }
    return kAll;
  }
  std::map<std::string, std::string> registers_;  // By node.
  std::set<std::string> soft_;                    // Nodes.
};

}  // namespace

PlainSum SumOf(const PlainParts& parts, const std::string& card) {
  PlainSum out;
  for (const PlainPart& part : parts) {
    if (part.card != card) continue;
    ++out.parts;
    out.memory += part.memory;
    out.cores += part.cores;
  }
  return out;
}

ClusterSetup FamilyWorld::Setup(const std::string& actions) {
  std::string arguments = MoreArguments();
  if (node_lock) arguments += "      deviceshare.NodeLockEnable: true\n";
  if (rng.Chance(0.7)) {
    StrAppend(&arguments,
              "      deviceshare.SchedulePolicy: ", rng.Chance(0.5) ? "binpack" : "spread",
              "\n      deviceshare.ScheduleWeight: 5\n");
  }
  return {.arguments = std::move(arguments),
          .actions = actions,
          .family = Family(),
          .plugins = "",
          .config = Config()};
}

void FamilyWorld::TellNode(DeviceCluster& cluster, const std::string& name) {
  types::Node node = DrawNode(name);
  node.meta.name = name;
  locks_.erase(name);
  if (rng.Chance(0.2)) {
    const bool readable = rng.Chance(0.8);
    const absl::Time since = cluster.clock.Now() - absl::Minutes(rng.Between(-2, 8));
    locks_[name] = readable ? std::optional<absl::Time>(since) : std::nullopt;
    node.meta.annotations.Set(
        lock_key, readable ? absl::FormatTime(absl::RFC3339_sec, since, absl::UTCTimeZone())
                           : std::string("soon"));
  }
  cluster.Put(node);
}

bool FamilyWorld::IsLocked(const std::string& node, absl::Time now) const {
  const auto lock = locks_.find(node);
  if (!node_lock || !lock_counts || lock == locks_.end()) return false;
  return !lock->second || *lock->second > now - absl::Minutes(5);
}

types::Pod FamilyWorld::DrawPod(const std::string& name, const std::string& group) {
  types::Pod pod = Asking(&asks[name]);
  pod.meta.annotations.Set("scheduling.k8s.io/group-name", group);
  for (int rule = 0; rule < rules(); ++rule) {
    if (!rng.Chance(0.4)) continue;
    pod.meta.labels.Set(StrCat("rule-", rule), "x");
    if (rule == 0 || rng.Chance(0.7)) rules_of[name].insert(rule);
    if (rule == 1 && rules_of[name].contains(1)) pod.meta.labels.Set("all", "x");
  }
  return pod;
}

PlainParts FamilyWorld::PartsOf(const std::string& pod, const std::string& node,
                                const std::string& text) const {
  PlainParts out;
  for (const absl::string_view item : SplitText(text, absl::ByAnyChar(":;"))) {
    const std::vector<std::string> fields = SplitText(ToStd(item), ',');
    if (fields.size() != 4) continue;
    const size_t open = fields[0].find('[');
    PlainPart part{
        .pod = pod, .card = StrCat(node, "/", fields[0].substr(0, open)), .instance = ""};
    if (open != std::string::npos) {
      part.instance = fields[0].substr(open + 1, fields[0].size() - open - 2);
    }
    part.memory = std::stoll(fields[2]);
    part.cores = std::stoll(fields[3]);
    out.push_back(std::move(part));
  }
  return out;
}

void FamilyWorld::CheckBounds(const PlainParts& parts) const {
  for (const auto& [key, card] : cards) {
    const PlainParts there = OnCard(parts, key);
    const PlainSum sum = SumOf(there, key);
    CAPTURE(key);
    CHECK(sum.parts <= card.slots);
    CHECK(sum.memory <= card.memory);
    CHECK(sum.cores <= card.cores);
    std::set<std::string> instances;
    std::set<std::string> groups;
    std::map<int, std::set<std::string>> pods_of_rule;
    for (const PlainPart& part : there) {
      if (const auto rules = rules_of.find(part.pod); rules != rules_of.end()) {
        for (const int rule : rules->second) pods_of_rule[rule].insert(part.pod);
      }
      if (part.instance.empty()) continue;
      CAPTURE(part.instance);
      CHECK(instances.insert(part.instance).second);
      groups.insert(part.instance.substr(0, part.instance.rfind('-')));
    }
    CHECK(groups.size() <= 1);
    for (const auto& [rule, pods] : pods_of_rule) CHECK(pods.size() == 1);
  }
}

bool FamilyWorld::Takes(const std::string& card, const PlainParts& there,
                        const std::string& pod) const {
  const PlainAsk& ask = asks.at(pod);
  const PlainCard& has = cards.at(card);
  const PlainSum sum = SumOf(there, card);
  const auto rules = rules_of.find(pod);
  for (const PlainPart& part : there) {
    const auto others = rules_of.find(part.pod);
    if (rules == rules_of.end() || others == rules_of.end() || part.pod == pod) continue;
    for (const int rule : rules->second) {
      if (others->second.contains(rule)) return false;
    }
  }
  return has.offered && sum.parts < has.slots && has.memory - sum.memory >= ask.memory &&
         sum.cores + ask.cores <= has.cores;
}

bool FamilyWorld::Serves(const std::string& node, const PlainParts& parts,
                         const std::string& pod) const {
  int64_t fitting = 0;
  for (const auto& [key, card] : cards) {
    if (!key.starts_with(node + "/")) continue;
    fitting += Takes(key, OnCard(parts, key), pod) ? 1 : 0;
  }
  return fitting >= asks.at(pod).count;
}

std::unique_ptr<FamilyWorld> MakeFamily(const std::string& name, Rng& rng) {
  if (name == "gpu memory") return std::make_unique<GpuWorld>(rng, /*whole=*/false);
  if (name == "gpu whole") return std::make_unique<GpuWorld>(rng, /*whole=*/true);
  if (name == "virtual") return std::make_unique<VgpuWorld>(rng, /*cut=*/false);
  if (name == "cut") return std::make_unique<VgpuWorld>(rng, /*cut=*/true);
  REQUIRE(name == "ascend");
  return std::make_unique<AscendWorld>(rng);
}

}  // namespace bth::devices::testing
