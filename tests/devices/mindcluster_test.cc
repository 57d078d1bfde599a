// Chips that MindCluster lends: what objects say of them, and which one a pod gets.
#include "devices/mindcluster/mindcluster.h"

#include "tests/devices/chip_objects.h"
#include "tests/support/catch.h"

namespace bth::devices {
namespace {

using model::ChipReport;
using testing::ChipBed;
using testing::ChipNode;
using testing::ChipPod;
using testing::Chips;

TEST_CASE("MindCluster: labels and capacity tell how many chips of which size", "[devices]") {
  struct Case {
    int64_t cores;
    std::string server;
    model::ChipLayout expect;
  };
  const auto c = GENERATE(values<Case>({
      {8, "Ascend310P-8", {1, 8, 7}},
      {64, "Ascend310P-8", {8, 8, 7}},
      {80, "Ascend310P-10-dual", {8, 10, 7}},
      {60, "Ascend310P-8", {}},  // Half a chip.
      {0, "Ascend310P-8", {}},
      {-8, "Ascend310P-8", {}},
      {24, "Ascend310P-12", {}},
      {8, "Ascend310P", {}},
      {8, "Ascend310P-x", {}},
      {8'000'000, "Ascend310P-8", {}},
  }));
  CAPTURE(c.cores, c.server);
  const auto devices = ReadNode(ChipNode(c.cores, c.server), Chips());
  CHECK((devices == nullptr ? model::ChipLayout() : devices->layout) == c.expect);
}

TEST_CASE("MindCluster: a node needs all three labels", "[devices]") {
  for (const char* label : {"accelerator", "servertype", "node.kubernetes.io/npu.chip.name"}) {
    CAPTURE(label);
    types::Node node = ChipNode(16);
    CHECK(ReadNode(node, Chips()) != nullptr);
    node.meta.labels.Erase(label);
    CHECK(ReadNode(node, Chips()) == nullptr);
  }
  types::Node other = ChipNode(16);
  other.meta.labels["accelerator"] = "huawei-Ascend910";
  CHECK(ReadNode(other, Chips()) == nullptr);
  model::DeviceSettings off;
  off.hami_ascend = true;
  CHECK(ReadNode(ChipNode(16), off) == nullptr);
}

TEST_CASE("MindCluster: the node's chips are those that are told of", "[devices]") {
  const auto read = ReadNode(ChipNode(24), Chips());
  CHECK(read->pools.empty());
  CHECK(model::WithChips(read, nullptr, false)->pools.empty());
  const ChipReport report{.free = {0, 7}, .broken = {1}};
  const auto devices = model::WithChips(read, &report, false);
  REQUIRE(devices->pools.size() == 1);
  std::string ids;
  for (const model::Device& chip : devices->pools[0].devices) {
    StrAppend(&ids, chip.id, chip.offered ? "+ " : "- ");
    CHECK(chip.cores == 8);
    CHECK(chip.memory == 7);
  }
  CHECK(ids == "0+ 2- 7+ ");  // Who is on 2 counts.
  // Told anew, and no more.
  const ChipReport next{.free = {2}, .broken = {}};
  CHECK(model::WithChips(devices, &next, true)->pools[0].closed);
  CHECK(model::WithChips(devices, nullptr, false)->pools.empty());
}

TEST_CASE("MindCluster: who asks, and for how much", "[devices]") {
  CHECK(ReadRequests(ChipPod(2), Chips())->requests[0].containers[0].cores == 2);
  CHECK(ReadRequests(ChipPod(0), Chips()) == nullptr);
  types::Pod other = ChipPod(2);
  other.meta.labels["ring-controller.atlas"] = "ascend-910";
  CHECK(ReadRequests(other, Chips()) == nullptr);
  CHECK(ReadRequests(ChipPod(2), testing::Vgpus()) == nullptr);
  // The first container that asks for any.
  types::Pod two = testing::MakePod({R"("huawei.com/npu-core":"0")", R"("huawei.com/npu-core":"4")",
                                     R"("huawei.com/npu-core":"8")"},
                                    "", R"("ring-controller.atlas":"ascend-310P")");
  CHECK(ReadRequests(two, Chips())->requests[0].containers[0].cores == 4);
}

// The table of Volcano's guide, chips with eight cores.
TEST_CASE("MindCluster: cores, units and level name the template", "[devices]") {
  struct Case {
    int64_t cores;
    std::string dvpp;
    std::string level;
    std::string expect;
  };
  const auto c = GENERATE(values<Case>({
      {1, "null", "low", "0-vir01"},
      {1, "yes", "high", "0-vir01"},
      {2, "null", "low", "0-vir02_1c"},
      {2, "null", "other", "0-vir02_1c"},
      {2, "null", "", "0-vir02_1c"},
      {2, "", "high", "0-vir02"},
      {4, "yes", "low", "0-vir04_4c_dvpp"},
      {4, "no", "low", "0-vir04_3c_ndvpp"},
      {4, "null", "low", "0-vir04_3c"},
      {4, "yes", "high", "0-vir04_4c_dvpp"},
      {4, "no", "high", "0-vir04_3c_ndvpp"},
      {4, "null", "high", "0-vir04"},
      {8, "any", "any", "0"},
      {16, "null", "high", "0,1"},
      {4, "Yes", "low", "-"},
      {2, "none", "low", "-"},
      {3, "null", "low", "-"},
      {12, "null", "high", "-"},
  }));
  CAPTURE(c.cores, c.dvpp, c.level);
  std::string labels;
  if (!c.dvpp.empty()) labels = StrCat(R"("vnpu-dvpp":")", c.dvpp, "\"");
  if (!c.level.empty()) {
    StrAppend(&labels, labels.empty() ? "" : ",", R"("vnpu-level":")", c.level, "\"");
  }
  ChipBed bed(2);
  CHECK(bed.Ask(ChipPod(c.cores, labels)) == c.expect);
  CHECK_FALSE(bed.lowered);
}

