#include "cmd/common/private_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/status.h"
#include "base/strings.h"
#include "net/pem.h"

namespace bth::cmd {
namespace {

absl::Status FileError(const std::string& path, std::string_view what) {
  return absl::UnavailableError(StrCat(path, ": ", what, ": ", std::strerror(errno)));
}

// Replacing it would be harmless, but in a folder where others plant links nothing of ours is safe.
absl::Status CheckNoForeignLink(const std::string& path) {
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0 || !S_ISLNK(found.st_mode)) return absl::OkStatus();
  if (found.st_uid == geteuid()) return absl::OkStatus();
  return absl::PermissionDeniedError(
      StrCat(path, ": is a symbolic link of another user (uid ", found.st_uid,
             "): remove it, or choose a folder that only you may write to"));
}

bool WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    text.remove_prefix(static_cast<size_t>(wrote));
  }
  return true;
}

absl::Status WriteFresh(const std::string& path, std::string_view text) {
  const int fd =
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (fd < 0) return FileError(path, "cannot be made");
  absl::Status status;
  if (!WriteAll(fd, text) || fsync(fd) != 0) status = FileError(path, "cannot be written");
  if (close(fd) != 0 && status.ok()) status = FileError(path, "cannot be written");
  if (!status.ok()) unlink(path.c_str());
  return status;
}

}  // namespace

absl::Status WritePrivateFile(const std::string& path, std::string_view text) {
  BTH_RETURN_IF_ERROR(CheckNoForeignLink(path));
  const size_t name = path.rfind('/') + 1;  // 0 without a folder.
  const std::string fresh = StrCat(path.substr(0, name), ".batholith-", net::RandomHex(8));
  BTH_RETURN_IF_ERROR(Annotate(WriteFresh(fresh, text), path));
  if (rename(fresh.c_str(), path.c_str()) == 0) return absl::OkStatus();
  absl::Status failed = FileError(path, "cannot be replaced");
  unlink(fresh.c_str());
  return failed;
}

}  // namespace bth::cmd
