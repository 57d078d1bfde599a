#include "cache/cluster/amount_book.h"

#include <ctime>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "cache/cluster/mirror.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

constexpr int64_t kHuge = int64_t{1} << 48;
constexpr int64_t kLarge = int64_t{1} << 40;

NamedAmounts Memory(int64_t amount) {
  return {{"cpu", 1000}, {"memory", amount}};
}

TEST_CASE("amount book: huge amounts use up what there is for huge ones only", "[cache]") {
  AmountBook book(kAmountMax);
  int taken = 0;
  for (; book.Check(Memory(kHuge), nullptr).ok(); ++taken) book.Add(Memory(kHuge));
  CHECK(taken == 256);
  CHECK(std::string(book.Check(Memory(kHuge), nullptr).message()).find("memory") == 0);
  CHECK(book.Check(Memory(kLarge), nullptr).ok());
  CHECK(book.Check({{"ephemeral-storage", kHuge}}, nullptr).ok());
}

TEST_CASE("amount book: what leaves or is replaced makes room", "[cache]") {
  AmountBook book(kAmountMax);
  for (int i = 0; i < 256; ++i) book.Add(Memory(kHuge));
  const NamedAmounts old = Memory(kHuge);
  CHECK(book.Check(Memory(kHuge), &old).ok());
  CHECK_FALSE(book.Check(Memory(kHuge), nullptr).ok());
  book.Remove(old);
  CHECK(book.Check(Memory(kHuge), nullptr).ok());
}

TEST_CASE("amount book: common amounts are not limited", "[cache]") {
  AmountBook book(kAmountMax);
  const NamedAmounts common = Memory((int64_t{1} << 39) - 1);
  for (int i = 0; i < 100'000; ++i) book.Add(common);
  CHECK(book.Check(common, nullptr).ok());
}

TEST_CASE("amount book: many large amounts in place of as many are looked at once each",
          "[cache]") {
  AmountBook book(kAmountSumMax);
  NamedAmounts amounts;
  for (int i = 0; i < 80'000; ++i) amounts.emplace_back(StrCat("example.com/r", i), kLarge);
  book.Add(amounts);
  const std::clock_t begin = std::clock();
  CHECK(book.Check(amounts, &amounts).ok());
  // Each against each takes minutes.
  CHECK(std::clock() - begin < 10 * CLOCKS_PER_SEC);
  amounts[40'000].second = int64_t{1} << 56;
  CHECK(book.Check(amounts, &amounts).ok());
  book.Add({{amounts[40'000].first, int64_t{1} << 56}});
  const absl::Status refused = book.Check(amounts, nullptr);
  CHECK(absl::StrContains(refused.message(), amounts[40'000].first));
}

TEST_CASE("amount book: the largest sums of all sizes together fit", "[cache]") {
  AmountBook book(kAmountSumMax);
  int64_t sum = 0;
  for (int64_t size = int64_t{1} << 39; size <= kAmountSumMax; size *= 2) {
    for (; book.Check(Memory(size), nullptr).ok(); sum += size) book.Add(Memory(size));
  }
  CHECK(sum > int64_t{1} << 60);
  CHECK(sum + 1'000'000 * (int64_t{1} << 39) < int64_t{1} << 61);
}

// 32,768 of them would be too much for a 64-bit sum.
TEST_CASE("mirror: pods that ask for hundreds of tebibytes never overflow a sum", "[cache]") {
  ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};
  Mirror mirror(clock, {});
  mirror.PutQueue(testing::MakeQueue("default"));
  mirror.PutPodGroup(testing::MakeGroup("g", 1));
  CompiledPod pod = testing::MakePod({}, mirror.vocabulary().symbols());
  pod.requests = Memory(kHuge);
  int64_t counted = 0;
  for (int i = 0; i < 33'000; ++i) {
    pod.names.name = StrCat("p", i);
    pod.names.uid = StrCat("u-p", i);
    if (!mirror.CanCount(pod).ok()) break;
    mirror.PutPod(pod);
    ++counted;
  }
  const auto snapshot = mirror.Publish();
  const model::JobCounts& counts = snapshot->usage.jobs[(*snapshot->active_jobs)[0]];
  CHECK(counts.count(model::TaskStatus::kPending) == counted);
  CHECK(counts.pending[model::kMemory] == counted * kHuge);
  CHECK(counts.pending[model::kMemory] > 0);
  // The room of one that leaves is the next one's.
  mirror.RemovePod("ns/p0");
  CHECK(mirror.CanCount(pod).ok());
}

TEST_CASE("mirror: nodes and minimums are counted for themselves", "[cache]") {
  ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};
  Mirror mirror(clock, {});
  CompiledNode node = testing::MakeNode("n", R"({"cpu":"4"})", mirror.vocabulary().symbols());
  node.allocatable = Memory(kHuge);
  for (int i = 0; i < 256; ++i) {
    node.facts = std::make_shared<model::NodeFacts>(*node.facts);
    node.facts->name = StrCat("n", i);
    REQUIRE(mirror.CanCount(node).ok());
    mirror.PutNode(node);
  }
  CHECK(mirror.CanCount(node).ok());  // It is there already.
  node.facts = std::make_shared<model::NodeFacts>(*node.facts);
  node.facts->name = "more";
  CHECK_FALSE(mirror.CanCount(node).ok());
  CompiledPodGroup group = testing::MakeGroup("g", 1);
  group.min_resources = Memory(kHuge);
  CHECK(mirror.CanCount(group).ok());
  mirror.RemoveNode("n0");
  CHECK(mirror.CanCount(node).ok());
}

TEST_CASE("node: oversubscription beyond counting is refused by name", "[cache]") {
  const absl::Status refusal = testing::RefusalOf<types::Node>(
      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","labels":{
         "volcano.sh/oversubscription":"true"},"annotations":{
         "volcano.sh/oversubscription-memory":"9000000000000000000"}},
         "status":{"allocatable":{"cpu":"4"}}})");
  CHECK(refusal.code() == absl::StatusCode::kOutOfRange);
  CHECK(std::string(refusal.message()).find("volcano.sh/oversubscription-memory") == 0);
}

TEST_CASE("node: images of absurd sizes are cut to what can be added up", "[cache]") {
  Interner symbols;
  const auto node =
      Compile(testing::Read<types::Node>(
                  R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"status":{
         "allocatable":{"cpu":"4"},"images":[{"names":["a"],"sizeBytes":9223372036854775807},
         {"names":["b"],"sizeBytes":-5}]}})"),
              symbols);
  REQUIRE(node.ok());
  CHECK(node->facts->images[0].second == int64_t{1} << 44);
  CHECK(node->facts->images[1].second == 0);
}

}  // namespace
}  // namespace bth::cache
