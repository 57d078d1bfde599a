// What a simulated disk leaves, and that the journal makes the best of it.
#include "sim/world/platter.h"

#include <map>
#include <string>
#include <vector>

#include "apiserver/store/journal.h"
#include "base/log.h"
#include "base/strings.h"
#include "tests/support/catch.h"
#include "tests/support/seeds.h"

namespace bth::sim {
namespace {

using apiserver::Journal;
using apiserver::JournalRecord;

struct PlatterBed {
  explicit PlatterBed(uint64_t seed)
      : rng(seed),
        weather(seed),
        platter(seed, {.timeline = timeline,
                       .weather = weather,
                       .wait = [this](absl::Duration pause) { waited += pause; },
                       .die = [this] { ++died; },
                       .fail = [this] { ++failed; }}) {
    SetLogLevel(LogLevel::kError);
  }
  void Begin(Fault fault, double rate) {
    Front front;
    front.fault = fault;
    front.rate = rate;
    front.most = absl::Seconds(1);
    front.until = absl::InfiniteDuration();
    front.seed = rng.Next();
    weather.Begin(front);
  }
  // The revisions that are read.
  absl::StatusOr<std::vector<int64_t>> Start() {
    std::vector<int64_t> read;
    const auto note = [&read](const JournalRecord& record) {
      read.push_back(record.revision);
      return absl::OkStatus();
    };
    absl::StatusOr<std::unique_ptr<Journal>> opened = Journal::Open(platter.Open("/disk"), note);
    if (!opened.ok()) return opened.status();
    journal = *std::move(opened);
    return read;
  }
  void Crash() {
    journal.reset();
    platter.Crash();
  }
  absl::Status Write(int64_t revision) {
    journal->Append({JournalRecord::Kind::kPut, revision, "things", StrCat("object ", revision)});
    return journal->Sync();
  }

  Rng rng;
  Timeline timeline{absl::UnixEpoch(), 1};
  Weather weather;
  absl::Duration waited;
  int died = 0;
  int failed = 0;
  Platter platter;
  std::unique_ptr<Journal> journal;
};

TEST_CASE("platter: whatever happens to the disk, what was acknowledged is read again", "[world]") {
  int deaths = 0;
  int failures = 0;
  int tails = 0;
  test::ForEachSeed(300, [&](uint64_t seed) {
    PlatterBed bed(seed);
    REQUIRE(bed.Start().ok());
    bed.Begin(Fault::kDiskDies, 0.03);
    bed.Begin(Fault::kDiskFails, 0.02);
    bed.Begin(Fault::kDiskSlow, 0.2);
    int64_t acknowledged = 0;
    int64_t written = 0;
    for (int life = 0; life < 8; ++life) {
      for (int i = 0; i < 30; ++i) {
        const absl::Status status = bed.Write(++written);
        if (!status.ok()) break;
        // Whoever waits for a slow disk is told nothing meanwhile.
        if (bed.waited > absl::ZeroDuration() && bed.rng.Chance(0.2)) break;
        REQUIRE(bed.timeline.RunUntil(bed.timeline.Elapsed() + std::exchange(bed.waited, {})));
        acknowledged = written;
        if (i % 10 != 9) continue;
        const auto all = [&](const Journal::Sink& sink) {
          for (int64_t r = 1; r <= written; ++r) {
            sink({JournalRecord::Kind::kPut, r, "things", StrCat("object ", r)});
          }
        };
        if (!bed.journal->Compact(all).ok()) break;
        REQUIRE(bed.timeline.RunUntil(bed.timeline.Elapsed() + std::exchange(bed.waited, {})));
      }
      bed.Crash();
      bed.waited = absl::ZeroDuration();
      absl::StatusOr<std::vector<int64_t>> read = bed.Start();
      // It may die once more while it begins.
      while (absl::IsUnavailable(read.status())) {
        bed.Crash();
        read = bed.Start();
      }
      REQUIRE(read.status().ToString() == "OK");
      REQUIRE(static_cast<int64_t>(read->size()) >= acknowledged);
      REQUIRE(static_cast<int64_t>(read->size()) <= written);
      for (size_t i = 0; i < read->size(); ++i) REQUIRE((*read)[i] == static_cast<int64_t>(i) + 1);
      tails += static_cast<int64_t>(read->size()) > acknowledged ? 1 : 0;
      written = acknowledged = static_cast<int64_t>(read->size());
    }
    deaths += bed.died;
    failures += bed.failed;
  });
  // It mattered.
  if (test::FewSeeds()) return;
  CHECK(deaths > 100);
  CHECK(failures > 100);
  CHECK(tails > 5);
}

TEST_CASE("platter: a full disk takes no more, and what it had is there", "[world]") {
  PlatterBed bed(3);
  REQUIRE(bed.Start().ok());
  REQUIRE(bed.Write(1).ok());
  bed.Begin(Fault::kDiskFull, 1);
  CHECK(bed.Write(2).message() == "No space left on device");
  CHECK(bed.failed == 1);
  bed.Crash();
  bed.weather.Clear();
  const auto read = bed.Start();
  REQUIRE(read.ok());
  REQUIRE(!read->empty());
  CHECK(read->front() == 1);
}

TEST_CASE("platter: a disk that lies loses what it was given", "[world]") {
  PlatterBed bed(4);
  REQUIRE(bed.Start().ok());
  REQUIRE(bed.Write(1).ok());
  bed.platter.set_lies();
  for (int64_t revision = 2; revision < 20; ++revision) REQUIRE(bed.Write(revision).ok());
  bed.Crash();
  const auto read = bed.Start();
  if (read.ok()) CHECK(read->size() < 19);
}

}  // namespace
}  // namespace bth::sim
