#include "algo/fair_share.h"

#include <limits>
#include <vector>

#include "base/rng.h"
#include "tests/algo/vectors.h"
#include "tests/support/catch.h"
#include "tests/support/seeds.h"

namespace bth::algo {
namespace {

ResourceVec ShareVec(int64_t cpu, int64_t memory, int64_t gpu = 0, int64_t pods = 0) {
  ResourceVec vec;
  vec[model::kCpu] = cpu;
  vec[model::kMemory] = memory;
  vec[kGpu] = gpu;
  vec[model::kPods] = pods;
  return vec;
}

ResourceVec Both(int64_t amount) {
  return ShareVec(amount, amount);
}

ResourceSet Guaranteed(int64_t amount) {
  return {.v = Both(amount), .present = kCpuMemoryBits};
}

// A queue without capability and guarantee.
QueueClaim Claim(int64_t weight, const ResourceVec& request, const ResourceVec& total) {
  return {.weight = weight, .request = request, .limit = RealCapability(total, {}, {}, {})};
}

TEST_CASE("fair share: what one queue does not want goes to the other", "[algo][unit]") {
  const ResourceVec total = Both(10000);
  const FairShares shares =
      DivideFairly(total, {Claim(1, Both(10000), total), Claim(3, Both(3000), total)});
  CHECK(shares.deserved == std::vector<ResourceVec>{Both(7000), Both(3000)});
  CHECK(shares.passes == 2);
  CHECK(shares.settled);
}

// 2^56 is the largest guarantee there is: 200 of them are more than 64 bits hold.
TEST_CASE("fair share: guarantees beyond any cluster leave nothing to divide", "[algo][unit]") {
  const ResourceVec total = Both(10000);
  constexpr int64_t kGuarantee = int64_t{1} << 56;
  QueueClaim claim = Claim(1, Both(2 * kGuarantee), Both(4 * kGuarantee));
  claim.guarantee = Both(kGuarantee);
  const FairShares shares = DivideFairly(total, std::vector<QueueClaim>(200, claim));
  CHECK(shares.passes == 1);
  CHECK(shares.deserved == std::vector<ResourceVec>(200, Both(kGuarantee)));
}

TEST_CASE("fair share: a capability bounds one dimension", "[algo][unit]") {
  const ResourceVec total = Both(10000);
  ResourceSet capability;
  capability.Set(model::kCpu, 4000);
  const ResourceSet limit = RealCapability(total, {}, {}, capability);
  CHECK(limit.v == ShareVec(4000, 10000));
  const FairShares shares = DivideFairly(
      total, {{.weight = 1, .request = Both(10000), .limit = limit}, Claim(3, Both(3000), total)});
  CHECK(shares.deserved == std::vector<ResourceVec>{ShareVec(4000, 7000), Both(3000)});
  CHECK(shares.passes == 3);
}

TEST_CASE("fair share: a guarantee is kept and shrinks the others", "[algo][unit]") {
  const ResourceVec total = Both(10000);
  const ResourceSet guarantee = Guaranteed(4000);
  const ResourceSet others = RealCapability(total, guarantee.v, {}, {});
  const ResourceSet own = RealCapability(total, guarantee.v, guarantee, {});
  CHECK(others.v == Both(6000));
  CHECK(own.v == Both(10000));
  const FairShares shares = DivideFairly(
      total, {{.weight = 1, .request = Both(10000), .limit = others},
              {.weight = 1, .request = Both(10000), .limit = others},
              {.weight = 2, .request = Both(1000), .limit = own, .guarantee = guarantee.v}});
  CHECK(shares.deserved == std::vector<ResourceVec>{Both(3000), Both(3000), Both(4000)});
}

TEST_CASE("fair share: dimensions are divided side by side", "[algo][unit]") {
  const ResourceVec total = ShareVec(8000, 8000, 8000, 100);
  const FairShares shares = DivideFairly(total, {Claim(1, ShareVec(8000, 8000, 8000, 8), total),
                                                 Claim(1, ShareVec(2000, 2000, 0, 2), total)});
  CHECK(shares.deserved ==
        std::vector<ResourceVec>{ShareVec(6000, 6000, 8000, 8), ShareVec(2000, 2000, 0, 2)});
  CHECK(shares.passes == 2);
}

TEST_CASE("fair share: without any weight nobody deserves anything", "[algo][unit]") {
  const ResourceVec total = Both(10);
  const FairShares shares =
      DivideFairly(total, {Claim(0, Both(5), total), Claim(-3, Both(5), total)});
  CHECK(shares.deserved == std::vector<ResourceVec>{Both(0), Both(0)});
  CHECK(shares.passes == 0);
}

TEST_CASE("fair share: units that do not divide go to the first that can use them",
          "[algo][unit]") {
  const ResourceVec total = ShareVec(100, 2);
  const FairShares shares =
      DivideFairly(total, {Claim(1, ShareVec(100, 0), total), Claim(1, ShareVec(100, 9), total),
                           Claim(1, ShareVec(100, 9), total)});
  CHECK(shares.deserved ==
        std::vector<ResourceVec>{ShareVec(34, 0), ShareVec(33, 1), ShareVec(33, 1)});
}

// 16 CPUs between two queues that want them all, beside a third that wants nothing: the thirds and
// sevenths of the first pass are no loss in the end.
TEST_CASE("fair share: what rounding takes in one pass the next gives back", "[algo][unit]") {
  const ResourceVec total = Both(16000);
  const FairShares alike = DivideFairly(
      total,
      {Claim(1, Both(0), total), Claim(3, Both(12000), total), Claim(3, Both(16000), total)});
  CHECK(alike.deserved == std::vector<ResourceVec>{Both(0), Both(8000), Both(8000)});
  const FairShares unlike = DivideFairly(
      total,
      {Claim(3, Both(0), total), Claim(3, Both(16000), total), Claim(1, Both(16000), total)});
  CHECK(unlike.deserved == std::vector<ResourceVec>{Both(0), Both(12000), Both(4000)});
}

TEST_CASE("fair share: huge amounts and weights stay exact", "[algo][unit]") {
  const int64_t huge = int64_t{1} << 60;
  const ResourceVec total = ShareVec(1, huge);
  const FairShares shares =
      DivideFairly(total, {Claim(1'000'000'000, total, total), Claim(1'000'000'000, total, total),
                           Claim(2'000'000'000, total, total)});
  CHECK(shares.deserved[0][model::kMemory] == huge / 4);
  CHECK(shares.deserved[2][model::kMemory] == huge / 2);
}

TEST_CASE("fair share: a name that the cluster has only for guarantees is absent", "[algo][unit]") {
  const ResourceVec total = ShareVec(10, 10, 4);
  ResourceSet guarantee;
  guarantee.Set(kGpu, 4);
  const ResourceSet other = RealCapability(total, guarantee.v, {}, {});
  CHECK_FALSE(other.Has(kGpu));
  CHECK(RealCapability(total, guarantee.v, guarantee, {}).v[kGpu] == 4);
  // An amount of cpu that is not above zero does not limit.
  ResourceSet capability;
  capability.Set(model::kCpu, 0);
  capability.Set(kGpu, 1);
  CHECK(RealCapability(total, {}, {}, capability).v == ShareVec(10, 10, 1));
}

// Nothing is lost and nothing invented, whatever the queues ask for.
TEST_CASE("fair share: the division is sound for random queues", "[algo][property]") {
  test::ForEachSeed(500, [&](uint64_t seed) {
    CAPTURE(seed);
    Rng rng(seed);
    const ResourceVec total = ShareVec(rng.Between(0, 100'000), rng.Between(1, int64_t{1} << 45),
                                       rng.Between(0, 16'000), rng.Between(1, 500));
    std::vector<QueueClaim> claims(static_cast<size_t>(rng.Between(1, 12)));
    ResourceVec wanted;
    for (QueueClaim& claim : claims) {
      ResourceSet capability;
      if (rng.Chance(0.4)) capability.Set(model::kCpu, rng.Between(1, 50'000));
      if (rng.Chance(0.4)) capability.Set(kGpu, rng.Between(0, 9'000));
      claim = {.weight = rng.Between(0, 20),
               .request = ShareVec(rng.Between(0, 60'000), rng.Between(0, int64_t{1} << 44),
                                   rng.Between(0, 16'000), rng.Between(0, 200)),
               .limit = RealCapability(total, {}, {}, capability)};
      if (claim.weight > 0) wanted += Limited(claim.request, claim.limit, Absent::kInfinity);
    }
    const FairShares shares = DivideFairly(total, claims);
    CHECK(shares.settled);
    ResourceVec given;
    for (size_t i = 0; i < claims.size(); ++i) {
      CHECK(shares.deserved[i].AllAtMost(claims[i].request));
      CHECK(DimsOver(shares.deserved[i], claims[i].limit.v, kCpuMemoryBits) == 0);
      given += shares.deserved[i];
    }
    CHECK(given.AllAtMost(total));
    // Cpu and memory go out as far as anybody wants them. (Other names may end with the last pass
    // in which cpu or memory was left.)
    for (int dim : {model::kCpu, model::kMemory}) {
      CHECK(given[dim] == std::min(total[dim], wanted[dim]));
    }
  });
}

// Whatever the others leave, in however many passes.
TEST_CASE("fair share: of two of one weight that want more, none has a unit more than its due",
          "[algo][property]") {
  test::ForEachSeed(500, [&](uint64_t seed) {
    CAPTURE(seed);
    Rng rng(seed);
    const ResourceVec total = ShareVec(rng.Between(0, 100'000), rng.Between(1, int64_t{1} << 45));
    std::vector<QueueClaim> claims;
    const int64_t others = rng.Between(0, 10);
    for (int64_t i = 0; i < others; ++i) {
      claims.push_back(Claim(rng.Between(1, 20),
                             ShareVec(rng.Between(0, 30'000), rng.Between(0, int64_t{1} << 44)),
                             total));
    }
    const int64_t weight = rng.Between(1, 20);
    const size_t at = claims.size();
    for (int i = 0; i < 2; ++i) claims.push_back(Claim(weight, total, total));
    const FairShares shares = DivideFairly(total, claims);
    for (int dim : {model::kCpu, model::kMemory}) {
      const int64_t more = shares.deserved[at][dim] - shares.deserved[at + 1][dim];
      CHECK((more == 0 || more == 1 || more == -1));
    }
  });
}

}  // namespace
}  // namespace bth::algo
