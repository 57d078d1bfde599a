#include "apiserver/store/journal.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

constexpr std::string_view kFileMagic = "BTHJRNL1";
constexpr std::string_view kMarkMagic = "BTHSYNC1";
constexpr std::string_view kDraft = "draft";
constexpr uint8_t kMark = 9;
constexpr size_t kFrameHead = 8;           // Length and CRC, 32 bits each.
constexpr size_t kRecordHead = 1 + 8 + 4;  // Kind, revision, length of the collection's name.
constexpr size_t kMarkBytes = 1 + 8 + 8;   // Kind, magic, offset.
constexpr size_t kMarkFrame = kFrameHead + kMarkBytes;
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

// A frame of kMarkFrame bytes.
std::string MarkOf(uint64_t synced) {
  std::string payload;
  PutInt(&payload, kMark);
  payload.append(kMarkMagic);
  PutInt(&payload, synced);
  std::string frame;
  AppendFrame(&frame, payload);
  return frame;
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

absl::Status Damaged(const std::string& path, size_t offset) {
  return absl::DataLossError(
      StrCat(path, ": damaged at byte ", offset,
             "; restore the data directory from a backup, or move it away to start empty"));
}

std::string FileOf(std::string_view stem, uint64_t generation) {
  return StrCat(stem, "-", generation);
}

// A generation counts from the moment its snapshot has its final name.
uint64_t NewestGeneration(const std::vector<std::string>& names) {
  uint64_t newest = 0;
  for (const std::string& name : names) {
    uint64_t generation = 0;
    if (name.starts_with("snapshot-") && absl::SimpleAtoi(name.substr(9), &generation)) {
      newest = std::max(newest, generation);
    }
  }
  return newest;
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

absl::StatusOr<std::unique_ptr<Journal>> Journal::Open(std::unique_ptr<Disk> disk,
                                                       const Reader& read) {
  std::unique_ptr<Journal> journal(new Journal(std::move(disk)));
  BTH_RETURN_IF_ERROR(journal->disk_->Take());
  BTH_RETURN_IF_ERROR(journal->Recover(read));
  return journal;
}

std::string Journal::PathOf(const std::string& name) const {
  return StrCat(disk_->folder(), "/", name);
}

absl::Status Journal::Recover(const Reader& read) {
  BTH_ASSIGN_OR_RETURN(const std::vector<std::string> names, disk_->Names());
  generation_ = NewestGeneration(names);
  if (generation_ > 0) {
    const std::string name = FileOf("snapshot", generation_);
    BTH_ASSIGN_OR_RETURN(const std::string file, disk_->Read(name));
    if (!file.starts_with(kFileMagic)) return Damaged(PathOf(name), 0);
    BTH_ASSIGN_OR_RETURN(const size_t end, ReadRecords(file, read));
    if (end != file.size()) return Damaged(PathOf(name), end);
    snapshot_bytes_ = file.size();
  }
  const std::string name = FileOf("log", generation_);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    if (generation_ > 0) return absl::DataLossError(StrCat(PathOf(name), " is missing"));
    return BeginLog();
  }
  BTH_ASSIGN_OR_RETURN(const std::string file, disk_->Read(name));
  if (!file.starts_with(kFileMagic)) {
    // Written and synced before the generation counts, but for the very first one.
    if (generation_ > 0 || file.size() >= kFileMagic.size()) return Damaged(PathOf(name), 0);
    return BeginLog();
  }
  BTH_ASSIGN_OR_RETURN(const size_t end, ReadRecords(file, read));
  if (end < file.size()) {
    if (SyncedBeyond(file, end)) return Damaged(PathOf(name), end);
    Log(LogLevel::kWarning, "store.torn_tail_dropped",
        {{"file", PathOf(name)}, {"at", end}, {"bytes", file.size() - end}});
  }
  BTH_ASSIGN_OR_RETURN(log_, disk_->Continue(name, end));
  log_bytes_ = end;
  DropOtherGenerations();
  return absl::OkStatus();
}

absl::Status Journal::BeginLog() {
  BTH_ASSIGN_OR_RETURN(log_, MakeLog(0));
  log_bytes_ = kFileMagic.size();
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<DiskFile>> Journal::MakeLog(uint64_t generation) {
  BTH_ASSIGN_OR_RETURN(std::unique_ptr<DiskFile> log, disk_->Make(FileOf("log", generation)));
  BTH_RETURN_IF_ERROR(log->Append(kFileMagic));
  BTH_RETURN_IF_ERROR(log->Sync());
  BTH_RETURN_IF_ERROR(disk_->SyncNames());
  return log;
}

void Journal::Append(const JournalRecord& record) {
  if (buffer_.empty()) buffer_.resize(kMarkFrame);
  AppendRecord(&buffer_, record);
}

absl::Status Journal::Sync() {
  if (successor_.has_value()) BTH_RETURN_IF_ERROR(Succeed());
  if (buffer_.empty()) return absl::OkStatus();
  if (torn_) {
    BTH_ASSIGN_OR_RETURN(log_, disk_->Continue(FileOf("log", generation_), log_bytes_));
  }
  torn_ = true;
  // Only now it is certain where the buffer begins.
  buffer_.replace(0, kMarkFrame, MarkOf(log_bytes_));
  BTH_RETURN_IF_ERROR(log_->Append(buffer_));
  BTH_RETURN_IF_ERROR(log_->Sync());
  torn_ = false;
  log_bytes_ += buffer_.size();
  buffer_.clear();
  return absl::OkStatus();
}

absl::Status Journal::Compact(const std::function<void(const Sink&)>& write) {
  BTH_RETURN_IF_ERROR(Sync());
  const absl::StatusOr<size_t> written = WriteDraft(write);
  // The new log must exist before the snapshot that makes its generation count.
  absl::StatusOr<std::unique_ptr<DiskFile>> log =
      written.ok() ? MakeLog(generation_ + 1) : written.status();
  if (!log.ok()) {
    DropOtherGenerations();
    return log.status();
  }
  successor_ = Successor{generation_ + 1, *std::move(log), *written};
  return Succeed();
}

absl::StatusOr<size_t> Journal::WriteDraft(const std::function<void(const Sink&)>& write) {
  BTH_ASSIGN_OR_RETURN(std::unique_ptr<DiskFile> draft, disk_->Make(std::string(kDraft)));
  std::string piece(kFileMagic);
  size_t written = 0;
  absl::Status status;
  auto flush = [&] {
    if (status.ok()) status = draft->Append(piece);
    written += piece.size();
    piece.clear();
  };
  write([&](const JournalRecord& record) {
    AppendRecord(&piece, record);
    if (piece.size() > (1 << 20)) flush();
  });
  flush();
  if (status.ok()) status = draft->Sync();
  BTH_RETURN_IF_ERROR(status);
  return written;
}

// May be called again after an error, wherever that came from.
absl::Status Journal::Succeed() {
  BTH_ASSIGN_OR_RETURN(const std::vector<std::string> names, disk_->Names());
  const std::string draft(kDraft);
  if (std::find(names.begin(), names.end(), draft) != names.end()) {
    BTH_RETURN_IF_ERROR(disk_->Rename(draft, FileOf("snapshot", successor_->generation)));
  }
  BTH_RETURN_IF_ERROR(disk_->SyncNames());
  generation_ = successor_->generation;
  log_ = std::move(successor_->log);
  log_bytes_ = kFileMagic.size();
  snapshot_bytes_ = successor_->snapshot_bytes;
  successor_.reset();
  DropOtherGenerations();
  return absl::OkStatus();
}

void Journal::DropOtherGenerations() const {
  const absl::StatusOr<std::vector<std::string>> names = disk_->Names();
  if (!names.ok()) return;  // What is left over does not hurt.
  for (const std::string& name : *names) {
    const bool ours = name.starts_with("snapshot-") || name.starts_with("log-") || name == kDraft;
    const bool counts =
        name == FileOf("log", generation_) || name == FileOf("snapshot", generation_);
    if (ours && !counts) disk_->Remove(name);
  }
}

}  // namespace bth::apiserver
