#include "cache/writes/sent_statuses.h"

#include <string>

#include "base/clock.h"
#include "cache/cluster/mirror.h"
#include "tests/cache/objects.h"

namespace bth::cache {
namespace {

using testing::MakeGroup;

struct Bed {
  void Show(const std::string& version, const std::string& uid = "u-g") {
    CompiledPodGroup group = MakeGroup("g", 1, "", R"({"phase":"Inqueue"})");
    group.shown.resource_version = version;
    group.facts->uid = uid;
    mirror.PutPodGroup(std::move(group));
  }
  void Write(const std::string& base, const std::string& version) {
    ShownPodGroup status;
    status.resource_version = version;
    sent.Note("ns/g", "u-g", base, status);
  }
  std::string Known(const std::string& uid = "u-g") const {
    return sent.Known("ns/g", uid)->resource_version;
  }

  ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};
  Mirror mirror{clock, {}};
  SentStatuses<ShownPodGroup> sent{[this](const std::string& key) {
    const CompiledPodGroup* group = mirror.Group(key);
    if (group == nullptr) return SentStatuses<ShownPodGroup>::Seen{};
    return SentStatuses<ShownPodGroup>::Seen{group->facts->uid, &group->shown};
  }};
};

TEST_CASE("sent statuses: what was sent is known until the watch shows it or something newer",
          "[cache]") {
  Bed bed;
  CHECK(bed.sent.Known("ns/g", "u-g") == nullptr);
  bed.Show("7");
  CHECK(bed.Known() == "7");
  bed.Write("7", "8");
  CHECK(bed.Known() == "8");
  bed.Write("8", "9");
  CHECK(bed.Known() == "9");
  bed.Show("8");  // Our first write comes back, not yet the second.
  CHECK(bed.Known() == "9");
  bed.sent.ForgetShown();
  CHECK(bed.sent.size() == 1);
  bed.Show("12");  // Somebody else wrote on top of it.
  CHECK(bed.Known() == "12");
  bed.sent.ForgetShown();
  CHECK(bed.sent.size() == 0);
}

TEST_CASE("sent statuses: another group of the same name is not the one that was written",
          "[cache]") {
  Bed bed;
  bed.Show("7");
  bed.Write("7", "8");
  bed.Show("7", "other");
  CHECK(bed.Known("other") == "7");
  CHECK(bed.sent.Known("ns/g", "u-g") == nullptr);
}

TEST_CASE("sent statuses: a write that changed nothing is no news", "[cache]") {
  Bed bed;
  bed.Show("7");
  bed.Write("7", "7");
  bed.sent.ForgetShown();
  CHECK(bed.sent.size() == 0);
  bed.Write("7", "8");
  bed.Write("8", "8");
  CHECK(bed.Known() == "8");
  bed.Show("8");
  bed.sent.ForgetShown();
  CHECK(bed.sent.size() == 0);
}

TEST_CASE("sent statuses: a watch that stands still is believed at last", "[cache]") {
  Bed bed;
  bed.Show("0");
  for (int i = 0; i < 16; ++i) bed.Write(std::to_string(i), std::to_string(i + 1));
  CHECK(bed.Known() == "16");
  bed.Write("16", "17");
  CHECK(bed.Known() == "0");
}

}  // namespace
}  // namespace bth::cache
