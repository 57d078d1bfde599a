#include "base/defect.h"

#include <string>
#include <string_view>

#include "base/cow_vector.h"
#include "base/interner.h"
#include "tests/support/catch.h"

namespace bth {
namespace {

using DefectId = StrongId<struct DefectTestTag>;

template <typename Work>
std::string DefectIn(const Work& work) {
  try {
    work();
  } catch (const Defect& defect) {
    return defect.what();
  }
  return "";
}

TEST_CASE("defect: an id that is no row of a vector throws in every build", "[base]") {
  IdVector<DefectId, int> rows(3, 7);
  const IdVector<DefectId, int>& shown = rows;
  int seen = 0;
  CHECK(DefectIn([&] { rows[DefectId()] = 1; }) == "id 4294967295 is not among 3 rows");
  CHECK(DefectIn([&] { rows[DefectId(3)] = 1; }) == "id 3 is not among 3 rows");
  CHECK(DefectIn([&] { seen = shown[DefectId(3)]; }) == "id 3 is not among 3 rows");
  CHECK(seen == 0);
  CHECK(shown[DefectId(2)] == 7);
}

TEST_CASE("defect: an id that is no row of a shared column throws in every build", "[base]") {
  CowVector<DefectId, int, 4> rows;
  rows.Resize(5);
  const auto shown = rows;
  int seen = 0;
  CHECK(DefectIn([&] { rows.Mutable(DefectId()) = 1; }) == "id 4294967295 is not among 5 rows");
  CHECK(DefectIn([&] { seen = shown[DefectId(5)]; }) == "id 5 is not among 5 rows");
  CHECK(seen == 0);
  CHECK(shown[DefectId(4)] == 0);
}

TEST_CASE("defect: no container grows to hold an invalid id", "[base]") {
  IdVector<DefectId, int> rows;
  CowVector<DefectId, int, 4> column;
  CHECK_FALSE(DefectIn([&] { rows.EnsureContains(DefectId()); }).empty());
  CHECK_FALSE(DefectIn([&] { column.EnsureContains(DefectId()); }).empty());
  CHECK(rows.empty());
  CHECK(column.empty());
}

TEST_CASE("defect: a symbol of nobody has no text", "[base]") {
  Interner interner;
  interner.Intern("a");
  std::string_view text;
  CHECK(DefectIn([&] { text = interner.Text(Symbol()); }) == "id 4294967295 is not among 1 rows");
  CHECK(text.empty());
}

TEST_CASE("defect: a broken claim is named", "[base]") {
  CHECK(DefectIn([] { BTH_REQUIRE(1 + 1 == 3); }) == "broken invariant: 1 + 1 == 3");
  CHECK(DefectIn([] { BTH_REQUIRE(1 + 1 == 2); }).empty());
}

}  // namespace
}  // namespace bth
