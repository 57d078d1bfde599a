// Amounts of objects in the units of the scheduler, and what is left out.
#include <map>
#include <string>

#include "base/strings.h"
#include "cache/intake/compile.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using Amounts = std::map<std::string, int64_t>;

Amounts CountedOf(const std::string& allocatable) {
  const types::Node node = testing::Read<types::Node>(StrCat(
      R"({"kind":"Node","metadata":{"name":"n"},"status":{"allocatable":)", allocatable, "}}"));
  const absl::StatusOr<NamedAmounts> amounts = CountedAmounts(node.status.allocatable);
  REQUIRE(amounts.ok());
  return {amounts->begin(), amounts->end()};
}

TEST_CASE("amounts: each resource has its unit", "[cache]") {
  struct Case {
    std::string text;
    Amounts expected;
  };
  const Case c = GENERATE(values<Case>({
      {R"({"cpu":"4m","memory":"2000","scalar.test/scalar1":"1","hugepages-test":"2",)"
       R"("ephemeral-storage":"3"})",
       {{"cpu", 4},
        {"memory", 2000},
        {"scalar.test/scalar1", 1000},
        {"hugepages-test", 2},
        {"ephemeral-storage", 3}}},
      {R"({"cpu":"2","nvidia.com/gpu":"500m"})", {{"cpu", 2000}, {"nvidia.com/gpu", 500}}},
      {R"({"memory":"1.5Gi","pods":"7"})", {{"memory", 3 * (int64_t{1} << 29)}, {"pods", 7}}},
      {R"({"attachable-volumes-csi-x":"3"})", {{"attachable-volumes-csi-x", 3000}}},
      {R"({"count/pods":"5","requests.cpu":"3","limits.memory":"3","storage":"9"})", {}},
  }));
  CAPTURE(c.text);
  CHECK(CountedOf(c.text) == c.expected);
}

// Byte-sized scalars are counted in bytes, and shown in thousandths as Volcano shows them.
TEST_CASE("amounts: what is kept in bytes is shown in thousandths", "[cache]") {
  model::DimensionTable dims;
  struct Case {
    std::string name;
    int64_t factor;
  };
  const Case c = GENERATE(values<Case>({
      {"cpu", 1},
      {"memory", 1},
      {"pods", 1},
      {"scalar.test/scalar1", 1},
      {"hugepages-test", 1000},
      {"ephemeral-storage", 1000},
  }));
  CAPTURE(c.name);
  CHECK(dims.DisplayFactor(*dims.Add(c.name)) == c.factor);
}

}  // namespace
}  // namespace bth::cache
