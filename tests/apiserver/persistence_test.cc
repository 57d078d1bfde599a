// What the data directory promises: acknowledged writes survive, torn tails do not hurt, damage
// is told.
#include <filesystem>

#include "apiserver/store/journal.h"
#include "base/log.h"
#include "base/strings.h"
#include "tests/apiserver/bed.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"
#include "tests/support/temp_folder.h"

namespace bth::apiserver::testing {
namespace {

namespace fs = std::filesystem;
using test::ReadFile;
using test::TempFolder;

// What a crash would leave: the files as they are now, without the lock's holder.
std::string CopyOf(const std::string& from, const std::string& to) {
  fs::copy(from, to, fs::copy_options::recursive);
  return to;
}

Options In(const std::string& directory) {
  Options options;
  options.store.data_dir = directory;
  return options;
}

absl::StatusOr<std::vector<std::string>> ReadAll(const std::string& directory) {
  std::vector<std::string> records;
  auto read = [&](const JournalRecord& record) {
    records.push_back(StrCat(record.revision, " ", std::string(record.bytes)));
    return absl::OkStatus();
  };
  absl::StatusOr<std::unique_ptr<Journal>> journal = Journal::Open(directory, read);
  if (!journal.ok()) return journal.status();
  return records;
}

}  // namespace

TEST_CASE("persistence: what was acknowledged is there after a crash") {
  const TempFolder folder;
  const std::string dir = folder.Sub("data");
  Options options = In(dir);
  options.crds = {GangDefinition()};
  Bed bed(std::move(options));
  const Answer made = bed.Post(kConfigs, ConfigJson("a"));
  bed.Post(kConfigs, ConfigJson("b"));
  bed.Merge(StrCat(kConfigs, "/a"), R"({"data":{"k":"new"}})");
  bed.Delete(StrCat(kConfigs, "/b"));
  const std::string gangs = "/apis/batch.example.com/v1/namespaces/default/gangs";
  REQUIRE(bed.Post(gangs, R"({"metadata":{"name":"g"}})").code == 201);
  const std::string revision = bed.Get(kConfigs).at({"metadata", "resourceVersion"});

  Bed after(In(CopyOf(dir, folder.Sub("copy"))));
  const Answer a = after.Get(StrCat(kConfigs, "/a"));
  CHECK(a.at({"data", "k"}) == "new");
  CHECK(a.at({"metadata", "uid"}) == made.at({"metadata", "uid"}));
  CHECK(after.Get(StrCat(kConfigs, "/b")).code == 404);
  CHECK(after.Get(gangs + "/g").code == 200);  // Its definition was kept too.
  CHECK(after.Get(kConfigs).at({"metadata", "resourceVersion"}) == revision);
  // Watches go on from the last revision, and older ones relist.
  auto now = after.Watch(StrCat(kConfigs, "?watch=1&resourceVersion=", revision));
  auto old = after.Watch(StrCat(kConfigs, "?watch=1&resourceVersion=2"));
  REQUIRE(after.Post(kConfigs, ConfigJson("c")).code == 201);
  CHECK(now->Names() == std::vector<std::string>{"ADDED c"});
  REQUIRE(old->all.size() == 1);
  CHECK(old->all[0].At({"object", "code"}).AsInt() == 410);
}

TEST_CASE("persistence: two servers cannot share a directory") {
  const TempFolder folder;
  const std::string dir = folder.Sub("data");
  Bed bed(In(dir));
  net::VirtualExecutor executor(absl::UnixEpoch());
  const auto second = ApiServer::Create(executor, In(dir));
  CHECK(absl::IsFailedPrecondition(second.status()));
  CHECK_THAT(std::string(second.status().message()), Catch::Contains("in use"));
}

TEST_CASE("persistence: a snapshot replaces a log that grew") {
  const TempFolder folder;
  const std::string dir = folder.Sub("data");
  Options options = In(dir);
  options.store.journal_bytes_min = 20'000;
  Bed bed(std::move(options));
  for (int i = 0; i < 300; ++i) {
    bed.Post(kConfigs, ConfigJson(StrCat("c", i % 7)));
    bed.Merge(StrCat(kConfigs, "/c", i % 7), StrCat(R"({"data":{"k":")", i, "\"}}"));
  }
  size_t bytes = 0;
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(dir)) {
    bytes += entry.file_size();
    ++files;
  }
  CHECK(files == 3);  // Lock, snapshot, log.
  CHECK(bytes < 60'000);
  Bed after(In(CopyOf(dir, folder.Sub("copy"))));
  CHECK(after.Get(kConfigs).body["items"].size() == 7);
  CHECK(after.Get(StrCat(kConfigs, "/c5")).at({"data", "k"}) == "299");
  CHECK(after.Get(kConfigs).at({"metadata", "resourceVersion"}) ==
        bed.Get(kConfigs).at({"metadata", "resourceVersion"}));
}

