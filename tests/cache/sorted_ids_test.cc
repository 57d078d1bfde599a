#include "cache/cluster/sorted_ids.h"

#include <map>

#include "api/model/ids.h"
#include "base/rng.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using model::JobId;

TEST_CASE("sorted ids: the list equals a sort of the members, however they came", "[cache]") {
  Rng rng(7);
  std::map<JobId, int> ages;  // Of members.
  SortedIds<JobId> list;
  for (int round = 0; round < 400; ++round) {
    const uint64_t changes = rng.Chance(0.2) ? rng.Below(60) : rng.Below(4);
    for (uint64_t i = 0; i < changes; ++i) {
      const JobId job = JobId::FromIndex(rng.Below(80));
      const bool member = rng.Chance(0.6);
      if (member) {
        const int age = static_cast<int>(rng.Below(10));
        if (ages.contains(job) && ages[job] != age) list.Move(job);
        ages[job] = age;
      } else {
        ages.erase(job);
      }
      list.Set(job, member);
    }
    const auto older = [&ages](JobId a, JobId b) {
      return ages.at(a) != ages.at(b) ? ages.at(a) < ages.at(b) : a < b;
    };
    std::vector<JobId> expected;
    for (const auto& [job, age] : ages) expected.push_back(job);
    std::sort(expected.begin(), expected.end(), older);
    REQUIRE(*list.Publish(older) == expected);
  }
}

TEST_CASE("sorted ids: a list that did not change is the same object", "[cache]") {
  SortedIds<JobId> list;
  const auto older = [](JobId a, JobId b) { return a < b; };
  const auto empty = list.Publish(older);
  REQUIRE(empty != nullptr);
  CHECK(empty->empty());
  list.Set(JobId(3), true);
  const auto one = list.Publish(older);
  CHECK(*one == std::vector<JobId>{JobId(3)});
  CHECK(empty->empty());
  list.Set(JobId(3), true);
  list.Set(JobId(4), false);
  CHECK(list.Publish(older) == one);
  // Out and in again between two lists.
  list.Set(JobId(3), false);
  list.Set(JobId(3), true);
  CHECK(*list.Publish(older) == *one);
}

}  // namespace
}  // namespace bth::cache
