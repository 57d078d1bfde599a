#include "algo/resource_algebra.h"

#include <vector>

#include "algo/fair_share.h"
#include "tests/algo/vectors.h"
#include "tests/support/catch.h"

namespace bth::algo {
namespace {

using model::DimMask;
using model::ResourceSet;
using model::ResourceVec;

// Dimensions present: cpu and memory, and others when they are given.
ResourceSet Set(const ResourceVec& v, std::vector<int> extra = {}) {
  ResourceSet set{.v = v, .present = kCpuMemoryBits};
  for (int dim : extra) set.present |= DimMask{1} << dim;
  return set;
}

ResourceVec WithPods(ResourceVec vec, int64_t pods) {
  vec[model::kPods] = pods;
  return vec;
}

struct Comparison {
  std::string name;
  ResourceVec a, b, asked;
  std::vector<int> expected;
};

TEST_CASE("resource algebra: only asked dimensions can be over", "[algo][unit]") {
  const Comparison c = GENERATE(values<Comparison>({
      {"cpu", Vec(5000, 0), Vec(4000, 0), Vec(1000, 0), {model::kCpu}},
      {"memory", Vec(3000, 3000), Vec(4000, 2000), Vec(0, 1000), {model::kMemory}},
      {"nothing asked", Vec(4, 4000), Vec(0, 0), Vec(0, 0), {}},
      {"a name that the limit lacks", Vec(0, 0, 1000), Vec(0, 0), Vec(0, 0, 1000), {kGpu}},
      {"over where nothing is asked",
       Vec(110, 1, 1000, 1000),
       Vec(100, 1, 0, 1000),
       Vec(0, 1, 0, 1000),
       {}},
      {"gpu and cpu", Vec(2000, 0, 2000), Vec(1000, 0, 1000), Vec(1, 0, 1), {model::kCpu, kGpu}},
  }));
  CAPTURE(c.name);
  CHECK(DimsOver(c.a, c.b, AskedDims(c.asked)) == Bits(c.expected));
}

TEST_CASE("resource algebra: pods are never among the asked dimensions", "[algo][unit]") {
  const ResourceVec over = WithPods(Vec(0, 0), 5);
  CHECK(DimsOver(over, Vec(0, 0), AskedDims(over)) == 0);
}

TEST_CASE("resource algebra: asked dimensions that are within", "[algo][unit]") {
  const Comparison c = GENERATE(values<Comparison>({
      {"more", Vec(3000, 0), Vec(2000, 0), Vec(4000, 0), {}},
      {"less", Vec(1000, 0), Vec(2000, 0), Vec(500, 0), {model::kCpu}},
      {"equal", Vec(0, 1024), Vec(0, 1024), Vec(0, 512), {model::kMemory}},
      {"all more", Vec(3000, 2048, 5000), Vec(2000, 1024, 4000), Vec(1, 1, 1), {}},
      {"nothing is within nothing",
       Vec(0, 0, 0, 2000, 2000),
       Vec(0, 0, 0, 2000),
       Vec(1, 1, 1, 1, 1),
       {model::kCpu, model::kMemory, kRdma, kGpu}},
      {"one over",
       Vec(0, 0, 2000, 1000, 2000),
       Vec(0, 0, 0, 2000, 2000),
       Vec(1, 1, 0, 1, 1),
       {model::kCpu, model::kMemory, kRdma, kFpga}},
  }));
  CAPTURE(c.name);
  CHECK(DimsWithin(c.a, c.b, AskedDims(c.asked)) == Bits(c.expected));
}

TEST_CASE("resource algebra: dimensions that nobody has can be left out", "[algo][unit]") {
  const Comparison c = GENERATE(values<Comparison>({
      {"nothing at all", Vec(0, 0), Vec(0, 0), Vec(1, 1), {}},
      {"cpu", Vec(1000, 0), Vec(2000, 0), Vec(1, 1), {model::kCpu}},
      {"memory", Vec(0, 0), Vec(0, 2048), Vec(1, 1), {model::kMemory}},
      {"both", Vec(1000, 1024), Vec(2000, 2048), Vec(1, 1), {model::kCpu, model::kMemory}},
      {"cpu and gpu", Vec(0, 1024), Vec(2000, 0, 4000), Vec(1, 1, 2000), {model::kCpu, kGpu}},
      {"rdma", Vec(0, 0, 0, 2000, 2000), Vec(0, 0, 0, 2000), Vec(1, 1, 1, 1, 1), {kRdma}},
      {"rdma and fpga",
       Vec(0, 0, 2000, 1000, 2000),
       Vec(0, 0, 0, 2000, 2000),
       Vec(1, 1, 1, 1, 1),
       {kRdma, kFpga}},
  }));
  CAPTURE(c.name);
  const DimMask known = c.a.Positive() | c.b.Positive();
  CHECK(DimsWithin(c.a, c.b, AskedDims(c.asked) & known) == Bits(c.expected));
}

TEST_CASE("resource algebra: relevant dimensions are those that the limit knows", "[algo][unit]") {
  CHECK(RelevantDims(Vec(1, 1, 1), Set(Vec(1000, 0))) == Bits({model::kCpu}));
  CHECK(RelevantDims(Vec(1, 1, 1), Set(Vec(0, 0), {kGpu})) == Bits({kGpu}));
  CHECK(RelevantDims(Vec(1, 0, 0), Set(Vec(0, 1024), {kGpu})) == 0);
  const DimMask over =
      DimsOver(Vec(2000, 2048), Vec(2000, 1024), RelevantDims(Vec(1, 1), Set(Vec(2000, 1024))));
  CHECK(over == Bits({model::kMemory}));
}

TEST_CASE("resource algebra: a name the limit lacks is zero or without limit", "[algo][unit]") {
  const ResourceSet child = Set(Vec(8000, 0, 8000), {kGpu});
  CHECK(DimsOver(child, Set(Vec(8000, 0)), Absent::kInfinity) == 0);
  CHECK(DimsOver(child, Set(Vec(8000, 0)), Absent::kZero) == Bits({kGpu}));
  CHECK(DimsOver(child, Set(Vec(8000, 0, 4000), {kGpu}), Absent::kInfinity) == Bits({kGpu}));
  CHECK(DimsOver(child, Set(Vec(4000, 0)), Absent::kInfinity) == Bits({model::kCpu}));
}

TEST_CASE("resource algebra: limits", "[algo][unit]") {
  const ResourceVec value = Vec(4000, 2000, 1000, 2000);
  const ResourceSet limit = Set(Vec(3000, 2000, 0), {kGpu});
  CHECK(Limited(value, limit, Absent::kZero) == Vec(3000, 2000, 0, 0));
  CHECK(Limited(value, limit, Absent::kInfinity) == Vec(3000, 2000, 0, 2000));
  CHECK(Limited(value, Set(Vec(3000, 2000)), Absent::kZero) == Vec(3000, 2000));
  CHECK(Limited(value, Set(Vec(3000, 2000)), Absent::kInfinity) == Vec(3000, 2000, 1000, 2000));
}

TEST_CASE("resource algebra: differences in both directions", "[algo][unit]") {
  const ResourceVec a = Vec(1000, 2000, 3000);
  const ResourceVec b = Vec(2000, 1000, 1000);
  CHECK(Excess(a, b) == Vec(0, 1000, 2000));
  CHECK(Excess(b, a) == Vec(1000, 0, 0));
  CHECK(Excess(Vec(1000, 2000, 1000), Vec(2000, 1000)) == Vec(0, 1000, 1000));
}

TEST_CASE("resource algebra: the larger of both", "[algo][unit]") {
  CHECK(Max(Vec(1, 1024, 1, 0, 4), Vec(2, 1024, 0, 2, 5)) == Vec(2, 1024, 1, 2, 5));
}

TEST_CASE("resource algebra: what a job holds beyond its minimum", "[algo][unit]") {
  ResourceSet minimum = Set(WithPods(Vec(1000, 1000, 1000), 1), {kGpu, model::kPods});
  struct Case {
    ResourceVec allocated, expected;
  };
  const Case c = GENERATE(values<Case>({
      {WithPods(Vec(1000, 1000, 1000), 1), Vec(0, 0)},
      {WithPods(Vec(2000, 2000, 1000), 2), WithPods(Vec(1000, 1000), 1)},
      {WithPods(Vec(2000, 2000), 2), WithPods(Vec(1000, 1000), 1)},
      {WithPods(Vec(2000, 2000, 2000), 2), WithPods(Vec(1000, 1000, 1000), 1)},
  }));
  CHECK(Elastic(c.allocated, minimum) == c.expected);
}

TEST_CASE("resource algebra: what a job counts as inqueue", "[algo][unit]") {
  const ResourceSet minimum = Set(Vec(4000, 4096, 8000), {kGpu});
  CHECK(InqueueResource(minimum, Vec(0, 0), kAllDims) == Vec(4000, 4096, 8000));
  CHECK(InqueueResource(minimum, Vec(1000, 1024, 4000), kAllDims) == Vec(3000, 3072, 4000));
  CHECK(InqueueResource(minimum, Vec(5000, 5000, 8000), kAllDims) == Vec(0, 0));
  const ResourceSet pods = Set(WithPods(Vec(4000, 0), 10), {model::kPods});
  CHECK(InqueueResource(pods, WithPods(Vec(1000, 0), 4), kAllDims) == WithPods(Vec(3000, 0), 6));
  // A name outside the minimum or not among those dimensions does not count.
  CHECK(InqueueResource(Set(Vec(1, 0, 7)), Vec(0, 0), kAllDims) == Vec(1, 0));
  CHECK(InqueueResource(minimum, Vec(0, 0), kAllDims & ~Bits({kGpu})) == Vec(4000, 4096));
}

TEST_CASE("resource algebra: ephemeral storage is never inqueue", "[algo][unit]") {
  model::DimensionTable dims;
  CHECK(InqueueDims(dims) == kAllDims);
  const int storage = *dims.Add("ephemeral-storage");
  CHECK(InqueueDims(dims) == (kAllDims & ~Bits({storage})));
}

TEST_CASE("resource algebra: gated tasks count nothing as inqueue", "[algo][unit]") {
  CHECK(WithoutGated(Vec(4000, 100), Vec(1000, 200)) == Vec(3000, 0));
  CHECK(WithoutGated(Vec(4000, 100), Vec(0, 0)) == Vec(4000, 100));
}

TEST_CASE("resource algebra: shares", "[algo][unit]") {
  CHECK(Share(0, 0) == 0);
  CHECK(Share(1, 0) == 1);
  CHECK(Share(1, 4) == 0.25);
  CHECK(DominantShare(WithPods(Vec(2000, 1), 1), WithPods(Vec(10000, 10), 100)) == 0.2);
  // Pods count; a name that the whole lacks does not.
  CHECK(DominantShare(WithPods(Vec(0, 0, 5000), 3), WithPods(Vec(10, 10), 100)) == 0.03);
  CHECK(DominantShare(Vec(1, 1), Vec(0, 0)) == 0);
}

TEST_CASE("resource algebra: scaling rounds and saturates", "[algo][unit]") {
  CHECK(Scaled(Vec(6000, 10), 1.2) == Vec(7200, 12));
  CHECK(Scaled(Vec(1, 3), 1.5) == Vec(2, 5));
  CHECK(Scaled(Vec(int64_t{1} << 60, 0), 1e9)[model::kCpu] == 1'000'000'000'000'000'000);
}

}  // namespace
}  // namespace bth::algo