TEST_CASE("journal: a tail torn at any byte loses only what was not synced") {
  const TempFolder folder;
  const std::string dir = folder.Sub("data");
  size_t synced = 0;
  {
    auto journal = *Journal::Open(dir, [](const JournalRecord&) { return absl::OkStatus(); });
    journal->Append({JournalRecord::Kind::kPut, 1, "things", "one"});
    journal->Append({JournalRecord::Kind::kPut, 2, "things", "two"});
    REQUIRE(journal->Sync().ok());
    synced = journal->log_bytes();
    journal->Append({JournalRecord::Kind::kPut, 3, "things", "three"});
    REQUIRE(journal->Sync().ok());
  }
  const std::string whole = ReadFile(dir + "/log-0");
  const std::string cut_dir = CopyOf(dir, folder.Sub("cut"));
  SetLogLevel(LogLevel::kError);
  for (size_t size = synced; size <= whole.size(); ++size) {
    INFO(size);
    folder.Write("cut/log-0", whole.substr(0, size));
    const auto records = ReadAll(cut_dir);
    REQUIRE(records.ok());
    CHECK(records->size() == (size == whole.size() ? 3 : 2));
    // The tail is gone for good: what is appended next is read back.
    {
      auto journal = *Journal::Open(cut_dir, [](const JournalRecord&) { return absl::OkStatus(); });
      journal->Append({JournalRecord::Kind::kPut, 9, "things", "nine"});
      REQUIRE(journal->Sync().ok());
    }
    const auto again = ReadAll(cut_dir);
    REQUIRE(again.ok());
    CHECK(again->back() == "9 nine");
    CHECK(again->size() == records->size() + 1);
  }
  SetLogLevel(LogLevel::kInfo);
}

TEST_CASE("journal: damage to synced data is refused with the place") {
  const TempFolder folder;
  const std::string dir = folder.Sub("data");
  size_t first_batch = 0;
  {
    auto journal = *Journal::Open(dir, [](const JournalRecord&) { return absl::OkStatus(); });
    journal->Append({JournalRecord::Kind::kPut, 1, "things", "one"});
    REQUIRE(journal->Sync().ok());
    first_batch = journal->log_bytes();
    journal->Append({JournalRecord::Kind::kPut, 2, "things", "two"});
    REQUIRE(journal->Sync().ok());
  }
  const std::string whole = ReadFile(dir + "/log-0");
  const std::string bad_dir = CopyOf(dir, folder.Sub("bad"));
  SetLogLevel(LogLevel::kError);
  for (size_t at = 0; at < whole.size(); ++at) {
    INFO(at);
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x40);
    folder.Write("bad/log-0", bytes);
    const auto records = ReadAll(bad_dir);
    if (at < first_batch) {
      CHECK(absl::IsDataLoss(records.status()));
      CHECK_THAT(std::string(records.status().message()), Catch::Contains("damaged at byte"));
    } else {
      // Of the last batch nobody can say whether it was synced.
      REQUIRE(records.ok());
      CHECK(records->size() == 1);
    }
  }
  SetLogLevel(LogLevel::kInfo);
}

TEST_CASE("journal: a snapshot that was not finished does not count") {
  const TempFolder folder;
  const std::string dir = folder.Sub("data");
  {
    auto journal = *Journal::Open(dir, [](const JournalRecord&) { return absl::OkStatus(); });
    journal->Append({JournalRecord::Kind::kPut, 1, "things", "one"});
    REQUIRE(journal->Sync().ok());
  }
  // Left behind by a crash before the rename: a draft, and the next generation's log.
  folder.Write("data/draft", "BTHJRNL1 half");
  folder.Write("data/log-1", "BTHJRNL1");
  const auto records = ReadAll(dir);
  REQUIRE(records.ok());
  CHECK(*records == std::vector<std::string>{"1 one"});
  CHECK_FALSE(fs::exists(dir + "/draft"));
  CHECK_FALSE(fs::exists(dir + "/log-1"));
}

TEST_CASE("persistence: a request is answered only after its sync, a batch by one") {
  const TempFolder folder;
  Bed bed(In(folder.Sub("data")));
  // Both are sent before the executor runs again, so they share a sync.
  std::vector<int> codes;
  auto send = [&codes](net::Transport& transport, std::string name) -> net::Awaitable<void> {
    net::Request request;
    request.method = "POST";
    request.target = kConfigs;
    request.headers.Set("content-type", "application/json");
    request.body = ConfigJson(name);
    absl::StatusOr<net::Response> response = co_await transport.Fetch(std::move(request));
    codes.push_back(response.ok() ? response->status : 0);
  };
  for (int i = 0; i < 20; ++i) net::Spawn(bed.executor, send(*bed.transport, StrCat("c", i)));
  bed.executor.RunUntilIdle();
  CHECK(codes == std::vector<int>(20, 201));
  CHECK_FALSE(bed.server->store().NeedsSync());
}

}  // namespace bth::apiserver::testing
