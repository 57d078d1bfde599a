// A disk that is full, or fails: what the server says meanwhile, what it keeps, and that it goes
// on.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/store/journal.h"
#include "base/log.h"
#include "base/strings.h"
#include "tests/apiserver/bed.h"
#include "tests/support/captured_log.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace bth::apiserver::testing {
namespace {

namespace fs = std::filesystem;
using test::TempFolder;

// What goes wrong with a disk.
struct DiskFault {
  bool full = false;
  int fails_from = -1;  // Operations are counted from 0; -1: none fails.
  int fails_for = 0;
  int done = 0;
  int hits = 0;

  absl::Status Next() {
    const int at = done++;
    const bool fails = fails_from >= 0 && at >= fails_from && at < fails_from + fails_for;
    if (!full && !fails) return absl::OkStatus();
    ++hits;
    return absl::UnavailableError("No space left on device");
  }
};

class FaultyFile final : public DiskFile {
 public:
  FaultyFile(std::unique_ptr<DiskFile> file, DiskFault& fault)
      : file_(std::move(file)), fault_(fault) {}
  // What does not fit is written in part.
  absl::Status Append(std::string_view bytes) override {
    const absl::Status status = fault_.Next();
    const absl::Status written =
        file_->Append(bytes.substr(0, bytes.size() / (status.ok() ? 1 : 2)));
    return status.ok() ? written : status;
  }
  absl::Status Sync() override {
    const absl::Status status = fault_.Next();
    return status.ok() ? file_->Sync() : status;
  }

 private:
  const std::unique_ptr<DiskFile> file_;
  DiskFault& fault_;
};

class FaultyDisk final : public Disk {
 public:
  FaultyDisk(std::string folder, DiskFault& fault)
      : disk_(MakeFolderDisk(std::move(folder))), fault_(fault) {}
  const std::string& folder() const override { return disk_->folder(); }
  absl::Status Take() override { return disk_->Take(); }
  absl::StatusOr<std::vector<std::string>> Names() const override { return disk_->Names(); }
  absl::StatusOr<std::string> Read(const std::string& name) const override {
    return disk_->Read(name);
  }
  absl::StatusOr<std::unique_ptr<DiskFile>> Make(const std::string& name) override {
    return WithFaults(disk_->Make(name));
  }
  absl::StatusOr<std::unique_ptr<DiskFile>> Continue(const std::string& name,
                                                     size_t bytes) override {
    return WithFaults(disk_->Continue(name, bytes));
  }
  absl::Status Rename(const std::string& from, const std::string& to) override {
    const absl::Status status = fault_.Next();
    return status.ok() ? disk_->Rename(from, to) : status;
  }
  void Remove(const std::string& name) override { disk_->Remove(name); }
  absl::Status SyncNames() override {
    const absl::Status status = fault_.Next();
    return status.ok() ? disk_->SyncNames() : status;
  }

 private:
  absl::StatusOr<std::unique_ptr<DiskFile>> WithFaults(
      absl::StatusOr<std::unique_ptr<DiskFile>> file) {
    if (const absl::Status status = fault_.Next(); !status.ok()) return status;
    if (!file.ok()) return file.status();
    return std::make_unique<FaultyFile>(*std::move(file), fault_);
  }

  const std::unique_ptr<Disk> disk_;
  DiskFault& fault_;
};

Options On(const std::string& folder, DiskFault& fault, Options options) {
  options.store.data_dir = folder;
  options.store.disk = [&fault](const std::string& data_dir) {
    return std::make_unique<FaultyDisk>(data_dir, fault);
  };
  return options;
}

struct DiskParts {
  test::CapturedLog log{LogLevel::kError};
  const TempFolder folder;
  DiskFault fault;
};

// A server on a disk that is well at first.
struct FaultyBed : DiskParts, Bed {
  explicit FaultyBed(Options options = Options())
      : Bed(On(folder.Sub("data"), fault, std::move(options))) {}
};

// The revisions that a crash at this moment would leave.
absl::StatusOr<std::vector<int64_t>> LeftIn(const std::string& folder, const std::string& copy) {
  fs::remove_all(copy);
  fs::copy(folder, copy, fs::copy_options::recursive);
  std::vector<int64_t> read;
  const auto note = [&read](const JournalRecord& record) {
    read.push_back(record.revision);
    return absl::OkStatus();
  };
  const absl::StatusOr<std::unique_ptr<Journal>> journal = Journal::Open(copy, note);
  if (!journal.ok()) return journal.status();
  return read;
}

struct JournalBed {
  explicit JournalBed(DiskFault& fault) {
    const auto ignore = [](const JournalRecord&) { return absl::OkStatus(); };
    auto opened = Journal::Open(std::make_unique<FaultyDisk>(folder.Sub("data"), fault), ignore);
    REQUIRE(opened.ok());
    journal = *std::move(opened);
  }
  void Look() {
    const auto left = LeftIn(folder.Sub("data"), folder.Sub("copy"));
    REQUIRE(left.status().ToString() == "OK");
    const auto count = static_cast<int64_t>(left->size());
    REQUIRE(count >= acknowledged);
    REQUIRE(count <= written);
    for (int64_t i = 0; i < count; ++i) REQUIRE((*left)[static_cast<size_t>(i)] == i + 1);
  }
  void Write() {
    ++written;
    journal->Append({JournalRecord::Kind::kPut, written, "things", StrCat("object ", written)});
    // May fail: then the next one brings both.
    if (journal->Sync().ok()) acknowledged = written;
    Look();
  }
  void Compact() {
    const auto all = [this](const Journal::Sink& sink) {
      for (int64_t r = 1; r <= written; ++r) {
        sink({JournalRecord::Kind::kPut, r, "things", StrCat("object ", r)});
      }
    };
    if (journal->Compact(all).ok()) acknowledged = written;
    Look();
  }

