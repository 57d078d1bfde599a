#include "framework/report/figures.h"

#include "tests/support/catch.h"

namespace bth::framework {
namespace {

TEST_CASE("figures: a message is the same while only they change", "[framework]") {
  const std::string text = "queue a has too little left";
  const std::string then = text + Figures("6 of 8 cpu used or promised") + "; more";
  const std::string now = text + Figures("7 of 8 cpu used or promised") + "; more";
  CHECK(then ==
        "queue a has too little left (as of this writing: 6 of 8 cpu used or promised); more");
  CHECK(SameButFigures(then, then));
  CHECK(SameButFigures(then, now));
  CHECK(WithoutFigures(then) == "queue a has too little left; more");
  CHECK_FALSE(SameButFigures(then, "queue a has too little left; more"));
  CHECK_FALSE(
      SameButFigures(then, "queue b has too little left" + Figures("6 of 8 cpu") + "; more"));
  CHECK_FALSE(SameButFigures(text, "queue b has too little left"));
}

TEST_CASE("figures: what a ResourceQuota has given out is one", "[framework]") {
  const std::string start = "resource quota insufficient, requested: map[cpu:2]";
  const std::string end = ", limited: map[cpu:3]";
  CHECK(SameButFigures(start + ", used: map[cpu:2]" + end, start + ", used: map[cpu:3]" + end));
  CHECK_FALSE(SameButFigures(start + ", used: map[cpu:2]" + end,
                             start + ", used: map[cpu:2], limited: map[cpu:4]"));
}

TEST_CASE("figures: several, and one that does not end", "[framework]") {
  CHECK(WithoutFigures("a" + Figures("1") + "b" + Figures("2") + "c") == "abc");
  CHECK(WithoutFigures("a (as of this writing: 1") == "a (as of this writing: 1");
}

}  // namespace
}  // namespace bth::framework
