// HAMi's Ascend cards: parts by template or by software.
#include "devices/hami_ascend/hami_ascend.h"

#include "devices/config.h"
#include "tests/devices/objects.h"

namespace bth::devices {
namespace {

using testing::MakeNode;
using testing::MakePod;

constexpr model::DeviceKind kAscendKind{model::DeviceFamily::kHamiAscend, 0};

model::DeviceSettings Settings(const std::string& word = "Ascend310P") {
  model::DeviceSettings settings;
  UseBuiltinConfig(&settings);
  settings.hami_ascend = true;
  settings.chips[0].word = word;
  settings.chips[0].resource = "huawei.com/" + word;
  settings.chips[0].memory_resource = StrCat("huawei.com/", word, "-memory");
  return settings;
}

std::string Ask(int64_t count, int64_t memory = -1, int64_t cores = -1,
                const std::string& word = "Ascend310P") {
  std::string out = StrCat("\"huawei.com/", word, "\":\"", count, "\"");
  if (memory >= 0) StrAppend(&out, ",\"huawei.com/", word, "-memory\":\"", memory, "\"");
  if (cores >= 0) StrAppend(&out, ",\"huawei.com/", word, "-core\":\"", cores, "\"");
  return out;
}

constexpr char kSoftPod[] = R"("huawei.com/vnpu-mode":"hami-core")";

TEST_CASE("ascend: memory is rounded up to what can be had", "[devices]") {
  const model::AscendChip chip = Settings().chips[0];
  const std::vector<std::pair<std::vector<int64_t>, int64_t>> rows = {
      {{0, 1, 100, 3071, 3072}, 3072},
      {{3073, 6143, 6144}, 6144},
      {{6145, 12288}, 12288},
      {{12289, 21527, 21528, 24576}, 21527},
  };
  for (const auto& [asked, given] : rows) {
    for (const int64_t memory : asked) {
      CAPTURE(memory);
      CHECK(hami_ascend::RoundedMemory(chip, memory) == given);
    }
  }
  // More than a card has is more than any card gives.
  CHECK(hami_ascend::RoundedMemory(chip, 24577) > kMemoryMax);
}

TEST_CASE("ascend: whether a card does", "[devices]") {
  struct Row {
    const char* what;
    DeviceUse used;
    int64_t memory;
    int32_t cores;
    bool soft_pod;
    bool soft_node;
    bool fits;
  };
  for (const Row& row : std::vector<Row>{
           {"a part beside another", {1, 3072, 0}, 1024, 0, false, false, true},
           {"all beside a part", {1, 3072, 0}, 21527, 0, false, false, false},
           {"half beside half", {1, 12288, 0}, 6144, 0, false, false, true},
           {"more than there is", {0, 0, 0}, 24576, 0, false, false, false},
           {"more cores than are left", {1, 12288, 6}, 6144, 4, false, false, false},
           {"by software, where the node cannot", {0, 0, 0}, 1000, 0, true, false, false},
           {"by software, more than is left", {1, 100, 90}, 100, 20, true, true, false},
           {"by software", {0, 0, 0}, 100, 20, true, true, true},
           {"no container more", {7, 0, 0}, 1, 0, false, false, false},
           {"all cores beside another", {1, 0, 0}, 1, 100, true, true, false},
           {"no cores beside all of them", {1, 0, 100}, 1, 0, true, true, false},
       }) {
    CAPTURE(row.what);
    const model::Device card{.id = "a", .slots = 7, .memory = 21527, .cores = 8};
    const model::DevicePool pool{.kind = kAscendKind, .soft = row.soft_node};
    CHECK(hami_ascend::FitsCard(pool, card, row.used,
                                {.count = 1, .memory = row.memory, .cores = row.cores},
                                row.soft_pod) == row.fits);
  }
}

TEST_CASE("ascend: scores of cards", "[devices]") {
  using hami_ascend::ScoreOfCard;
  const model::Device card{.memory = 100};
  const model::Device none{.memory = 0};
  CHECK(ScoreOfCard(Policy::kSpread, card, {}) == 100);
  CHECK(ScoreOfCard(Policy::kSpread, card, {1, 0, 0}) == 0);
  CHECK(ScoreOfCard(Policy::kBinpack, card, {1, 100, 0}) == 100);
  CHECK(ScoreOfCard(Policy::kBinpack, card, {}) == 0);
  CHECK(ScoreOfCard(Policy::kBinpack, card, {1, 50, 0}) == 50);
  CHECK(ScoreOfCard(Policy::kBinpack, none, {1, 50, 0}) == 0);
  CHECK(ScoreOfCard(Policy::kNone, card, {1, 50, 0}) == 0);
}

std::string AscendCard(const std::string& id, const std::string& more = "",
                       const std::string& word = "Ascend310P") {
  return StrCat(R"({\"id\":\")", id, R"(\",\"count\":7,\"devmem\":21527,\"devcore\":8,\"type\":\")",
                word, "\\\"", more, "}");
}

// A node of these cards, and who holds them.
struct AscendCards {
  explicit AscendCards(const std::string& cards, model::DeviceSettings from = Settings(),
                       const std::string& more = "")
      : settings(std::move(from)) {
    const std::string& word = settings.chips[0].word;
    node = ReadNode(MakeNode(StrCat("\"hami.io/node-register-", word, "\":\"[", cards, "]\"", more),
                             StrCat("\"huawei.com/", word, "\":\"7\"")),
                    settings);
    if (node != nullptr) use = std::make_unique<NodeUse>(*node, nullptr);
  }
  bool soft() const { return node->pools[0].soft; }
  std::string Place(const types::Pod& pod, double* score = nullptr) {
    const auto asked = ReadRequests(pod, settings);
    REQUIRE(asked != nullptr);
    const Family& family = FamilyOf(kAscendKind.family);
    Choice choice;
    const Question question{.use = use->pools()[0],
                            .request = asked->requests[0],
                            .policy = policy,
                            .settings = settings};
    if (!family.Choose(question, &choice)) {
      evictions_help = family.EvictionsHelp(choice.refusal.value());
      return std::string(family.refusals()[*choice.refusal]);
    }
    CHECK_FALSE(choice.refusal.has_value());
    if (score != nullptr) *score = choice.score;
    said.clear();
    const model::HeldDevices named = family.Name(question, choice);
    family.Announce(named, settings, {.node = "n", .now = absl::FromUnixSeconds(1'767'225'600)},
                    &said);
    types::Pod bound = pod;
    for (const auto& [key, value] : said) bound.meta.annotations.Set(key, value);
    held.push_back(ReadHeld(bound, settings));
    REQUIRE(held.back() != nullptr);
    CHECK(held.back()->held == std::vector<model::HeldDevices>{named});
    use->Add(model::TaskId::FromIndex(held.size()), *held.back(), false);
    return bound.meta.annotations.Find(
        StrCat("hami.io/", settings.chips[0].word, "-devices-allocated"))[0];
  }
  std::string Said(const std::string& key) const {
    for (const auto& [name, value] : said) {
      if (name == key) return value;
    }
    return "";
  }
  model::DeviceSettings settings;
  Policy policy = Policy::kNone;
  bool evictions_help = false;  // Of the last refusal.
  std::shared_ptr<const model::NodeDevices> node;
  std::unique_ptr<NodeUse> use;
  std::vector<std::shared_ptr<const model::PodDevices>> held;
  std::vector<std::pair<std::string, std::string>> said;
};

TEST_CASE("ascend: the register of a node", "[devices]") {
  using hami_ascend::ReadRegister;
  const auto read = ReadRegister(
      R"([{"id":"a","index":0,"count":7,"devmem":21527,"devcore":8,"type":"T","custominfo":{"NetworkID":3}},)"
      R"({"id":"b","count":-1,"devmem":"x","type":"T","custominfo":{"NetworkID":"n"}},{"id":"a"},{"count":1}])");
  REQUIRE(read.size() == 2);
  CHECK(read[0] ==
        model::Device{
            .id = "a", .type = "T", .network = "3", .slots = 7, .memory = 21527, .cores = 8});
  CHECK(read[1] == model::Device{.id = "b", .type = "T", .network = "n"});
  for (const char* bad : {"", "{}", "[1]", "[", "null", R"({"id":"a"})"}) {
    CAPTURE(bad);
    CHECK(ReadRegister(bad).empty());
  }
  CHECK(AscendCards("").node == nullptr);
  CHECK(AscendCards(AscendCard("a", "", "Other")).node == nullptr);
}

TEST_CASE("ascend: who says that a node can slice by software", "[devices]") {
  model::DeviceSettings all_can = Settings();
  all_can.soft_slicing = true;
  CHECK_FALSE(AscendCards(AscendCard("a")).soft());
  CHECK(AscendCards(AscendCard("a"), all_can).soft());
  CHECK(AscendCards(AscendCard("a"), Settings(), R"(,"hami-vnpu-core":"true")").soft());
  CHECK_FALSE(AscendCards(AscendCard("a"), all_can, R"(,"hami-vnpu-core":"false")").soft());
  CHECK_FALSE(AscendCards(AscendCard("a"), all_can, R"(,"hami-vnpu-core":"yes")").soft());
}

TEST_CASE("ascend: parts, whole cards, and several", "[devices]") {
  AscendCards cards(StrCat(AscendCard("a"), ",", AscendCard("b")));
  CHECK(cards.Place(MakePod({Ask(2, 1024)})) == "no ascend device available");
  CHECK(cards.Place(MakePod({Ask(1, 1024)})) == "a,Ascend310P,3072,0:;");
  CHECK(cards.Said("huawei.com/Ascend310P") == R"([{"UUID":"a","temp":"vir01"}])");
  CHECK(cards.Said("hami.io/Ascend310P-devices-to-allocate") == "a,Ascend310P,3072,0:;");
  CHECK(cards.Said("hami.io/bind-phase") == "allocating");
  CHECK(cards.Said("hami.io/bind-time") == "1767225600");
  CHECK(cards.Said("hami.io/vgpu-time") == "1767225600");
  CHECK(cards.Said("predicate-time") == "1767225600");
  CHECK(cards.Said("hami.io/vgpu-node") == "n");
  CHECK(cards.Place(MakePod({Ask(2, 21527)})) == "no ascend device available");
  CHECK(cards.Place(MakePod({Ask(1)})) == "b,Ascend310P,21527,0:;");
  CHECK(cards.Said("huawei.com/Ascend310P") == R"([{"UUID":"b"}])");
  CHECK(cards.Place(MakePod({Ask(1, 24577)})) == "no ascend device available");
  AscendCards whole(StrCat(AscendCard("a"), ",", AscendCard("b")));
  CHECK(whole.Place(MakePod({Ask(2, 21527)})) == "a,Ascend310P,21527,0:b,Ascend310P,21527,0:;");
  // No card twice for one pod, though there is room.
  AscendCards two(StrCat(AscendCard("a"), ",", AscendCard("b")));
  CHECK(two.Place(MakePod({Ask(1, 100), Ask(1, 100)})) ==
        "a,Ascend310P,3072,0:;b,Ascend310P,3072,0:;");
  CHECK(two.Place(MakePod({Ask(1, 1), Ask(1, 1), Ask(1, 1)})) == "no ascend device available");
  // By memory alone, one card.
  CHECK(two.Place(MakePod({R"("huawei.com/Ascend310P-memory":"5")"})) == "a,Ascend310P,3072,0:;");
}

TEST_CASE("ascend: whether evictions help whom a node refuses", "[devices]") {
  AscendCards cards(AscendCard("a"));
  cards.Place(MakePod({Ask(1)}));
  // The card is full, which may change;
  CHECK(cards.Place(MakePod({Ask(1, 1024)})) == "no ascend device available");
  CHECK(cards.evictions_help);
  // parts of two cards are what nobody gets.
  CHECK(cards.Place(MakePod({Ask(2, 1024)})) == "no ascend device available");
  CHECK_FALSE(cards.evictions_help);
  CHECK(cards.Place(MakePod({Ask(2, 21527)})) == "no ascend device available");
  CHECK(cards.evictions_help);
  // Where there are no cards, there never will be one.
  const Family& family = FamilyOf(kAscendKind.family);
  const auto asked = ReadRequests(MakePod({Ask(1, 1024)}), cards.settings);
  CHECK_FALSE(family.EvictionsHelp(family.RefusalOf(asked->requests[0])));
}

TEST_CASE("ascend: by software", "[devices]") {
  AscendCards cards(AscendCard("a"), Settings(), R"(,"hami-vnpu-core":"true")");
  CHECK(cards.Place(MakePod({Ask(1, 1000, 20)}, kSoftPod)) == "a,Ascend310P,1000,20:;");
  CHECK(cards.Said("huawei.com/Ascend310P") == R"([{"UUID":"a","memory":1000,"core":20}])");
  CHECK(cards.Place(MakePod({Ask(1, 1000, 81)}, kSoftPod)) == "no ascend device available");
  CHECK(AscendCards(AscendCard("a")).Place(MakePod({Ask(1, 1000)}, kSoftPod)) ==
        "no ascend device available");
}

TEST_CASE("ascend: the policy orders cards, the first of each container scores", "[devices]") {
  AscendCards cards(StrCat(AscendCard("a"), ",", AscendCard("b")));
  cards.Place(MakePod({Ask(1, 3072)}));
  double score = 0;
  cards.policy = Policy::kBinpack;
  CHECK(cards.Place(MakePod({Ask(1, 1)}), &score) == "a,Ascend310P,3072,0:;");
  CHECK(static_cast<int>(score) == 14);  // 3072 of 21527, before it.
  cards.policy = Policy::kSpread;
  CHECK(cards.Place(MakePod({Ask(1, 1)}), &score) == "b,Ascend310P,3072,0:;");
  CHECK(score == 100);
}

TEST_CASE("ascend: cards of one network first", "[devices]") {
  const auto card = [](const std::string& id, int network) {
    return AscendCard(id, StrCat(R"(,\"custominfo\":{\"NetworkID\":)", network, "}"), "Ascend910B");
  };
  const std::string three = StrCat(card("a", 1), ",", card("b", 2), ",", card("c", 2));
  AscendCards cards(three, Settings("Ascend910B"));
  double score = 0;
  CHECK(cards.Place(MakePod({Ask(2, -1, -1, "Ascend910B")}), &score) ==
        "b,Ascend910B,21527,0:c,Ascend910B,21527,0:;");
  CHECK(score == 10);
  AscendCards all(three, Settings("Ascend910B"));
  all.Place(MakePod({Ask(3, -1, -1, "Ascend910B")}), &score);
  CHECK(static_cast<int>(score * 100) == 666);  // Two of three.
  // One card that tells no network, and none counts.
  AscendCards plain(StrCat(three, ",", AscendCard("d", "", "Ascend910B")), Settings("Ascend910B"));
  CHECK(plain.Place(MakePod({Ask(2, -1, -1, "Ascend910B")}), &score) ==
        "a,Ascend910B,21527,0:b,Ascend910B,21527,0:;");
  CHECK(score == 0);
}

TEST_CASE("ascend: what pods hold", "[devices]") {
  const model::DeviceSettings settings = Settings();
  AscendCards cards(StrCat(AscendCard("a"), ",", AscendCard("b")));
  const auto add = [&](const std::string& text) {
    types::Pod pod = MakePod({Ask(1)});
    pod.meta.annotations.Set("hami.io/Ascend310P-devices-allocated", text);
    const auto held = ReadHeld(pod, settings);
    if (held == nullptr) return;
    cards.held.push_back(held);
    cards.use->Add(model::TaskId::FromIndex(cards.held.size()), *held, false);
  };
  const auto used = [&](size_t card) { return cards.use->pools()[0].Columns(false)[card]; };
  add("a,Ascend310P,8000,25:b,Ascend310P,8000,25:;");
  CHECK(used(0) == DeviceUse{1, 8000, 25});
  CHECK(used(1) == DeviceUse{1, 8000, 25});
  add("a,Ascend310P,8000,25:;");
  CHECK(used(0) == DeviceUse{2, 16000, 50});
  for (const char* nothing : {"", "a", "a,Ascend310P,x,1:;", "unknown,Ascend310P,1,1:;"})
    add(nothing);
  CHECK(used(0) == DeviceUse{2, 16000, 50});
  CHECK(used(1) == DeviceUse{1, 8000, 25});
}

TEST_CASE("ascend: memory and cores are not counted on nodes", "[devices]") {
  const model::DeviceSettings settings = Settings();
  CHECK(IsIgnored("huawei.com/Ascend310P-memory", settings));
  CHECK(IsIgnored("huawei.com/Ascend310P-core", settings));
  CHECK_FALSE(IsIgnored("huawei.com/Ascend310P", settings));
  CHECK_FALSE(IsIgnored("cpu", settings));
  CHECK_FALSE(IsIgnored("huawei.com/Ascend310P-memory", model::DeviceSettings()));
}

}  // namespace
}  // namespace bth::devices