  const TempFolder folder;
  std::unique_ptr<Journal> journal;
  int64_t written = 0;
  int64_t acknowledged = 0;
};

}  // namespace

TEST_CASE("disk failure: a journal goes on after one at any operation, and loses nothing") {
  const test::CapturedLog log(LogLevel::kError);
  int most = 0;
  for (const int fails_for : {1, 2, 5}) {
    for (int from = 4;; ++from) {  // Before, the journal is not open.
      INFO(fails_for << " failures from operation " << from << " on");
      DiskFault fault{.fails_from = from, .fails_for = fails_for};
      JournalBed bed(fault);
      for (int i = 0; i < 3; ++i) bed.Write();
      bed.Compact();
      for (int i = 0; i < 2; ++i) bed.Write();
      bed.Compact();
      for (int i = 0; i < 6; ++i) bed.Write();
      const int hits = fault.hits;
      fault.fails_from = -1;
      bed.Write();
      CHECK(bed.acknowledged == 12);
      most = std::max(most, from);
      if (hits == 0) break;
    }
  }
  CHECK(most > 30);  // It met every operation of both compactions.
}

TEST_CASE("disk failure: a full disk is told, nothing is served, and all goes on with room") {
  FaultyBed bed;
  REQUIRE(bed.Post(kConfigs, ConfigJson("before")).code == 201);
  const auto watch = bed.Watch(StrCat(kConfigs, "?watch=1"));
  bed.fault.full = true;
  const Answer refused = bed.Post(kConfigs, ConfigJson("during"));
  CHECK(refused.code == 500);
  CHECK_THAT(refused.message(), Catch::Contains("No space left on device"));
  // Of what is not on disk nobody hears.
  CHECK(bed.Get(StrCat(kConfigs, "/during")).code == 500);
  CHECK(bed.Get(StrCat(kConfigs, "/before")).code == 500);
  const Answer ready = bed.Get("/readyz");
  CHECK(ready.code == 500);
  CHECK_THAT(ready.text, Catch::Contains("storage failed: No space left"));
  CHECK(watch->Names() == std::vector<std::string>{"ADDED before"});
  REQUIRE(bed.executor.Advance(absl::Minutes(10)));
  CHECK(bed.Post(kConfigs, ConfigJson("still")).code == 500);

  bed.fault.full = false;
  REQUIRE(bed.executor.Advance(absl::Seconds(1)));
  CHECK(bed.Get("/readyz").code == 200);
  CHECK(bed.Get(StrCat(kConfigs, "/before")).code == 200);
  // A write without an answer may have happened; this one has, as whoever looks on is told.
  CHECK(bed.Get(StrCat(kConfigs, "/during")).code == 200);
  CHECK(bed.Get(StrCat(kConfigs, "/still")).code == 404);
  CHECK(bed.Post(kConfigs, ConfigJson("after")).code == 201);
  CHECK(watch->Names() == std::vector<std::string>{"ADDED before", "ADDED during", "ADDED after"});

  fs::copy(bed.folder.Sub("data"), bed.folder.Sub("copy"), fs::copy_options::recursive);
  Options options;
  options.store.data_dir = bed.folder.Sub("copy");
  Bed after(std::move(options));
  for (const char* name : {"before", "during", "after"}) {
    CHECK(after.Get(StrCat(kConfigs, "/", name)).text == bed.Get(StrCat(kConfigs, "/", name)).text);
  }
}

TEST_CASE("disk failure: without room for a snapshot the log goes on, until there is") {
  Options options;
  options.store.journal_bytes_min = 20'000;
  FaultyBed bed(std::move(options));
  DiskFault& fault = bed.fault;
  const auto snapshots = [&bed] {
    int count = 0;
    for (const auto& entry : fs::directory_iterator(bed.folder.Sub("data"))) {
      count += entry.path().filename().string().starts_with("snapshot") ? 1 : 0;
    }
    return count;
  };
  bed.Post(kConfigs, ConfigJson("c"));
  bool failed_one = false;
  for (int i = 0; i < 400; ++i) {
    // A write takes two operations; the third is a snapshot's.
    const bool fails = i < 200 && snapshots() == 0;
    fault.fails_from = fails ? fault.done + 2 : -1;
    fault.fails_for = 1;
    const int hits = fault.hits;
    REQUIRE(bed.Merge(StrCat(kConfigs, "/c"), StrCat(R"({"data":{"k":")", i, "\"}}")).code == 200);
    failed_one = failed_one || fault.hits > hits;
    if (i == 199) CHECK(snapshots() == 0);
  }
  CHECK(failed_one);
  CHECK(snapshots() == 1);
}

TEST_CASE("disk failure: what lost its owner goes when the disk is back") {
  FaultyBed bed;
  const Answer owner = bed.Post(kConfigs, ConfigJson("owner"));
  for (int i = 0; i < 3; ++i) {
    REQUIRE(
        bed.Post(kConfigs, StrCat(R"({"metadata":{"name":"owned-)", i, R"(","ownerReferences":[)",
                                  R"({"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":")",
                                  owner.at({"metadata", "uid"}), R"("}]}})"))
            .code == 201);
  }
  bed.fault.full = true;
  CHECK(bed.Delete(StrCat(kConfigs, "/owner")).code == 500);
  REQUIRE(bed.executor.Advance(absl::Minutes(1)));
  bed.fault.full = false;
  REQUIRE(bed.executor.Advance(absl::Seconds(5)));
  const Answer left = bed.Get(kConfigs);
  REQUIRE(left.code == 200);
  CHECK(left.body["items"].size() == 0);
}

}  // namespace bth::apiserver::testing
