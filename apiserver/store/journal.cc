#include "apiserver/store/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/strings/numbers.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

constexpr std::string_view kFileMagic = "BTHJRNL1";
constexpr std::string_view kMarkMagic = "BTHSYNC1";
constexpr uint8_t kMark = 9;
constexpr size_t kFrameHead = 8;           // Length and CRC, 32 bits each.
constexpr size_t kRecordHead = 1 + 8 + 4;  // Kind, revision, length of the collection's name.
constexpr size_t kMarkBytes = 1 + 8 + 8;   // Kind, magic, offset.
constexpr size_t kRecordBytesMax = size_t{64} << 20;

template <typename Int>
void PutInt(std::string* out, Int value) {
  char raw[sizeof(Int)];
  std::memcpy(raw, &value, sizeof(Int));  // Little endian on every machine we build for.
  out->append(raw, sizeof(Int));
}

template <typename Int>
Int GetInt(std::string_view bytes) {
  Int value;
  std::memcpy(&value, bytes.data(), sizeof(Int));
  return value;
}

uint32_t Crc(std::string_view bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

void AppendFrame(std::string* out, std::string_view payload) {
  PutInt(out, static_cast<uint32_t>(payload.size()));
  PutInt(out, Crc(payload));
  out->append(payload);
}

void AppendRecord(std::string* out, const JournalRecord& record) {
  std::string payload;
  payload.reserve(kRecordHead + record.collection.size() + record.bytes.size());
  PutInt(&payload, static_cast<uint8_t>(record.kind));
  PutInt(&payload, record.revision);
  PutInt(&payload, static_cast<uint32_t>(record.collection.size()));
  payload.append(record.collection);
  payload.append(record.bytes);
  AppendFrame(out, payload);
}

void AppendMark(std::string* out, uint64_t synced) {
  std::string payload;
  PutInt(&payload, kMark);
  payload.append(kMarkMagic);
  PutInt(&payload, synced);
  AppendFrame(out, payload);
}

// The payload of the frame at `offset`, or nothing when it is incomplete or its CRC differs.
std::optional<std::string_view> FrameAt(std::string_view file, size_t offset) {
  if (file.size() - offset < kFrameHead) return std::nullopt;
  const uint32_t length = GetInt<uint32_t>(file.substr(offset, 4));
  const uint32_t crc = GetInt<uint32_t>(file.substr(offset + 4, 4));
  if (length == 0 || length > kRecordBytesMax || file.size() - offset - kFrameHead < length) {
    return std::nullopt;
  }
  const std::string_view payload = file.substr(offset + kFrameHead, length);
  if (Crc(payload) != crc) return std::nullopt;
  return payload;
}

std::optional<uint64_t> MarkOffset(std::string_view payload) {
  if (payload.size() != kMarkBytes || static_cast<uint8_t>(payload[0]) != kMark ||
      payload.substr(1, kMarkMagic.size()) != kMarkMagic) {
    return std::nullopt;
  }
  return GetInt<uint64_t>(payload.substr(1 + kMarkMagic.size()));
}

// Whether an intact mark after `from` says that bytes beyond `from` had been synced.
bool SyncedBeyond(std::string_view file, size_t from) {
  for (size_t at = file.find(kMarkMagic, from); at != file.npos;
       at = file.find(kMarkMagic, at + 1)) {
    if (at < kFrameHead + 1) continue;
    const std::optional<std::string_view> payload = FrameAt(file, at - kFrameHead - 1);
    if (!payload.has_value()) continue;
    const std::optional<uint64_t> offset = MarkOffset(*payload);
    if (offset.has_value() && *offset > from) return true;
  }
  return false;
}

absl::Status IoError(std::string_view what, const std::string& path) {
  return absl::UnavailableError(StrCat(what, " ", path, ": ", std::strerror(errno)));
}

absl::Status Damaged(const std::string& path, size_t offset) {
  return absl::DataLossError(
      StrCat(path, ": damaged at byte ", offset,
             "; restore the data directory from a backup, or move it away to start empty"));
}

absl::StatusOr<std::string> ReadWhole(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return IoError("cannot open", path);
  std::string content;
  char piece[1 << 16];
  for (;;) {
    const ssize_t n = ::read(fd, piece, sizeof(piece));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const absl::Status status = IoError("cannot read", path);
      ::close(fd);
      return status;
    }
    if (n == 0) break;
    content.append(piece, static_cast<size_t>(n));
  }
  ::close(fd);
  return content;
}

