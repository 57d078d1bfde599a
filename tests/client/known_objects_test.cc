#include "client/known_objects.h"

#include <optional>
#include <string>

#include "absl/strings/str_format.h"
#include "base/strings.h"
#include "tests/support/catch.h"
#include "tests/support/live_heap.h"

namespace bth::client {
namespace {

using Change = KnownObjects::Change;

constexpr char kUuid[] = "0a9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4be1";

TEST_CASE("known objects: every uid comes back as it was told", "[client][known_objects]") {
  for (const std::string uid :
       {kUuid, "0A9D6BCD-BBFD-4B2D-9B5D-AB8DFBBD4BE1", "00000000-0000-0000-0000-000000000000",
        "00000000-0000-0000-0000-000000000001", "f0000000-0000-0000-0000-000000000000",
        "0a9d6bcdxbbfd-4b2d-9b5d-ab8dfbbd4be1", "0a9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bg1",
        "0a9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4be1-", "u-1", "1", ""}) {
    KnownObjects known;
    ObjectKey other;
    REQUIRE(known.Observe({"ns", "name", uid}, "1", &other) == Change::kAdd);
    CHECK(known.Observe({"ns", "name", uid}, "1", &other) == Change::kNone);
    CHECK(known.Observe({"ns", "name", "another"}, "1", &other) == Change::kReplace);
    CHECK(other == ObjectKey{"ns", "name", uid});
    REQUIRE(known.Observe({"ns", "name", uid}, "1", &other) == Change::kReplace);
    REQUIRE(known.Forget({"ns", "name", ""}, &other));
    CHECK(other == ObjectKey{"ns", "name", uid});
  }
}

TEST_CASE("known objects: versions are equal when their texts are", "[client][known_objects]") {
  const std::string versions[] = {"1",
                                  "01",
                                  "0",
                                  "00",
                                  "-1",
                                  "+1",
                                  " 1",
                                  "1 ",
                                  "1a",
                                  "a",
                                  "10",
                                  "18446744073709551615",
                                  "18446744073709551616"};
  for (const std::string& before : versions) {
    for (const std::string& after : versions) {
      CAPTURE(before, after);
      KnownObjects known;
      ObjectKey other;
      known.Observe({"ns", "name", kUuid}, before, &other);
      const Change expected = before == after ? Change::kNone : Change::kUpdate;
      CHECK(known.Observe({"ns", "name", kUuid}, after, &other) == expected);
    }
  }
}

TEST_CASE("known objects: one without a version is news each time", "[client][known_objects]") {
  KnownObjects known;
  ObjectKey other;
  known.Observe({"ns", "name", kUuid}, "", &other);
  CHECK(known.Observe({"ns", "name", kUuid}, "", &other) == Change::kUpdate);
}

TEST_CASE("known objects: what is kept unread is news with the same version",
          "[client][known_objects]") {
  for (const std::string version : {"7", "seven"}) {
    for (const std::string uid : {kUuid, "u"}) {
      KnownObjects known;
      ObjectKey other;
      known.Observe({"ns", "name", uid}, version, &other);
      known.BeginList();
      CHECK_FALSE(known.Keep({"ns", "name", uid}, &other));
      CHECK(known.EndList().empty());
      CHECK(known.Observe({"ns", "name", uid}, version, &other) == Change::kUpdate);
    }
  }
}

TEST_CASE("known objects: a list forgets by namespace and name what it does not show",
          "[client][known_objects]") {
  KnownObjects known;
  ObjectKey other;
  for (const std::string name : {"c", "a", "b", "kept"}) {
    known.Observe({"ns", name, StrCat("u-", name)}, "1", &other);
  }
  known.Observe({"", "z", kUuid}, "1", &other);
  known.BeginList();
  known.Observe({"ns", "kept", "u-kept"}, "1", &other);
  CHECK(known.EndList() ==
        std::vector<ObjectKey>{
            {"", "z", kUuid}, {"ns", "a", "u-a"}, {"ns", "b", "u-b"}, {"ns", "c", "u-c"}});
  CHECK(known.size() == 1);
}

TEST_CASE("known objects: one costs at most 128 bytes of heap", "[client][memory]") {
  constexpr int kObjects = 50'000;
  const std::optional<size_t> before = test::LiveHeapBytes();
  if (!before) return;
  KnownObjects known;
  ObjectKey other;
  for (int i = 0; i < kObjects; ++i) {
    known.Observe({"training", absl::StrFormat("train-%05d-worker-0", i),
                   absl::StrFormat("%08x-bbfd-4b2d-9b5d-ab8dfbbd4bed", i)},
                  StrCat(1'000'000 + i), &other);
  }
  const double per_object = static_cast<double>(*test::LiveHeapBytes() - *before) / kObjects;
  CHECK(per_object <= 128);
  CHECK(per_object >= 40);  // Else it measures something else.
}

}  // namespace
}  // namespace bth::client