constexpr char kHigh[] = R"("vnpu-level":"high")";

TEST_CASE("MindCluster: with ten cores eight are no whole chip", "[devices]") {
  ChipBed bed(2, 10);
  CHECK(bed.Ask(ChipPod(10)) == "0");
  CHECK(bed.Ask(ChipPod(20)) == "0,1");
  CHECK(bed.Ask(ChipPod(8)) == "-");
  CHECK(bed.why == "no vNPU template for this number of AI cores");
  CHECK(bed.Ask(ChipPod(4, kHigh)) == "0-vir04");
}

TEST_CASE("MindCluster: the chip with the least left is filled first", "[devices]") {
  ChipBed bed(3);
  bed.Bound(4, "1-vir04_3c");
  CHECK(bed.Place(ChipPod(4)) == "1-vir04_3c");
  CHECK(bed.Place(ChipPod(4)) == "0-vir04_3c");
  CHECK(bed.Place(ChipPod(4)) == "0-vir04_3c");
  CHECK(bed.Place(ChipPod(4)) == "2-vir04_3c");
  CHECK(bed.Place(ChipPod(4)) == "2-vir04_3c");
  CHECK(bed.Place(ChipPod(4)) == "-");
  CHECK(bed.why == "selectChipFromNodeSegment available chip not found");
}

constexpr char kOther[] = "node(s) wait for a vNPU of another template, and not rewrite";

