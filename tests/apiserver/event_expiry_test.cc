// Events go when they are old, or when there are too many.
#include "base/strings.h"
#include "tests/apiserver/bed.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace bth::apiserver::testing {
namespace {

constexpr const char* kAllEvents = "/api/v1/namespaces/default/events";

std::string EventJson(int number) {
  return StrCat(R"({"metadata":{"name":"e)", number,
                R"("},"involvedObject":{"kind":"Pod","namespace":"default","name":"p"},)",
                R"("reason":"r","message":"m","type":"Normal"})");
}

std::vector<std::string> EventNames(Bed& bed) {
  std::vector<std::string> names;
  const Answer list = bed.Get(kAllEvents);
  for (const Json& item : list.body["items"].items()) {
    names.emplace_back(item.At({"metadata", "name"}).AsString());
  }
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("events: each goes an hour after it was last written") {
  Bed bed;
  for (int i = 0; i < 3; ++i) REQUIRE(bed.Post(kAllEvents, EventJson(i)).code == 201);
  bed.executor.Advance(absl::Minutes(40));
  REQUIRE(bed.Merge(StrCat(kAllEvents, "/e1"), R"({"count":2})").code == 200);
  REQUIRE(bed.Post(kAllEvents, EventJson(3)).code == 201);
  bed.executor.Advance(absl::Minutes(19));
  CHECK(EventNames(bed) == Names{"e0", "e1", "e2", "e3"});
  auto watch = bed.Watch(StrCat(kAllEvents, "?watch=1&resourceVersion=",
                                bed.Get(kAllEvents).at({"metadata", "resourceVersion"})));
  bed.executor.Advance(absl::Minutes(2));
  CHECK(EventNames(bed) == Names{"e1", "e3"});
  CHECK(watch->Names() == Names{"DELETED e0", "DELETED e2"});
  bed.executor.Advance(absl::Hours(1));
  CHECK(EventNames(bed).empty());
}

TEST_CASE("events: of too many the oldest go, however many come") {
  Options options;
  options.events_max = 100;
  Bed bed(std::move(options));
  for (int i = 0; i < 1000; ++i) REQUIRE(bed.Post(kAllEvents, EventJson(i)).code == 201);
  bed.executor.Advance(absl::Seconds(1));
  const Names names = EventNames(bed);
  CHECK(names.size() == 100);
  CHECK(names.front() == "e900");
  CHECK(bed.Get("/metrics").text.find("apiserver_expired_events_total 900") != std::string::npos);
}

TEST_CASE("events: those of before a start go an hour after it") {
  const test::TempFolder folder;
  Options options;
  options.store.data_dir = folder.path();
  {
    Bed before(options);
    REQUIRE(before.Post(kAllEvents, EventJson(1)).code == 201);
  }
  Bed bed(options);
  CHECK(EventNames(bed) == Names{"e1"});
  bed.executor.Advance(absl::Minutes(61));
  CHECK(EventNames(bed).empty());
}

}  // namespace bth::apiserver::testing
