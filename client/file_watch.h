// A configuration file that is read again when it changes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/time/time.h"
#include "net/awaitable.h"

namespace bth::client {

struct FileWatchOptions {
  std::string path;                        // Empty: there is none, and nothing ever changes.
  absl::Duration poll = absl::Seconds(1);  // One stat of the file per poll.
  // How long a file that changed must rest before it is read: whoever writes it in place may not
  // have come to its end.
  absl::Duration rest = absl::Milliseconds(200);
};

// Tells when a file is another than it was. One that is replaced whole is never read by half; one
// that is written in place is not as long as its writer makes no pause of `rest`. A file that went
// away, or came, has changed. Lifetime: `executor` outlives it. Thread: the
// executor's.
class FileWatch final {
 public:
  using Changed = std::function<void()>;

  FileWatch(net::Executor& executor, FileWatchOptions options);
  FileWatch(const FileWatch&) = delete;
  ~FileWatch();

  const std::string& path() const { return options_.path; }
  // The file as it is now is known: to be called before it is read.
  void Note();
  // From now on calls `changed` when the file differs from what is known, once per change.
  void Start(Changed changed);

 private:
  // Identity of the file's content as far as one stat tells.
  struct Stamp {
    uint64_t inode = 0;
    int64_t modified_ns = 0;
    int64_t size = -1;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  Stamp Look() const;
  void Poll();
  void LookAgainIn(absl::Duration delay);

  net::Executor& executor_;
  const FileWatchOptions options_;
  Changed changed_;
  Stamp known_;
  Stamp seen_;  // At the last look.
  net::Executor::TimerId timer_ = 0;
};

}  // namespace bth::client