TEST_CASE("MindCluster: who may do with fewer CPUs gets fewer where more do not fit", "[devices]") {
  ChipBed bed(1);
  bed.Bound(4, "0-vir04");  // Three of seven CPUs are left.
  CHECK(bed.Ask(ChipPod(4, kHigh)) == "0-vir04_3c");
  CHECK(bed.lowered);
  CHECK(bed.Ask(ChipPod(2, kHigh)) == "0-vir02");
  CHECK_FALSE(bed.lowered);
  CHECK(bed.Ask(ChipPod(4, R"("vnpu-dvpp":"yes")")) == "-");  // Has no lower one.
  CHECK(bed.why == "selectChipFromNodeSegment available chip not found");
  ChipBed pairs(1);
  for (int i = 0; i < 3; ++i) pairs.Bound(2, "0-vir02");  // One CPU is left.
  CHECK(pairs.Ask(ChipPod(2, kHigh)) == "0-vir02_1c");
  CHECK(pairs.lowered);
  // Another chip has room for all of it.
  ChipBed two(2);
  two.Bound(4, "0-vir04");
  CHECK(two.Ask(ChipPod(4, kHigh)) == "1-vir04");
  CHECK_FALSE(two.lowered);
}

TEST_CASE("MindCluster: parts that are not cut yet are of one template, whole chips aside",
          "[devices]") {
  ChipBed bed(4);
  CHECK(bed.Place(ChipPod(1)) == "0-vir01");
  CHECK(bed.Ask(ChipPod(2)) == "-");
  CHECK(bed.why == kOther);
  CHECK(bed.Ask(ChipPod(1)) == "0-vir01");
  CHECK(bed.Place(ChipPod(8)) == "1");
  // Once it is cut, others may come.
  ChipBed cut(4);
  cut.Bound(1, "0-vir01");
  CHECK(cut.Ask(ChipPod(2)) == "0-vir02_1c");
  // One that is bound and not cut counts, wherever it is.
  const model::TaskId late = cut.Bound(4, "3-vir04", /*real=*/"");
  CHECK(cut.Ask(ChipPod(2)) == "-");
  CHECK(cut.why == kOther);
  CHECK(cut.Ask(ChipPod(8)) == "1");
  cut.use->SetLeaving(late, true);
  CHECK(cut.Ask(ChipPod(2)) == "-");
  CHECK(cut.Ask(ChipPod(2), /*future=*/true) == "0-vir02_1c");
  cut.use->Remove(late);
  CHECK(cut.Ask(ChipPod(2)) == "0-vir02_1c");
}

TEST_CASE("MindCluster: two templates under way keep further parts off", "[devices]") {
  ChipBed bed(4);
  bed.Bound(1, "0-vir01", "");
  bed.Bound(2, "1-vir02", "");
  for (const int64_t cores : {1, 2, 4}) {
    CHECK(bed.Ask(ChipPod(cores)) == "-");
    CHECK(bed.why == kOther);
  }
}

TEST_CASE("MindCluster: whole chips are those that nobody is on", "[devices]") {
  ChipBed bed(4);
  bed.Bound(1, "0-vir01");
  bed.Bound(8, "2", "Ascend310P-2");
  CHECK(bed.Ask(ChipPod(16)) == "1,3");
  CHECK(bed.Ask(ChipPod(24)) == "-");
  CHECK(bed.why == "selectChipFromNodeWhole free whole chip not enough");
  CHECK(bed.Place(ChipPod(8)) == "1");
  CHECK(bed.Place(ChipPod(8)) == "3");
  CHECK(bed.Place(ChipPod(8)) == "-");
}

TEST_CASE("MindCluster: a chip that is being cut gets no further part", "[devices]") {
  ChipBed bed(2);
  bed.Bound(1, "0-vir01", /*real=*/"");
  CHECK(bed.Ask(ChipPod(1)) == "1-vir01");
  CHECK(bed.Ask(ChipPod(8)) == "1");
  // What this session gives may share a chip: it is cut for all of them.
  CHECK(bed.Place(ChipPod(1)) == "1-vir01");
  CHECK(bed.Place(ChipPod(1)) == "1-vir01");
}

