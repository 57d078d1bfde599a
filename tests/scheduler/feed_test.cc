// What becomes of objects on their way to the mirror, without a scheduler around it.
#include "scheduler/feed.h"

#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/scheduler/bed.h"

namespace bth::scheduler {
namespace {

using test::Fault;
using types::Json;

TEST_CASE("feed: the notice of a PodGroup that was never readable goes with it", "[scheduler]") {
  test::ApiBed bed;
  const Json none = bed.Get("/apis/scheduling.volcano.sh/v1beta1/podgroups");
  const std::string version(none.At({"metadata", "resourceVersion"}).AsString());
  const std::string bad =
      StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":)",
             R"({"name":"a","namespace":"default","uid":"u","resourceVersion":")", version,
             R"("},"spec":{"minMember":"many"}})");
  bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
    if (!absl::StrContains(request.target, "/podgroups?")) return std::nullopt;
    Fault fault;
    if (absl::StrContains(request.target, "watch=true")) {
      fault.delay = absl::Seconds(5);
      fault.body = StrCat(R"({"type":"DELETED","object":)", bad, "}\n");
    } else {
      fault.body = StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":)",
                          R"("PodGroupList","metadata":{"resourceVersion":")", version,
                          R"("},"items":[)", bad, "]}");
    }
    return fault;
  };
  const net::ExecutorClock clock(bed.executor);
  cache::Mirror mirror(clock, {});
  ObjectNotices notices(nullptr);
  SetAside set_aside(nullptr);
  Rng rng(1);
  FeedTargets targets{.mirror = mirror,
                      .notices = notices,
                      .set_aside = set_aside,
                      .on_batch = [] {},
                      .on_queue_gone = [](const std::string&) {},
                      .on_report_orphaned = [](const std::string&, const std::string&) {},
                      .on_defect = [](bool) {}};
  Feed feed(*bed.api, std::move(targets), {}, nullptr, rng);
  feed.Start();
  bed.executor.Advance(absl::Seconds(1));
  CHECK_FALSE(notices.empty());
  bed.executor.Advance(absl::Seconds(10));
  CHECK(notices.empty());
}

}  // namespace
}  // namespace bth::scheduler
