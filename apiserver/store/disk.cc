#include "apiserver/store/disk.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

absl::Status IoError(std::string_view what, const std::string& path) {
  return absl::UnavailableError(StrCat(what, " ", path, ": ", std::strerror(errno)));
}

class FolderFile final : public DiskFile {
 public:
  FolderFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  FolderFile(const FolderFile&) = delete;
  ~FolderFile() override { ::close(fd_); }

  absl::Status Append(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return IoError("cannot write", path_);
      bytes.remove_prefix(static_cast<size_t>(n));
    }
    return absl::OkStatus();
  }
  absl::Status Sync() override {
    return ::fdatasync(fd_) == 0 ? absl::OkStatus() : IoError("cannot sync", path_);
  }

 private:
  const std::string path_;
  const int fd_;
};

class FolderDisk final : public Disk {
 public:
  explicit FolderDisk(std::string folder) : folder_(std::move(folder)) {}
  FolderDisk(const FolderDisk&) = delete;
  ~FolderDisk() override {
    if (lock_fd_ >= 0) ::close(lock_fd_);
  }

  const std::string& folder() const override { return folder_; }
  absl::Status Take() override {
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) {
      return absl::UnavailableError(
          StrCat("cannot make data directory ", folder_, ": ", error.message()));
    }
    const std::string path = PathOf("lock");
    lock_fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock_fd_ < 0) return IoError("cannot open", path);
    if (::flock(lock_fd_, LOCK_EX | LOCK_NB) != 0) {
      return absl::FailedPreconditionError(
          StrCat("data directory ", folder_, " is in use by another process"));
    }
    return absl::OkStatus();
  }
  absl::StatusOr<std::vector<std::string>> Names() const override {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
      names.push_back(entry.path().filename().string());
    }
    if (error) {
      return absl::UnavailableError(StrCat("cannot list ", folder_, ": ", error.message()));
    }
    return names;
  }
  absl::StatusOr<std::string> Read(const std::string& name) const override {
    const std::string path = PathOf(name);
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return IoError("cannot open", path);
    std::string content;
    char piece[1 << 16];
    ssize_t n = 0;
    while ((n = ::read(fd, piece, sizeof(piece))) != 0) {
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) break;
      content.append(piece, static_cast<size_t>(n));
    }
    absl::Status status = n < 0 ? IoError("cannot read", path) : absl::OkStatus();
    ::close(fd);
    BTH_RETURN_IF_ERROR(status);
    return content;
  }
  absl::StatusOr<std::unique_ptr<DiskFile>> Make(const std::string& name) override {
    return Open(name, O_TRUNC);
  }
  absl::StatusOr<std::unique_ptr<DiskFile>> Continue(const std::string& name,
                                                     size_t bytes) override {
    const std::string path = PathOf(name);
    if (::truncate(path.c_str(), static_cast<off_t>(bytes)) != 0) {
      return IoError("cannot truncate", path);
    }
    return Open(name, O_APPEND);
  }
  absl::Status Rename(const std::string& from, const std::string& to) override {
    const std::string path = PathOf(to);
    const bool renamed = ::rename(PathOf(from).c_str(), path.c_str()) == 0;
    return renamed ? absl::OkStatus() : IoError("cannot rename to", path);
  }
  void Remove(const std::string& name) override { ::unlink(PathOf(name).c_str()); }
  absl::Status SyncNames() override {
    const int fd = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return IoError("cannot open", folder_);
    const bool synced = ::fsync(fd) == 0;
    absl::Status status = synced ? absl::OkStatus() : IoError("cannot sync", folder_);
    ::close(fd);
    return status;
  }

 private:
  std::string PathOf(const std::string& name) const { return StrCat(folder_, "/", name); }
  absl::StatusOr<std::unique_ptr<DiskFile>> Open(const std::string& name, int how) const {
    std::string path = PathOf(name);
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | how, 0600);
    if (fd < 0) return IoError("cannot open", path);
    return std::make_unique<FolderFile>(std::move(path), fd);
  }

  const std::string folder_;
  int lock_fd_ = -1;
};

}  // namespace

std::unique_ptr<Disk> MakeFolderDisk(std::string folder) {
  return std::make_unique<FolderDisk>(std::move(folder));
}

}  // namespace bth::apiserver