TEST_CASE("MindCluster: parts lie in four groups of cores", "[devices]") {
  struct Case {
    std::vector<std::string> reals;
    int64_t cores;
    bool fits;
  };
  const std::string at = "Ascend310P-1c-100-0_";
  const auto c = GENERATE_REF(values<Case>({
      {{at + "0", at + "1"}, 2, true},
      {{at + "0", at + "1", at + "2"}, 2, true},
      {{at + "0", at + "1", at + "2"}, 4, false},
      {{at + "0", at + "1", at + "1"}, 4, true},
      {{at + "0", at + "1", at + "2", at + "3"}, 2, false},
      {{at + "0", at + "1", at + "2", at + "3"}, 1, true},
      // Of whom nobody says where they lie may be anywhere.
      {{at + "0", "x", "y", "z"}, 2, false},
      {{"v", "w", "x", "y", "z"}, 1, true},
  }));
  CAPTURE(c.reals, c.cores);
  // Parts of one core each.
  ChipBed bed(1, 10);
  for (const std::string& real : c.reals) {
    auto pod = std::make_shared<model::PodDevices>();
    const mindcluster::Part held{.number = mindcluster::TemplateNamed("vir01"),
                                 .group = real.find('_') == real.npos ? -1 : real.back() - '0'};
    pod->held.push_back({.kind = model::kMindClusterKind,
                         .devices = {{.id = "0", .memory = 0, .cores = 1, .mark = held.Mark()}}});
    bed.Hold(pod);
  }
  CHECK((bed.Ask(ChipPod(c.cores)) != "-") == c.fits);
}

TEST_CASE("MindCluster: the units for images go to one part, or to nobody in particular",
          "[devices]") {
  const auto yes = R"("vnpu-dvpp":"yes")";
  const auto no = R"("vnpu-dvpp":"no")";
  ChipBed bed(2);
  CHECK(bed.Place(ChipPod(4, yes)) == "0-vir04_4c_dvpp");
  CHECK(bed.Place(ChipPod(4, yes)) == "1-vir04_4c_dvpp");
  CHECK(bed.Place(ChipPod(4, yes)) == "-");
  ChipBed mixed(1);
  mixed.Bound(4, "0-vir04_4c_dvpp");
  CHECK(mixed.Ask(ChipPod(1)) == "-");  // Does not care, but may use them.
  CHECK(mixed.Ask(ChipPod(4, no)) == "0-vir04_3c_ndvpp");
  ChipBed shared(1);
  shared.Bound(1, "0-vir01");
  CHECK(shared.Ask(ChipPod(4, yes)) == "-");
  ChipBed unused(1);
  unused.Bound(4, "0-vir04_3c_ndvpp");
  CHECK(unused.Ask(ChipPod(4, yes)) == "0-vir04_4c_dvpp");
  ChipBed without(1);
  CHECK(without.Place(ChipPod(4, no)) == "0-vir04_3c_ndvpp");
  CHECK(without.Place(ChipPod(4, no)) == "0-vir04_3c_ndvpp");
  CHECK(without.Place(ChipPod(4, no)) == "-");
}

TEST_CASE("MindCluster: chips that are not free are for nobody new", "[devices]") {
  ChipBed bed(ChipNode(32), {.free = {3}, .broken = {0}});
  CHECK(bed.Ask(ChipPod(16)) == "-");
  CHECK(bed.Ask(ChipPod(1)) == "3-vir01");
  // One of ours is on 2: what is left of it is to be had.
  const model::TaskId task = bed.Bound(1, "2-vir01");
  CHECK(bed.Ask(ChipPod(1)) == "2-vir01");
  bed.use->SetLeaving(task, true);
  CHECK(bed.Ask(ChipPod(8), /*future=*/true) == "2");
  // Whoever is on a broken one counts for nothing.
  bed.Bound(1, "0-vir01");
  CHECK(bed.pool_use().Columns(false).size() == 3);
}

TEST_CASE("MindCluster: a node that is set apart takes nobody", "[devices]") {
  ChipBed bed(ChipNode(16), {.free = {0, 1}, .broken = {}}, /*closed=*/true);
  for (const int64_t cores : {1, 8}) {
    CHECK(bed.Ask(ChipPod(cores)) == "-");
    CHECK(bed.why == "node is PreSeparate, due to nodeD reported node status");
  }
}

