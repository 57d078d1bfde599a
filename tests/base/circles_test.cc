#include "base/circles.h"

#include "tests/support/catch.h"

namespace bth {
namespace {

using Left = std::vector<size_t>;

TEST_CASE("circles: what waits for itself in the end is left", "[base]") {
  CHECK(InCircles({}) == Left{});
  CHECK(InCircles({{"a", {}}, {"b", {"a"}}, {"c", {"a", "b"}}}) == Left{});
  CHECK(InCircles({{"a", {"a"}}}) == Left{0});
  CHECK(InCircles({{"a", {}}, {"b", {"a", "c"}}, {"c", {"b"}}, {"d", {"c"}}}) == Left{1, 2, 3});
  CHECK(InCircles({{"a", {"nobody"}}}) == Left{0});
}

TEST_CASE("circles: one of several is enough where that is said", "[base]") {
  CHECK(InCircles({{"a", {}}, {"b", {"a", "c"}, true}, {"c", {"b"}}}) == Left{});
  CHECK(InCircles({{"a", {}}, {"b", {"c", "d"}, true}, {"c", {"b"}}, {"d", {"b"}}}) ==
        Left{1, 2, 3});
  // Two that come leave nothing to be taken away twice.
  CHECK(InCircles({{"a", {}}, {"b", {}}, {"c", {"a", "b"}, true}, {"d", {"c"}}}) == Left{});
}

TEST_CASE("circles: entries of one name are there with the first of them", "[base]") {
  CHECK(InCircles({{"a", {}}, {"a", {}}, {"b", {"a"}}}) == Left{});
  CHECK(InCircles({{"a", {}}, {"a", {"b"}}, {"b", {"a"}}}) == Left{});
}

}  // namespace
}  // namespace bth