absl::Status WriteWhole(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return IoError("cannot write", path);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

// Hands out the records from `offset` on and returns where the intact part ends.
absl::StatusOr<size_t> ReadRecords(std::string_view file, const Journal::Reader& read) {
  size_t offset = kFileMagic.size();
  while (offset < file.size()) {
    const std::optional<std::string_view> payload = FrameAt(file, offset);
    if (!payload.has_value()) break;
    if (!MarkOffset(*payload).has_value()) {
      if (payload->size() < kRecordHead) break;
      JournalRecord record;
      record.kind = static_cast<JournalRecord::Kind>((*payload)[0]);
      record.revision = GetInt<int64_t>(payload->substr(1));
      const size_t name = GetInt<uint32_t>(payload->substr(9));
      if (name > payload->size() - kRecordHead) break;
      record.collection = payload->substr(kRecordHead, name);
      record.bytes = payload->substr(kRecordHead + name);
      BTH_RETURN_IF_ERROR(read(record));
    }
    offset += kFrameHead + payload->size();
  }
  return offset;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Journal>> Journal::Open(std::string directory, const Reader& read) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    return absl::UnavailableError(
        StrCat("cannot make data directory ", directory, ": ", error.message()));
  }
  std::unique_ptr<Journal> journal(new Journal(std::move(directory)));
  BTH_RETURN_IF_ERROR(journal->Lock());
  BTH_RETURN_IF_ERROR(journal->Recover(read));
  return journal;
}

Journal::~Journal() {
  if (log_fd_ >= 0) ::close(log_fd_);
  if (lock_fd_ >= 0) ::close(lock_fd_);
}

absl::Status Journal::Lock() {
  const std::string path = StrCat(directory_, "/lock");
  lock_fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_fd_ < 0) return IoError("cannot open", path);
  if (::flock(lock_fd_, LOCK_EX | LOCK_NB) != 0) {
    return absl::FailedPreconditionError(
        StrCat("data directory ", directory_, " is in use by another process"));
  }
  return absl::OkStatus();
}

std::string Journal::Path(std::string_view stem, uint64_t generation) const {
  return StrCat(directory_, "/", stem, "-", generation);
}

absl::StatusOr<uint64_t> Journal::NewestGeneration() const {
  // A generation counts from the moment its snapshot has its final name.
  uint64_t newest = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory_, error)) {
    const std::string name = entry.path().filename().string();
    uint64_t generation = 0;
    if (name.starts_with("snapshot-") && absl::SimpleAtoi(name.substr(9), &generation)) {
      newest = std::max(newest, generation);
    }
  }
  if (error) {
    return absl::UnavailableError(StrCat("cannot list ", directory_, ": ", error.message()));
  }
  return newest;
}

absl::Status Journal::Recover(const Reader& read) {
  BTH_ASSIGN_OR_RETURN(generation_, NewestGeneration());
  if (generation_ > 0) {
    const std::string path = Path("snapshot", generation_);
    BTH_ASSIGN_OR_RETURN(const std::string file, ReadWhole(path));
    if (!file.starts_with(kFileMagic)) return Damaged(path, 0);
    BTH_ASSIGN_OR_RETURN(const size_t end, ReadRecords(file, read));
    if (end != file.size()) return Damaged(path, end);
    snapshot_bytes_ = file.size();
  }
  const std::string path = Path("log", generation_);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    if (generation_ > 0) return absl::DataLossError(StrCat(path, " is missing"));
    return OpenLog(0, true);
  }
  BTH_ASSIGN_OR_RETURN(const std::string file, ReadWhole(path));
  if (!file.starts_with(kFileMagic)) {
    // Written and synced before the generation counts, but for the very first one.
    if (generation_ > 0 || file.size() >= kFileMagic.size()) return Damaged(path, 0);
    return OpenLog(0, true);
  }
  BTH_ASSIGN_OR_RETURN(const size_t end, ReadRecords(file, read));
  if (end < file.size()) {
    if (SyncedBeyond(file, end)) return Damaged(path, end);
    Log(LogLevel::kWarning, "store.torn_tail_dropped",
        {{"file", path}, {"at", end}, {"bytes", file.size() - end}});
  }
  BTH_RETURN_IF_ERROR(OpenLog(generation_, false));
  if (::ftruncate(log_fd_, static_cast<off_t>(end)) != 0) return IoError("cannot truncate", path);
  if (::lseek(log_fd_, 0, SEEK_END) < 0) return IoError("cannot seek in", path);
  log_bytes_ = end;
  DropOtherGenerations();
  return absl::OkStatus();
}