TEST_CASE("MindCluster: what a pod holds is read from its annotations", "[devices]") {
  struct Case {
    int64_t cores;
    std::string told;
    std::string expect;  // "id cores/CPUs" for each.
  };
  const auto c = GENERATE(values<Case>({
      {2, "3-vir02", "3 2/2 "},
      {4, "0-vir04_3c_ndvpp", "0 4/3 "},
      {8, "5", "5 8/7 "},
      {16, "1,0", "0 8/7 1 8/7 "},
      {16, "1,1", "1 16/7 "},
      {16, "1,x,-2,600", "1 16/7 "},
      {2, "x-vir02", ""},
      {2, "-vir02", ""},
      {2, "600-vir02", ""},
      {2, "", ""},
      {2, ",,", ""},
      // Nobody knows what is left of the chip.
      {2, "3-vir99", "3 1024/1024 "},
      {2, "3-vir02-x", "3 1024/1024 "},
      {2, "3-", "3 1024/1024 "},
  }));
  CAPTURE(c.told);
  types::Pod pod = ChipPod(c.cores);
  pod.meta.annotations["huawei.com/npu-core"] = c.told;
  std::string out;
  if (const auto held = ReadHeld(pod, Chips())) {
    for (const model::HeldDevice& part : held->held[0].devices) {
      StrAppend(&out, part.id, " ", part.cores, "/", part.memory, " ");
    }
  }
  CHECK(out == c.expect);
}

TEST_CASE("MindCluster: an unknown part keeps everybody off its chip", "[devices]") {
  ChipBed bed(2);
  bed.Bound(2, "0-vir99");
  CHECK(bed.Ask(ChipPod(8)) == "1");
  CHECK(bed.Ask(ChipPod(16)) == "-");
  CHECK(bed.Ask(ChipPod(1)) == "1-vir01");
  bed.Bound(2, "1-vir99");
  CHECK(bed.Ask(ChipPod(1)) == "-");
}

TEST_CASE("MindCluster: a pod that asks for none holds none", "[devices]") {
  types::Pod pod = testing::MakePod({R"("cpu":"1")"}, R"("huawei.com/npu-core":"0")");
  CHECK(ReadHeld(pod, Chips()) == nullptr);
}

TEST_CASE("MindCluster: what was chosen is read back as it was given", "[devices]") {
  for (const int64_t cores : {1, 2, 4, 8, 16}) {
    CAPTURE(cores);
    ChipBed bed(4);
    model::HeldDevices named;
    types::Pod pod = ChipPod(cores, kHigh);
    pod.meta.annotations["huawei.com/npu-core"] = bed.Ask(pod, false, &named);
    pod.meta.annotations["huawei.com/AscendReal"] = "Ascend310P-0";
    const auto held = ReadHeld(pod, Chips());
    REQUIRE(held != nullptr);
    for (size_t i = 0; i < named.devices.size(); ++i) {
      CHECK(held->held[0].devices[i].id == named.devices[i].id);
      CHECK(held->held[0].devices[i].cores == named.devices[i].cores);
      CHECK(held->held[0].devices[i].memory == named.devices[i].memory);
      CHECK(held->held[0].devices[i].detail == named.devices[i].detail);
    }
  }
}

TEST_CASE("MindCluster: marks of parts", "[devices]") {
  using mindcluster::Stage;
  for (const Stage stage : {Stage::kCut, Stage::kBound, Stage::kGiven}) {
    for (const int32_t group : {-1, 0, 3, 63}) {
      const mindcluster::Part part{.number = 7, .stage = stage, .group = group};
      const mindcluster::Part again = mindcluster::Part::OfMark(part.Mark());
      CHECK(again.number == 7);
      CHECK(again.stage == stage);
      CHECK(again.group == group);
    }
  }
}

}  // namespace
}  // namespace bth::devices
