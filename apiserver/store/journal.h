// The disk side of the store: an append-only log after a snapshot.
//
// A data directory holds `snapshot-N` (absent for N = 0) and `log-N`: the state is the snapshot
// with the log's records applied. Each record has a length and a CRC. A batch ends with a mark
// that says how far the file was synced before it, which tells a torn tail (dropped at start)
// from damage to data that had been acknowledged (refused at start).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace bth::apiserver {

struct JournalRecord {
  // kRevision carries nothing but the revision reached, where no object tells it.
  enum class Kind : uint8_t { kPut = 1, kRemove = 2, kRevision = 3 };
  Kind kind = Kind::kPut;
  int64_t revision = 0;
  std::string_view collection;
  std::string_view bytes;  // The object; for kRemove its last state.
};

// Thread: one owner. Owns the directory by a lock file while it lives.
class Journal {
 public:
  using Reader = std::function<absl::Status(const JournalRecord&)>;
  // Opens or makes `directory` and hands every record to `read`, in order.
  // Errors: kFailedPrecondition: another process uses it; kDataLoss: committed data is damaged.
  static absl::StatusOr<std::unique_ptr<Journal>> Open(std::string directory, const Reader& read);
  ~Journal();

  // Buffers a record; nothing is safe before Sync.
  void Append(const JournalRecord& record);
  // Writes and syncs the buffer. After an error the journal must not be used any more.
  absl::Status Sync();
  size_t log_bytes() const { return log_bytes_; }
  size_t snapshot_bytes() const { return snapshot_bytes_; }
  // Starts a new generation from records that `write` appends through its argument. The old
  // generation stays in force until the new one is complete on disk.
  using Sink = std::function<void(const JournalRecord&)>;
  absl::Status Compact(const std::function<void(const Sink&)>& write);

 private:
  explicit Journal(std::string directory) : directory_(std::move(directory)) {}
  absl::Status Lock();
  absl::Status Recover(const Reader& read);
  absl::StatusOr<uint64_t> NewestGeneration() const;
  absl::Status OpenLog(uint64_t generation, bool fresh);
  std::string Path(std::string_view stem, uint64_t generation) const;
  absl::Status SyncDirectory() const;
  void DropOtherGenerations() const;

  const std::string directory_;
  int lock_fd_ = -1;
  int log_fd_ = -1;
  uint64_t generation_ = 0;
  std::string buffer_;
  size_t log_bytes_ = 0;
  size_t snapshot_bytes_ = 0;
};

}  // namespace bth::apiserver
