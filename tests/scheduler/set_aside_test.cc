#include "scheduler/set_aside.h"

#include "tests/support/catch.h"

namespace bth::scheduler {
namespace {

const client::ObjectKey kOne{"ns", "one", "u1"};

TEST_CASE("set aside: an object is held until it changes", "[scheduler]") {
  SetAside aside(nullptr);
  CHECK_FALSE(aside.Holds("Pod", kOne, "5"));
  aside.Add("Pod", kOne, "5");
  CHECK(aside.Holds("Pod", kOne, "5"));
  CHECK_FALSE(aside.Holds("Pod", kOne, "6"));
  CHECK_FALSE(aside.Holds("Node", kOne, "5"));
}

TEST_CASE("set aside: three failures are enough for a life", "[scheduler]") {
  SetAside aside(nullptr);
  aside.Add("Pod", kOne, "5");
  aside.Add("Pod", kOne, "6");
  CHECK_FALSE(aside.Holds("Pod", kOne, "7"));
  aside.Add("Pod", kOne, "7");
  CHECK(aside.Holds("Pod", kOne, "8"));
  // The next of that name begins anew.
  CHECK_FALSE(aside.Holds("Pod", {"ns", "one", "u2"}, "9"));
  aside.Gone("Pod", kOne);
  CHECK_FALSE(aside.Holds("Pod", kOne, "8"));
}

TEST_CASE("set aside: what is remembered is bounded", "[scheduler]") {
  SetAside aside(nullptr);
  for (size_t i = 0; i <= SetAside::kObjectsMax; ++i) {
    aside.Add("Pod", {"ns", std::to_string(i), "u"}, "1");
  }
  CHECK(aside.size() == SetAside::kObjectsMax);
  CHECK(aside.Holds("Pod", {"ns", "0", "u"}, "1"));
}

}  // namespace
}  // namespace bth::scheduler
