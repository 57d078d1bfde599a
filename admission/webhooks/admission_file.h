// The file of --admission-conf: read at start, and again whenever it changes.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "admission/rules/known.h"
#include "client/file_watch.h"
#include "metrics/admission_metrics.h"
#include "net/awaitable.h"

namespace bth::admission {

// A bad file at start counts as none, until it is mended; a bad file later leaves the former groups
// in force. Both are logged as errors. Lifetime: `executor` and `metrics` outlive it. Thread: the
// executor's.
class AdmissionFile final {
 public:
  using Groups = std::shared_ptr<const ResourceGroups>;
  using Install = std::function<void(Groups)>;

  AdmissionFile(net::Executor& executor, metrics::AdmissionMetrics& metrics,
                client::FileWatchOptions options);

  // Null: there is no file, or a bad one.
  Groups Load();
  // From now on gives each accepted new file to `install`.
  void Watch(Install install);

 private:
  absl::StatusOr<Groups> Read() const;
  void Reload();

  metrics::AdmissionMetrics& metrics_;
  Install install_;
  client::FileWatch watch_;
};

}  // namespace bth::admission
