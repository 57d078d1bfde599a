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
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "apiserver/store/disk.h"

namespace bth::apiserver {

struct JournalRecord {
  // kRevision carries nothing but the revision reached, where no object tells it.
  enum class Kind : uint8_t { kPut = 1, kRemove = 2, kRevision = 3 };
  Kind kind = Kind::kPut;
  int64_t revision = 0;
  std::string_view collection;
  std::string_view bytes;  // The object; for kRemove its last state.
};

// Thread: one owner. Owns its folder while it lives.
class Journal {
 public:
  using Reader = std::function<absl::Status(const JournalRecord&)>;
  // Takes the folder of `disk` and hands every record to `read`, in order.
  // Errors: kFailedPrecondition: another process uses it; kDataLoss: committed data is damaged.
  static absl::StatusOr<std::unique_ptr<Journal>> Open(std::unique_ptr<Disk> disk,
                                                       const Reader& read);
  static absl::StatusOr<std::unique_ptr<Journal>> Open(std::string folder, const Reader& read) {
    return Open(MakeFolderDisk(std::move(folder)), read);
  }

  // Buffers a record; nothing is safe before Sync.
  void Append(const JournalRecord& record);
  // Writes and syncs the buffer. After an error, such as that of a full disk, nobody knows what of
  // it is on the disk; the next call writes all of it anew, behind what was synced before.
  absl::Status Sync();
  size_t log_bytes() const { return log_bytes_; }
  size_t snapshot_bytes() const { return snapshot_bytes_; }
  // Starts a new generation from records that `write` appends through its argument. The old
  // generation stays in force until the new one is complete on disk; after an error it still is,
  // or Sync fails until the new one is.
  using Sink = std::function<void(const JournalRecord&)>;
  absl::Status Compact(const std::function<void(const Sink&)>& write);

 private:
  // Complete on disk but for the last name of its snapshot.
  struct Successor {
    uint64_t generation = 0;
    std::unique_ptr<DiskFile> log;
    size_t snapshot_bytes = 0;
  };

  explicit Journal(std::unique_ptr<Disk> disk) : disk_(std::move(disk)) {}
  absl::Status Recover(const Reader& read);
  absl::Status BeginLog();
  absl::StatusOr<std::unique_ptr<DiskFile>> MakeLog(uint64_t generation);
  absl::StatusOr<size_t> WriteDraft(const std::function<void(const Sink&)>& write);
  absl::Status Succeed();
  std::string PathOf(const std::string& name) const;
  void DropOtherGenerations() const;

  const std::unique_ptr<Disk> disk_;
  std::unique_ptr<DiskFile> log_;
  uint64_t generation_ = 0;
  std::string buffer_;  // Begins with room for its mark.
  size_t log_bytes_ = 0;
  bool torn_ = false;  // The log may go on behind `log_bytes_` with what was not synced.
  // From its rename on it may count: until that is certain nothing is written to either log.
  std::optional<Successor> successor_;
  size_t snapshot_bytes_ = 0;
};

}  // namespace bth::apiserver
