#include "api/model/name_table.h"

#include <map>

#include "base/rng.h"
#include "base/strings.h"
#include "tests/support/catch.h"
#include "tests/support/seeds.h"

namespace bth::model {
namespace {

std::map<std::string, int> Contents(const NameTable<int>& table) {
  std::map<std::string, int> out;
  std::string last;
  table.VisitFrom("", [&](std::string_view name, int row) {
    CHECK((out.empty() || last < name));
    last = std::string(name);
    out[last] = row;
    return true;
  });
  CHECK(out.size() == table.size());
  return out;
}

TEST_CASE("name table: equals a map through random changes, shared pictures stay", "[storage]") {
  test::ForEachSeed(20, [&](uint64_t seed) {
    CAPTURE(seed);
    Rng rng(seed);
    NameTable<int> table;
    std::map<std::string, int> twin;
    std::vector<std::pair<NameTable<int>, std::map<std::string, int>>> pictures;
    for (int step = 0; step < 3000; ++step) {
      const std::string name = StrCat("n", rng.Below(700));
      if (rng.Chance(0.6)) {
        const int row = static_cast<int>(rng.Below(1000));
        table.Put(name, std::make_shared<const int>(row));
        twin[name] = row;
      } else {
        CHECK(table.Erase(name) == (twin.erase(name) > 0));
      }
      const int* found = table.Find(name);
      CHECK((found != nullptr) == twin.contains(name));
      if (rng.Chance(0.003)) pictures.emplace_back(table.Share(), twin);
    }
    CHECK(Contents(table) == twin);
    for (const auto& [picture, then] : pictures) CHECK(Contents(picture) == then);
  });
}

TEST_CASE("name table: a change after sharing copies one block", "[storage]") {
  NameTable<int> table;
  for (int i = 0; i < 20'000; ++i) {
    table.Put(StrCat(absl::Dec(i, absl::kZeroPad8)), std::make_shared<const int>(i));
  }
  REQUIRE(table.blocks() > 100);
  const NameTable<int> picture = table.Share();
  table.Put("00010000", std::make_shared<const int>(-1));
  size_t shared = 0;
  for (size_t b = 0; b < table.blocks(); ++b) shared += table.SharesBlock(picture, b);
  CHECK(shared == table.blocks() - 1);
  CHECK(*picture.Find("00010000") == 10'000);
  CHECK(*table.Find("00010000") == -1);
}

TEST_CASE("name table: a prefix visits its names only, in order, and stops when told",
          "[storage]") {
  NameTable<int> table;
  int row = 0;
  for (const char* name : {"a", "a1", "ab", "b", "b1", "b2", "c"}) {
    table.Put(name, std::make_shared<const int>(row++));
  }
  std::vector<int> seen;
  table.VisitPrefix("b", [&seen](int value) {
    seen.push_back(value);
    return seen.size() < 2;
  });
  CHECK(seen == std::vector<int>{3, 4});
}

}  // namespace
}  // namespace bth::model
