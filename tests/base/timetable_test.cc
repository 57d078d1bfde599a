#include "base/timetable.h"

#include <map>
#include <string>
#include <vector>

#include "base/rng.h"
#include "base/strings.h"
#include "tests/support/catch.h"

namespace bth {
namespace {

using Keys = std::vector<std::string>;
using Table = Timetable<std::string, int>;

TEST_CASE("timetable: what is due is taken in the order of keys, and once", "[base]") {
  Table table;
  CHECK(table.next() == absl::InfiniteDuration());
  table.Set("c", absl::Seconds(1), 1);
  table.Set("a", absl::Seconds(2), 2);
  table.Set("b", absl::Seconds(3), 3);
  CHECK(table.next() == absl::Seconds(1));
  CHECK(table.Find("b")->note == 3);
  CHECK(table.Take(absl::Milliseconds(999)).empty());
  CHECK(table.Take(absl::Seconds(2)) == Keys{"a", "c"});
  CHECK(table.Find("a") == nullptr);
  CHECK(table.next() == absl::Seconds(3));
  table.Set("b", absl::Seconds(9), 4);
  CHECK(table.size() == 1);
  CHECK(table.next() == absl::Seconds(9));
  table.Erase("b");
  table.Erase("b");
  CHECK(table.empty());
  CHECK(table.Take(absl::InfiniteDuration()).empty());
}

TEST_CASE("timetable: as a map that is searched whole", "[base]") {
  Rng rng(7);
  Table table;
  std::map<std::string, absl::Duration> twin;
  for (int i = 0; i < 20'000; ++i) {
    const std::string key = StrCat("k", rng.Below(40));
    const absl::Duration at = absl::Seconds(static_cast<int64_t>(rng.Below(60)));
    switch (rng.Below(6)) {
      case 0:
        table.Erase(key);
        twin.erase(key);
        break;
      case 1: {
        Keys due;
        for (const auto& [name, time] : twin) {
          if (time <= at) due.push_back(name);
        }
        for (const std::string& name : due) twin.erase(name);
        REQUIRE(table.Take(at) == due);
        break;
      }
      default:
        table.Set(key, at, i);
        twin[key] = at;
    }
    absl::Duration next = absl::InfiniteDuration();
    for (const auto& [name, time] : twin) next = std::min(next, time);
    REQUIRE(table.next() == next);
    REQUIRE(table.size() == twin.size());
  }
}

}  // namespace
}  // namespace bth
