#include "api/model/resource_vec.h"

#include <string>
#include <vector>

#include "algo/resource_algebra.h"
#include "api/model/quantity_text.h"
#include "tests/algo/vectors.h"
#include "tests/support/catch.h"

namespace bth::algo {
namespace {

using model::DimensionTable;
using model::DimMask;
using model::ResourceSet;
using model::ResourceVec;

TEST_CASE("resources: a request fits when all that it asks for is free", "[algo][unit]") {
  struct Case {
    std::string name;
    ResourceVec request, free;
    int missing;  // The first dimension, -1: it fits.
  };
  const Case c = GENERATE(values<Case>({
      {"all free", Vec(1000, 5), Vec(1000, 5), -1},
      {"one unit too much", Vec(1001, 5), Vec(1000, 5), model::kCpu},
      {"memory is short", Vec(1000, 6), Vec(1000, 5), model::kMemory},
      {"a device that the node lacks", Vec(1, 1, 1), Vec(9, 9), kGpu},
      {"none of a device that the node lacks", Vec(1, 1, 0), Vec(9, 9), -1},
      {"nothing fits even where too much is in use", Vec(0, 1), Vec(-5, 1, -1), -1},
      {"the first of several", Vec(0, 9, 9, 9), Vec(9, 9, 1, 1), kGpu},
  }));
  CAPTURE(c.name);
  CHECK(c.request.FirstMissing(c.free) == c.missing);
  CHECK(c.request.FitsIn(c.free) == (c.missing < 0));
}

TEST_CASE("resources: equal is at most, and not less", "[algo][unit]") {
  CHECK(Vec(0, 5).AllAtMost(Vec(0, 5)));
  CHECK_FALSE(Vec(1, 5).AllAtMost(Vec(0, 5)));
  CHECK_FALSE(Vec(0, 0, 1).AllAtMost(Vec(9, 9)));
  // Less is what the other side holds less of: nothing is less than nothing.
  CHECK(DimsOver(Vec(0, 5), Vec(0, 5)) == 0);
  CHECK(DimsOver(Vec(1, 5), Vec(0, 5)) == Bits({model::kCpu}));
}

TEST_CASE("resources: differences are exact and may fall below zero", "[algo][unit]") {
  CHECK(Vec(1, 1) - Vec(2, 0, 3) == Vec(-1, 1, -3));
  CHECK(Vec(1, 1) - Vec(2, 0, 3) + Vec(2, 0, 3) == Vec(1, 1));
  const int64_t huge = (int64_t{1} << 60) + 1;
  CHECK(Vec(0, huge) - Vec(0, 1) == Vec(0, int64_t{1} << 60));
}

TEST_CASE("resources: a request for a place alone is empty", "[algo][unit]") {
  ResourceVec place;
  place[model::kPods] = 1;
  CHECK(place.IsEmpty());
  CHECK_FALSE((place + Vec(1, 0)).IsEmpty());
  CHECK_FALSE((place + Vec(0, 0, 1)).IsEmpty());
}

TEST_CASE("resources: what both sides have", "[algo][unit]") {
  struct Case {
    std::string name;
    ResourceVec a, b;
    std::vector<int> common;
  };
  const Case c = GENERATE(values<Case>({
      {"nothing in common", Vec(1, 0), Vec(0, 1), {}},
      {"one side is empty", Vec(1, 1, 1), Vec(0, 0), {}},
      {"a device", Vec(0, 0, 1, 0, 2), Vec(0, 0, 0, 1, 1), {kFpga}},
      {"zero is not had", Vec(200, 0, 1, 0, 0), Vec(1, 0, 2, 0, 2), {model::kCpu, kGpu}},
  }));
  CAPTURE(c.name);
  CHECK((c.a.Positive() & c.b.Positive()) == Bits(c.common));
}

// Rows beside those of resource_algebra_test.cc.
TEST_CASE("resources: more rows of over and within", "[algo][unit]") {
  struct Case {
    std::string name;
    ResourceVec a, b, asked;
    std::vector<int> over, within;
  };
  const Case c = GENERATE(values<Case>({
      {"a device on one side only, others asked for",
       Vec(0, 0, 1000),
       Vec(0, 0, 0, 1000),
       Vec(0, 0, 0, 1000, 1000),
       {},
       {kRdma, kFpga}},
      {"fewer devices", Vec(0, 0, 2000), Vec(0, 0, 4000), Vec(0, 0, 1000), {}, {kGpu}},
      {"as many devices", Vec(0, 0, 4000), Vec(0, 0, 4000), Vec(0, 0, 1000), {}, {kGpu}},
      {"more devices", Vec(0, 0, 2000), Vec(0, 0, 1000), Vec(0, 0, 1000), {kGpu}, {}},
      {"cpu and memory", Vec(2, 2), Vec(1, 1), Vec(1, 1), {model::kCpu, model::kMemory}, {}},
      {"more of what is not asked for", Vec(1, 2), Vec(1, 1), Vec(1, 0), {}, {model::kCpu}},
  }));
  CAPTURE(c.name);
  CHECK(DimsOver(c.a, c.b, AskedDims(c.asked)) == Bits(c.over));
  CHECK(DimsWithin(c.a, c.b, AskedDims(c.asked)) == Bits(c.within));
}

TEST_CASE("resources: only limits that are known can be exceeded", "[algo][unit]") {
  const auto limit = [](const ResourceVec& v, const std::vector<int>& extra) {
    return ResourceSet{.v = v, .present = kCpuMemoryBits | Bits(extra)};
  };
  struct Case {
    std::string name;
    ResourceVec held;
    ResourceSet limit;
    ResourceVec asked;
    std::vector<int> over;
  };
  const Case c = GENERATE_COPY(values<Case>({
      {"nothing is asked for", Vec(9, 9, 9), limit(Vec(1, 1, 1), {kGpu}), Vec(0, 0), {}},
      {"cpu", Vec(2000, 0), limit(Vec(1000, 0), {}), Vec(1, 0), {model::kCpu}},
      {"cpu without a limit", Vec(2000, 0), limit(Vec(0, 0), {}), Vec(1, 0), {}},
      {"cards", Vec(0, 0, 2000), limit(Vec(0, 0, 1000), {kGpu}), Vec(0, 0, 1), {kGpu}},
      {"cards without a limit", Vec(0, 0, 2000), limit(Vec(0, 0), {}), Vec(0, 0, 1), {}},
      {"no cards allowed", Vec(0, 0, 1), limit(Vec(0, 0), {kGpu}), Vec(0, 0, 1), {kGpu}},
      {"memory", Vec(0, 2048), limit(Vec(5, 1024), {}), Vec(1, 1), {model::kMemory}},
      {"all within", Vec(1000, 1024), limit(Vec(1000, 1024), {}), Vec(1, 1), {}},
  }));
  CAPTURE(c.name);
  CHECK(DimsOver(c.held, c.limit.v, RelevantDims(c.asked, c.limit)) == Bits(c.over));
}

TEST_CASE("resources: a child without a name in its parent's limit is not over it",
          "[algo][unit]") {
  for (int64_t amount : {0, 8}) {
    const ResourceSet child{.v = Vec(0, 0, amount), .present = kCpuMemoryBits | Bits({kGpu})};
    const ResourceSet parent{.v = Vec(0, 0), .present = kCpuMemoryBits};
    CHECK(DimsOver(child, parent, Absent::kInfinity) == 0);
  }
}

TEST_CASE("resources: names get dimensions once, until none is left", "[algo][unit]") {
  DimensionTable dims;
  CHECK(dims.Find("cpu") == model::kCpu);
  CHECK(dims.Find("nvidia.com/gpu") == std::nullopt);
  for (int i = model::kFixedDims; i < model::kDims; ++i) {
    CHECK(dims.Add("example.com/r" + std::to_string(i)) == i);
  }
  CHECK(dims.Add("example.com/r3") == 3);
  CHECK(dims.Add("example.com/one-too-many") == std::nullopt);
  CHECK(dims.size() == model::kDims);
}

TEST_CASE("resources: which names are counted, and in which unit", "[algo][unit]") {
  struct Case {
    std::string name;
    bool counted, milli;
  };
  const Case c = GENERATE(values<Case>({
      {"cpu", true, true},
      {"memory", true, false},
      {"pods", true, false},
      {"ephemeral-storage", true, false},
      {"hugepages-2Mi", true, false},
      {"nvidia.com/gpu", true, true},
      {"scalar.test/scalar1", true, true},
      {"attachable-volumes-csi", true, true},
      {"count/pods", false, false},
      {"requests.cpu", false, false},
      {"storage", false, false},
  }));
  CAPTURE(c.name);
  CHECK(model::IsCountedResource(c.name) == c.counted);
  if (!c.counted) return;
  DimensionTable dims;
  CHECK(dims.IsMilli(*dims.Add(c.name)) == c.milli);
}

TEST_CASE("resources: amounts are written as Kubernetes quantities", "[algo][unit]") {
  struct Case {
    std::string name;
    int64_t amount;
    std::string text;
  };
  const Case c = GENERATE(values<Case>({
      {"cpu", 0, "0"},
      {"cpu", 500, "500m"},
      {"cpu", 8000, "8"},
      {"cpu", 1'000'000, "1k"},
      {"cpu", -1500, "-1500m"},
      {"memory", 1000, "1k"},
      {"memory", 1023, "1023"},
      {"memory", 1024, "1Ki"},
      {"memory", int64_t{16} << 30, "16Gi"},
      {"memory", 1'000'000'000, "1G"},
      {"memory", 2'000'000'000, "2G"},
      {"memory", int64_t{1536} << 20, "1536Mi"},
      {"hugepages-2Mi", int64_t{4} << 20, "4Mi"},
      {"pods", 110, "110"},
      {"pods", 2000, "2k"},
      {"nvidia.com/gpu", 2000, "2"},
  }));
  CAPTURE(c.name, c.amount);
  DimensionTable dims;
  const int dim = *dims.Add(c.name);
  CHECK(model::QuantityText(dims, dim, c.amount) == c.text);
}

}  // namespace
}  // namespace bth::algo
