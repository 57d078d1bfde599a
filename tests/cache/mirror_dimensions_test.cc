// Which resources have a dimension in snapshots, and what the sums say of them.
#include <optional>
#include <string>

#include "base/strings.h"
#include "cache/cluster/mirror.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using testing::MakeGroup;
using testing::MakeNode;
using testing::MakePod;
using testing::MakeQueue;
using testing::PodText;

constexpr char kGpu[] = "nvidia.com/gpu";
constexpr int kRoom = model::kDims - model::kFixedDims;

// Node "n" with eight GPUs, queue "default", PodGroup "g".
struct DimensionBed {
  ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};
  Mirror mirror{clock, {}};

  DimensionBed() {
    mirror.PutQueue(MakeQueue("default"));
    mirror.PutPodGroup(MakeGroup("g", 1));
    mirror.PutNode(MakeNode("n", R"({"cpu":"9","pods":"99","nvidia.com/gpu":"8"})", symbols()));
  }
  Interner& symbols() { return mirror.vocabulary().symbols(); }

  CompiledPod Pod(const std::string& name, const NamedAmounts& asks, const std::string& node = "") {
    PodText text{.name = name};
    if (!node.empty()) {
      text.spec = StrCat(R"("nodeName":")", node, R"(",)");
      text.status = R"("phase":"Running",)";
    }
    CompiledPod pod = MakePod(text, symbols());
    pod.requests.insert(pod.requests.end(), asks.begin(), asks.end());
    return pod;
  }
  void Put(const std::string& name, const NamedAmounts& asks, const std::string& node = "") {
    mirror.PutPod(Pod(name, asks, node));
  }
  void PutForeign(const std::string& name, const NamedAmounts& asks) {
    CompiledPod pod = Pod(name, asks, "n");
    pod.ours = false;
    pod.job_key.clear();
    mirror.PutPod(std::move(pod));
  }
  // As many as there are dimensions beside the built-in ones.
  static NamedAmounts Invented(const std::string& domain = "a.io") {
    NamedAmounts out;
    for (int i = 0; i < kRoom; ++i) out.emplace_back(StrCat(domain, "/r", 100 + i), 1000);
    return out;
  }
  // Of the resource on node n; nothing when it has no dimension.
  std::optional<int64_t> Idle(const std::string& resource = kGpu) {
    const auto snapshot = mirror.Publish();
    const std::optional<int> dim = snapshot->dims->Find(resource);
    if (!dim) return std::nullopt;
    return snapshot->usage.idle[(*snapshot->nodes_by_name)[0]][*dim];
  }
  // Why the pod cannot be placed anywhere; empty: it may be.
  std::string Refusal(const std::string& name) {
    const auto snapshot = mirror.Publish();
    for (model::TaskId id : snapshot->tasks.ids()) {
      const model::TaskRow& row = snapshot->tasks[id];
      if (row.names == nullptr || row.names->name != name) continue;
      const model::PodConstraints& constraints = snapshot->constraints_of(row.shape);
      const bool refused =
          constraints.unsupported == model::Bit(model::UnsupportedFeature::kDimensions);
      CHECK(refused == !constraints.unsupported_detail.empty());
      return constraints.unsupported_detail;
    }
    return "there is no such pod";
  }
};

TEST_CASE("mirror: a foreign pod takes no dimension", "[cache][dimensions]") {
  DimensionBed bed;
  bed.PutForeign("f", DimensionBed::Invented());
  CHECK(bed.mirror.Publish()->dims->size() == model::kFixedDims);
  bed.Put("p", {{kGpu, 1000}});
  CHECK(bed.Idle() == 8000);
  CHECK(bed.Refusal("p").empty());
}

TEST_CASE("mirror: what foreign pods use counts once somebody of ours asks for it",
          "[cache][dimensions]") {
  DimensionBed bed;
  bed.PutForeign("f", {{kGpu, 3000}});
  CHECK_FALSE(bed.Idle().has_value());
  bed.Put("p", {{kGpu, 1000}});
  CHECK(bed.Idle() == 5000);
  bed.mirror.RemovePod("ns/f");
  CHECK(bed.Idle() == 8000);
}

TEST_CASE("mirror: what foreign pods use does not depend on who asked in former times",
          "[cache][dimensions]") {
  DimensionBed bed;
  bed.PutForeign("f", {{kGpu, 3000}});
  bed.Put("p", {{kGpu, 1000}});
  CHECK(bed.Idle() == 5000);
  bed.mirror.RemovePod("ns/p");
  CHECK(bed.Idle() == 8000);  // As if nobody had asked.
  bed.Put("p", {{kGpu, 1000}});
  CHECK(bed.Idle() == 5000);
}

TEST_CASE("mirror: invented resources leave their dimensions to those that nodes offer",
          "[cache][dimensions]") {
  DimensionBed bed;
  bed.Put("greedy", DimensionBed::Invented());
  CHECK(bed.Refusal("greedy").empty());
  bed.Put("p", {{kGpu, 1000}});
  CHECK(bed.Refusal("p").empty());
  CHECK(bed.Idle() == 8000);
  CHECK(bed.Refusal("greedy") == "a.io/r100");
  CHECK(bed.mirror.table_sizes().without_dimension == 1);
}

