// What MindCluster's daemons tell of the chips of nodes.
#include "cache/cluster/chip_book.h"
#include "tests/devices/chip_objects.h"
#include "tests/support/catch.h"

namespace bth::devices {
namespace {

using cache::ChipBook;
using model::ChipNews;
using model::ChipReport;
using testing::ChipNode;
using testing::Chips;

types::ConfigMap Map(const std::string& ns, const std::string& name, const std::string& key,
                     const std::string& text) {
  types::ConfigMap out;
  out.meta.ns = ns;
  out.meta.name = name;
  out.data.Set(key, text);
  return out;
}

types::ConfigMap OfCluster(const std::string& name, const std::string& text) {
  return Map("mindx-dl", name, name, text);
}

TEST_CASE("chips: ClusterD tells of many nodes in one ConfigMap", "[devices]") {
  const auto news = ReadChips(
      OfCluster("cluster-info-device-3",
                R"({"mindx-dl-deviceinfo-a":{"DeviceList":{"huawei.com/Ascend310P":)"
                R"("Ascend310P-3,Ascend310P-0,Ascend310P-2c-100-1,x","huawei.com/)"
                R"(Ascend310P-Unhealthy":"Ascend310P-2"},"UpdateTime":5},)"
                R"("mindx-dl-deviceinfo-b":{"DeviceList":{"huawei.com/Ascend910":"Ascend910-0"}},)"
                R"("else":{},"mindx-dl-deviceinfo-":{}})"),
      Chips());
  REQUIRE(news.ok());
  CHECK(*news ==
        std::vector<ChipNews>{
            {.node = "a",
             .told_at = 5,
             .chips = ChipReport{.free = {0, 3}, .broken = {2}},
             .set_apart = std::nullopt},
            {.node = "b", .told_at = 0, .chips = std::nullopt, .set_apart = std::nullopt}});
  const auto status = ReadChips(
      OfCluster("cluster-info-node-cm",
                R"({"mindx-dl-nodeinfo-a":{"FaultDevList":[],"NodeStatus":"PreSeparate"},)"
                R"("mindx-dl-nodeinfo-b":{"NodeStatus":"Healthy"}})"),
      Chips());
  REQUIRE(status.ok());
  REQUIRE(status->size() == 2);
  CHECK(status->at(0).set_apart == true);
  CHECK(status->at(1).set_apart == false);
}

TEST_CASE("chips: without ClusterD each node's own daemons tell", "[devices]") {
  model::DeviceSettings settings = Chips();
  settings.cluster_reports = false;
  const auto news =
      ReadChips(Map("kube-system", "mindx-dl-deviceinfo-a", "DeviceInfoCfg",
                    R"({"DeviceInfo":{"DeviceList":{"huawei.com/Ascend310P":"Ascend310P-1"},)"
                    R"("UpdateTime":9},"SuperPodID":-2,"CheckCode":"x"})"),
                settings);
  REQUIRE(news.ok());
  REQUIRE(news->size() == 1);
  CHECK(news->at(0).node == "a");
  CHECK(news->at(0).told_at == 9);
  CHECK(news->at(0).chips == ChipReport{.free = {1}, .broken = {}});
  const auto status = ReadChips(Map("mindx-dl", "mindx-dl-nodeinfo-a", "NodeInfo",
                                    R"({"NodeInfo":{"NodeStatus":"PreSeparate"}})"),
                                settings);
  REQUIRE(status.ok());
  CHECK(status->at(0).set_apart == true);
  // A status without faults is empty.
  CHECK(ReadChips(Map("mindx-dl", "mindx-dl-nodeinfo-a", "NodeInfo", ""), settings)
            ->at(0)
            .set_apart == false);
}

TEST_CASE("chips: other ConfigMaps tell nothing, torn ones are refused", "[devices]") {
  CHECK(ReadChips(Map("elsewhere", "cluster-info-device-0", "cluster-info-device-0", "{"), Chips())
            ->empty());
  CHECK(ReadChips(OfCluster("cluster-info-switch-0", "{"), Chips())->empty());
  CHECK(ReadChips(Map("kube-system", "mindx-dl-deviceinfo-a", "DeviceInfoCfg", "{"), Chips())
            ->empty());
  const auto torn = ReadChips(OfCluster("cluster-info-device-0", "{"), Chips());
  CHECK(absl::IsInvalidArgument(torn.status()));
  CHECK(absl::StrContains(torn.status().message(), "data[cluster-info-device-0]"));
  CHECK(ReadChips(OfCluster("cluster-info-device-0", "{"), testing::Vgpus())->empty());
}

ChipNews News(const std::string& node, int64_t at, std::vector<int32_t> free) {
  return {.node = node,
          .told_at = at,
          .chips = ChipReport{.free = std::move(free), .broken = {}},
          .set_apart = std::nullopt};
}

std::string FreeOn(const ChipBook& book, const std::string& node) {
  const auto devices = book.Complete(node, ReadNode(ChipNode(32), Chips()));
  if (devices->pools.empty()) return "none";
  std::string out = devices->pools[0].closed ? "closed " : "";
  for (const model::Device& chip : devices->pools[0].devices) {
    if (chip.offered) out += chip.id;
  }
  return out;
}

using Names = std::vector<std::string>;

TEST_CASE("chips: what was told last holds, until it is told no more", "[devices][cache]") {
  ChipBook book;
  CHECK(book.Put("x", {News("a", 1, {0}), News("b", 1, {1})}) == Names{"a", "b"});
  CHECK(book.Put("x", {News("a", 2, {0}), News("b", 2, {1, 2})}) == Names{"b"});
  CHECK(FreeOn(book, "a") == "0");
  CHECK(FreeOn(book, "b") == "12");
  CHECK(FreeOn(book, "c") == "none");
  // A node moves to another ConfigMap, which is told first.
  CHECK(book.Put("y", {News("b", 3, {3})}) == Names{"b"});
  CHECK(FreeOn(book, "b") == "3");
  CHECK(book.Put("x", {News("a", 3, {0})}).empty());
  CHECK(book.Put("y", {}) == Names{"b"});
  CHECK(FreeOn(book, "b") == "none");
  CHECK(book.Put("x", {}) == Names{"a"});
  CHECK(book.nodes() == 0);
}

TEST_CASE("chips: of two at the same time the later name holds, whoever came first",
          "[devices][cache]") {
  for (const bool turned : {false, true}) {
    ChipBook book;
    book.Put(turned ? "y" : "x", {News("a", 1, {turned ? 1 : 0})});
    book.Put(turned ? "x" : "y", {News("a", 1, {turned ? 0 : 1})});
    CHECK(FreeOn(book, "a") == "1");
  }
}

TEST_CASE("chips: a node that is set apart is closed, wherever its chips are told of",
          "[devices][cache]") {
  ChipBook book;
  const ChipNews apart{.node = "a", .told_at = 0, .chips = std::nullopt, .set_apart = true};
  CHECK(book.Put("nodes", {apart}) == Names{"a"});
  CHECK(FreeOn(book, "a") == "none");
  CHECK(book.Put("chips", {News("a", 1, {0, 1})}) == Names{"a"});
  CHECK(FreeOn(book, "a") == "closed 01");
  CHECK(book.Put("nodes", {}) == Names{"a"});
  CHECK(FreeOn(book, "a") == "01");
}

}  // namespace
}  // namespace bth::devices
