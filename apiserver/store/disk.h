// What the journal needs of a disk: a folder of files that grow at their ends.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace bth::apiserver {

// A file that is open for writing; closed by its destructor. After an error nothing is known of
// what was written since the last Sync. Thread: its owner's.
class DiskFile {
 public:
  virtual ~DiskFile() = default;
  virtual absl::Status Append(std::string_view bytes) = 0;
  // What was appended outlives a crash from now on.
  virtual absl::Status Sync() = 0;
};

// Names are those of files in the folder. Errors name the file. Thread: its owner's.
class Disk {
 public:
  virtual ~Disk() = default;
  // Where it is, for messages.
  virtual const std::string& folder() const = 0;
  // Makes the folder where there is none, and keeps others off it for as long as this lives.
  // kFailedPrecondition: another process has it.
  virtual absl::Status Take() = 0;
  virtual absl::StatusOr<std::vector<std::string>> Names() const = 0;
  virtual absl::StatusOr<std::string> Read(const std::string& name) const = 0;
  // An empty file of that name, whatever was there.
  virtual absl::StatusOr<std::unique_ptr<DiskFile>> Make(const std::string& name) = 0;
  // One that is there, cut off after `bytes`.
  virtual absl::StatusOr<std::unique_ptr<DiskFile>> Continue(const std::string& name,
                                                             size_t bytes) = 0;
  virtual absl::Status Rename(const std::string& from, const std::string& to) = 0;
  // What is not there any more is no error, nor is what stays.
  virtual void Remove(const std::string& name) = 0;
  // Files that were made and renamed outlive a crash from now on.
  virtual absl::Status SyncNames() = 0;
};

std::unique_ptr<Disk> MakeFolderDisk(std::string folder);

}  // namespace bth::apiserver