absl::Status Journal::OpenLog(uint64_t generation, bool fresh) {
  const std::string path = Path("log", generation);
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (fresh ? O_TRUNC : 0);
  const int fd = ::open(path.c_str(), flags, 0600);
  if (fd < 0) return IoError("cannot open", path);
  if (log_fd_ >= 0) ::close(log_fd_);
  log_fd_ = fd;
  if (!fresh) return absl::OkStatus();
  BTH_RETURN_IF_ERROR(WriteWhole(fd, kFileMagic, path));
  if (::fdatasync(fd) != 0) return IoError("cannot sync", path);
  log_bytes_ = kFileMagic.size();
  return SyncDirectory();
}

absl::Status Journal::SyncDirectory() const {
  const int fd = ::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return IoError("cannot open", directory_);
  const bool synced = ::fsync(fd) == 0;
  absl::Status status = synced ? absl::OkStatus() : IoError("cannot sync", directory_);
  ::close(fd);
  return status;
}

void Journal::Append(const JournalRecord& record) {
  if (buffer_.empty()) AppendMark(&buffer_, log_bytes_);
  AppendRecord(&buffer_, record);
}

absl::Status Journal::Sync() {
  if (buffer_.empty()) return absl::OkStatus();
  const std::string path = Path("log", generation_);
  BTH_RETURN_IF_ERROR(WriteWhole(log_fd_, buffer_, path));
  if (::fdatasync(log_fd_) != 0) return IoError("cannot sync", path);
  log_bytes_ += buffer_.size();
  buffer_.clear();
  return absl::OkStatus();
}

absl::Status Journal::Compact(const std::function<void(const Sink&)>& write) {
  BTH_RETURN_IF_ERROR(Sync());
  const uint64_t next = generation_ + 1;
  const std::string path = Path("snapshot", next);
  const std::string draft = StrCat(directory_, "/draft");
  const int fd = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return IoError("cannot open", draft);
  std::string piece(kFileMagic);
  size_t written = 0;
  absl::Status status;
  auto flush = [&] {
    if (status.ok()) status = WriteWhole(fd, piece, draft);
    written += piece.size();
    piece.clear();
  };
  write([&](const JournalRecord& record) {
    AppendRecord(&piece, record);
    if (piece.size() > (1 << 20)) flush();
  });
  flush();
  if (status.ok() && ::fdatasync(fd) != 0) status = IoError("cannot sync", draft);
  ::close(fd);
  BTH_RETURN_IF_ERROR(status);
  // The new log must exist before the snapshot that makes its generation count.
  BTH_RETURN_IF_ERROR(OpenLog(next, true));
  if (::rename(draft.c_str(), path.c_str()) != 0) return IoError("cannot rename to", path);
  BTH_RETURN_IF_ERROR(SyncDirectory());
  generation_ = next;
  snapshot_bytes_ = written;
  DropOtherGenerations();
  return absl::OkStatus();
}

void Journal::DropOtherGenerations() const {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory_, error)) {
    const std::string name = entry.path().filename().string();
    const bool ours = name.starts_with("snapshot-") || name.starts_with("log-") || name == "draft";
    if (!ours || entry.path() == Path("log", generation_) ||
        entry.path() == Path("snapshot", generation_)) {
      continue;
    }
    std::filesystem::remove(entry.path(), error);
  }
}

}  // namespace bth::apiserver
