#include "client/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/strings.h"

namespace bth::client {
namespace {

absl::Status ErrnoStatus(const std::string& path, int error) {
  const std::string text = StrCat(path, ": ", std::strerror(error));
  if (error == ENOENT || error == ENOTDIR) return absl::NotFoundError(text);
  if (error == EACCES || error == EPERM) return absl::PermissionDeniedError(text);
  return absl::UnavailableError(text);
}

class Descriptor final {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  const int fd_;
};

}  // namespace

absl::StatusOr<std::string> ReadSmallFile(const std::string& path, size_t bytes_max) {
  // O_NONBLOCK: opening a FIFO nobody writes to must not hang the caller.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return ErrnoStatus(path, errno);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return ErrnoStatus(path, errno);
  if (S_ISDIR(info.st_mode)) {
    return absl::InvalidArgumentError(StrCat(path, ": is a directory, not a file"));
  }
  std::string content;
  char buffer[16 << 10];
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoStatus(path, errno);
    if (got == 0) return content;
    if (content.size() + static_cast<size_t>(got) > bytes_max) {
      return absl::InvalidArgumentError(
          StrCat(path, ": larger than the limit of ", bytes_max, " bytes"));
    }
    content.append(buffer, static_cast<size_t>(got));
  }
}

}  // namespace bth::client
