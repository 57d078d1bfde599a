// The file of --admission-conf: read at start, and again whenever it changes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "admission/rules/known.h"
#include "metrics/admission_metrics.h"
#include "net/awaitable.h"

namespace bth::admission {

struct AdmissionFileOptions {
  std::string path;                        // Empty: there is none.
  absl::Duration poll = absl::Seconds(1);  // One stat of the file per poll.
  // How long a file that changed must rest before it is read: whoever writes it in place may not
  // have come to its end.
  absl::Duration rest = absl::Milliseconds(200);
};

// A bad file at start counts as none, until it is mended; a bad file later leaves the former groups
// in force. Both are logged as errors. Lifetime: `executor` and `metrics` outlive it. Thread: the
// executor's.
class AdmissionFile final {
 public:
  using Groups = std::shared_ptr<const ResourceGroups>;
  using Install = std::function<void(Groups)>;

  AdmissionFile(net::Executor& executor, metrics::AdmissionMetrics& metrics,
                AdmissionFileOptions options);
  AdmissionFile(const AdmissionFile&) = delete;
  ~AdmissionFile();

  // Null: there is no file, or a bad one.
  Groups Load();
  // From now on gives each accepted new file to `install`.
  void Watch(Install install);

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
  absl::StatusOr<Groups> Read() const;

  net::Executor& executor_;
  metrics::AdmissionMetrics& metrics_;
  const AdmissionFileOptions options_;
  Install install_;
  Stamp stamp_;       // Of what was read last.
  Stamp seen_stamp_;  // At the last look.
  net::Executor::TimerId timer_ = 0;
};

}  // namespace bth::admission