TEST_CASE("mirror: a resource that a node comes to offer gets a dimension", "[cache][dimensions]") {
  DimensionBed bed;
  bed.Put("greedy", DimensionBed::Invented());
  bed.Put("p", {{"b.io/fpga", 1000}});
  CHECK(bed.Refusal("p") == "b.io/fpga");
  bed.mirror.PutNode(MakeNode("n", R"({"cpu":"9","pods":"99","b.io/fpga":"2"})", bed.symbols()));
  CHECK(bed.mirror.changed());
  CHECK(bed.Refusal("p").empty());
  CHECK(bed.Idle("b.io/fpga") == 2000);
  CHECK(bed.Refusal("greedy") == "a.io/r100");
}

TEST_CASE("mirror: the next in line gets the dimension that the last user left",
          "[cache][dimensions]") {
  DimensionBed bed;
  bed.Put("greedy", DimensionBed::Invented());
  bed.Put("late", {{"b.io/late", 1000}});
  bed.PutForeign("f", {{"b.io/late", 500}});
  CHECK(bed.Refusal("late") == "b.io/late");
  bed.mirror.RemovePod("ns/greedy");
  CHECK(bed.mirror.changed());
  CHECK(bed.Refusal("late").empty());
  CHECK(bed.Idle("b.io/late") == -500);  // The foreign pod's use counts now; the node offers none.
}

TEST_CASE("mirror: a pod that has ended asks for nothing any more", "[cache][dimensions]") {
  DimensionBed bed;
  CompiledPod ended = bed.Pod("ended", DimensionBed::Invented(), "n");
  bed.mirror.PutPod(ended);
  bed.Put("late", {{"b.io/late", 1000}});
  CHECK(bed.Refusal("late") == "b.io/late");
  ended.status = model::TaskStatus::kSucceeded;
  bed.mirror.PutPod(std::move(ended));
  CHECK(bed.Refusal("late").empty());
}

TEST_CASE("mirror: sums are the same whenever a dimension came", "[cache][dimensions]") {
  const auto sums = [](bool early) {
    DimensionBed bed;
    if (early) bed.Put("p", {{kGpu, 1000}});
    bed.Put("greedy", DimensionBed::Invented());
    bed.Put("b", {{kGpu, 2000}}, "n");
    bed.PutForeign("f", {{kGpu, 3000}});
    if (!early) {
      bed.mirror.Publish();
      bed.Put("p", {{kGpu, 1000}});
    }
    const auto snapshot = bed.mirror.Publish();
    const int dim = *snapshot->dims->Find(kGpu);
    const model::JobCounts& counts = snapshot->usage.jobs[(*snapshot->all_jobs)[0]];
    const model::NodeId node = (*snapshot->nodes_by_name)[0];
    return std::vector<int64_t>{snapshot->usage.idle[node][dim], snapshot->total[dim],
                                counts.allocated[dim], counts.pending[dim], counts.request[dim]};
  };
  CHECK(sums(false) == std::vector<int64_t>{3000, 8000, 2000, 1000, 3000});
  CHECK(sums(true) == sums(false));
}

TEST_CASE("mirror: a snapshot keeps the names of its own dimensions", "[cache][dimensions]") {
  DimensionBed bed;
  bed.Put("greedy", DimensionBed::Invented());
  const auto before = bed.mirror.Publish();
  bed.Put("p", {{kGpu, 1000}});
  const auto after = bed.mirror.Publish();
  const int dim = *after->dims->Find(kGpu);
  CHECK(before->dims->name(dim) == "a.io/r100");
  const auto request_of = [dim](const model::Snapshot& snapshot) {
    for (model::TaskId id : snapshot.tasks.ids()) {
      const model::TaskRow& row = snapshot.tasks[id];
      if (row.names != nullptr && row.names->name == "greedy") {
        return snapshot.shapes[row.shape].request[dim];
      }
    }
    return int64_t{-1};
  };
  CHECK(request_of(*before) == 1000);
  CHECK(request_of(*after) == 0);
}

TEST_CASE("mirror: guarantees and minimum resources ask until their object goes",
          "[cache][dimensions]") {
  DimensionBed bed;
  const auto asked = [&bed] { return bed.mirror.table_sizes().dimensions - model::kFixedDims; };
  bed.mirror.PutQueue(MakeQueue("q", R"({"guarantee":{"resource":{"a.io/x":"1"}}})"));
  bed.mirror.PutPodGroup(MakeGroup("h", 1, R"("minResources":{"a.io/y":"1"},)"));
  CHECK(asked() == 2);
  bed.mirror.PutQueue(MakeQueue("q", R"({"guarantee":{"resource":{"a.io/x":"2"}}})"));
  bed.mirror.PutPodGroup(MakeGroup("h", 1, R"("minResources":{"a.io/z":"1"},)"));
  CHECK(asked() == 2);
  bed.mirror.RemoveQueue("q");
  bed.mirror.RemovePodGroup("ns/h");
  CHECK(asked() == 0);
}

TEST_CASE("mirror: bystanders keep their shapes when a dimension changes hands",
          "[cache][dimensions]") {
  DimensionBed bed;
  bed.Put("plain", {});
  bed.Put("greedy", DimensionBed::Invented());
  const auto shape_of_plain = [&bed] {
    const auto snapshot = bed.mirror.Publish();
    for (model::TaskId id : snapshot->tasks.ids()) {
      const model::TaskRow& row = snapshot->tasks[id];
      if (row.names != nullptr && row.names->name == "plain") return row.shape;
    }
    return model::ShapeId();
  };
  const model::ShapeId before = shape_of_plain();
  bed.Put("p", {{kGpu, 1000}});
  CHECK(shape_of_plain() == before);
}

}  // namespace
}  // namespace bth::cache
