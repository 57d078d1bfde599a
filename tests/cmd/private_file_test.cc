#include "cmd/common/private_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "tests/support/catch.h"
#include "tests/support/files.h"
#include "tests/support/temp_folder.h"

namespace bth::cmd {
namespace {

namespace fs = std::filesystem;

struct stat StatOf(const std::string& path) {
  struct stat found {};
  REQUIRE(lstat(path.c_str(), &found) == 0);
  return found;
}

std::set<std::string> Names(const test::TempFolder& folder) {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path())) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

TEST_CASE("private file: nobody else may read it, whatever the umask", "[cmd][unit]") {
  const test::TempFolder folder;
  const mode_t before = umask(0);
  const absl::Status status = WritePrivateFile(folder.Sub("kubeconfig"), "secret");
  umask(before);
  REQUIRE(status.ToString() == "OK");
  CHECK((StatOf(folder.Sub("kubeconfig")).st_mode & 07777) == 0600);
  CHECK(test::ReadFile(folder.Sub("kubeconfig")) == "secret");
}

TEST_CASE("private file: a planted link is not followed", "[cmd][unit]") {
  const test::TempFolder folder;
  const std::string path = folder.Sub("kubeconfig");
  const std::string victim = folder.Write("victim", "untouched");
  // The second is the name that anybody would guess for the unfinished file.
  const char* suffix = GENERATE("", ".new");
  const std::string link = path + suffix;
  fs::create_symlink(victim, link);
  REQUIRE(WritePrivateFile(path, "secret").ToString() == "OK");
  CHECK(test::ReadFile(victim) == "untouched");
  CHECK(S_ISREG(StatOf(path).st_mode));
  CHECK(test::ReadFile(path) == "secret");
}

TEST_CASE("private file: a link of another user is refused", "[cmd][unit]") {
  const test::TempFolder folder;
  const std::string path = folder.Sub("kubeconfig");
  const std::string victim = folder.Write("victim", "untouched");
  fs::create_symlink(victim, path);
  constexpr uid_t kNobody = 65534;
  if (lchown(path.c_str(), kNobody, kNobody) != 0) return;  // Only root can play two users.
  const absl::Status status = WritePrivateFile(path, "secret");
  CHECK(status.code() == absl::StatusCode::kPermissionDenied);
  CHECK_THAT(std::string(status.message()), Catch::Contains(path + ": is a symbolic link"));
  CHECK(S_ISLNK(StatOf(path).st_mode));
  CHECK(Names(folder) == std::set<std::string>{"kubeconfig", "victim"});
}

TEST_CASE("private file: readers of an older one keep it whole", "[cmd][unit]") {
  const test::TempFolder folder;
  const std::string path = folder.Write("kubeconfig", "old and long");
  chmod(path.c_str(), 0644);
  const std::string kept = folder.Sub("kept");
  fs::create_hard_link(path, kept);
  REQUIRE(WritePrivateFile(path, "new").ToString() == "OK");
  CHECK(test::ReadFile(path) == "new");
  CHECK((StatOf(path).st_mode & 07777) == 0600);
  CHECK(test::ReadFile(kept) == "old and long");
  CHECK(Names(folder) == std::set<std::string>{"kept", "kubeconfig"});
}

TEST_CASE("private file: what cannot be written is named, and nothing is left", "[cmd][unit]") {
  const test::TempFolder folder;
  fs::create_directory(folder.Sub("busy"));
  const char* name = GENERATE("busy", "no/such");
  const std::string path = folder.Sub(name);
  const absl::Status status = WritePrivateFile(path, "secret");
  CHECK(status.code() == absl::StatusCode::kUnavailable);
  CHECK_THAT(std::string(status.message()), Catch::StartsWith(path + ": "));
  CHECK(Names(folder) == std::set<std::string>{"busy"});
}

}  // namespace
}  // namespace bth::cmd
