#include "client/file_watch.h"

#include <filesystem>
#include <string>

#include "net/virtual_executor.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace bth::client {
namespace {

// A file of one word, and what a watch told of it.
struct WatchedFile {
  WatchedFile() { folder.Write("conf", "first"); }
  void Start() {
    watch.Note();
    watch.Start([this] { ++told; });
  }
  int ToldWithin(absl::Duration time) {
    const int before = told;
    executor.Advance(time);
    return told - before;
  }

  net::VirtualExecutor executor{absl::FromUnixSeconds(1'767'225'600)};
  test::TempFolder folder;
  FileWatch watch{executor, {.path = folder.Sub("conf")}};
  int told = 0;
};

TEST_CASE("file watch: a change is told once, when the file rests", "[client][file]") {
  WatchedFile file;
  file.Start();
  CHECK(file.ToldWithin(absl::Seconds(10)) == 0);
  file.folder.Write("conf", "another");
  CHECK(file.ToldWithin(absl::Milliseconds(1'100)) == 0);
  CHECK(file.ToldWithin(absl::Milliseconds(200)) == 1);
  CHECK(file.ToldWithin(absl::Seconds(10)) == 0);
}

TEST_CASE("file watch: one that is being written is left alone until it rests", "[client][file]") {
  WatchedFile file;
  file.Start();
  std::string text;
  for (int i = 0; i < 50; ++i) {
    file.folder.Write("conf", text += "x");
    CHECK(file.ToldWithin(absl::Milliseconds(150)) == 0);
  }
  CHECK(file.ToldWithin(absl::Seconds(2)) == 1);
}

TEST_CASE("file watch: going and coming are changes", "[client][file]") {
  WatchedFile file;
  file.Start();
  std::filesystem::remove(file.folder.Sub("conf"));
  CHECK(file.ToldWithin(absl::Seconds(10)) == 1);
  file.folder.Write("conf", "first");
  CHECK(file.ToldWithin(absl::Seconds(10)) == 1);
}

TEST_CASE("file watch: what came after it was noted is a change", "[client][file]") {
  WatchedFile file;
  file.watch.Note();
  file.folder.Write("conf", "another");
  file.watch.Start([&file] { ++file.told; });
  CHECK(file.ToldWithin(absl::Seconds(10)) == 1);
  file.folder.Write("conf", "read by other means");
  file.watch.Note();
  CHECK(file.ToldWithin(absl::Seconds(10)) == 0);
}

TEST_CASE("file watch: without a path nothing changes, and its end ends it", "[client][file]") {
  net::VirtualExecutor executor{absl::FromUnixSeconds(1'767'225'600)};
  int told = 0;
  FileWatch none(executor, {});
  none.Start([&told] { ++told; });
  test::TempFolder folder;
  {
    FileWatch ended(executor, {.path = folder.Write("conf", "first")});
    ended.Start([&told] { ++told; });
  }
  executor.Advance(absl::Seconds(10));
  CHECK(told == 0);
}

}  // namespace
}  // namespace bth::client
