#include "api/types/sorted_map.h"

#include "tests/support/catch.h"

using bth::types::SortedMap;

TEST_CASE("sorted map: lookups, order and removal", "[types][unit]") {
  SortedMap<int> map = {{"b", 2}, {"a", 1}, {"b", 3}};
  CHECK(map.size() == 2);
  CHECK(map.begin()->first == "a");
  CHECK(*map.Find("b") == 3);
  CHECK(map.Find("c") == nullptr);
  map["c"] = 4;
  CHECK(map.Contains("c"));
  CHECK(map.Erase("a"));
  CHECK_FALSE(map.Erase("a"));
  CHECK(map == SortedMap<int>{{"c", 4}, {"b", 3}});
}

TEST_CASE("sorted map: bulk loading keeps the last of equal keys", "[types][unit]") {
  SortedMap<int> map;
  int value = 0;
  for (const char* key : {"x", "a", "x", "m", "a", "x"}) map.Append(key) = ++value;
  map.Sort();
  CHECK(map == SortedMap<int>{{"a", 5}, {"m", 4}, {"x", 6}});
}
