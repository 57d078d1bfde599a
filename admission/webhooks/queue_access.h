// Who may submit to which queue, as the cluster's roles say: asked of the API server by a
// SubjectAccessReview, and kept for seconds.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "admission/rules/queue_access.h"
#include "admission/rules/request.h"
#include "client/api_client.h"
#include "client/lru.h"
#include "metrics/admission_metrics.h"
#include "net/awaitable.h"

namespace bth::admission {

struct QueueAccessOptions {
  // How long an answer of either kind counts: what is granted or withdrawn takes effect within it.
  absl::Duration keep_for = absl::Seconds(10);
  int answers_max = 4096;  // The one not used for longest goes first.
  int asking_max = 64;     // Reviews that wait for the API server at once.
};

// Answers are kept by a digest of user and queue; failures are not kept. Lifetime: shorter than
// `api` and `metrics`, longer than its coroutines. Thread: the executor's.
class QueueAccess final {
 public:
  QueueAccess(client::ApiClient& api, metrics::AdmissionMetrics& metrics,
              QueueAccessOptions options = {});
  QueueAccess(const QueueAccess&) = delete;

  // Whether the request's user may submit what it submits. kResourceExhausted: too many wait;
  // kDeadlineExceeded: no answer within `time_max`; others: the API server did not answer, or not
  // to us. The request outlives the coroutine.
  net::Awaitable<absl::StatusOr<Verdict>> Judge(const Request& request, QueueSubmission submission,
                                                absl::Duration time_max);

 private:
  struct Decision {
    absl::Duration until;
    bool allowed = false;
  };
  struct GroupRow {
    absl::Duration until;
    std::string queue;
  };
  // Nothing: there is no such PodGroup.
  net::Awaitable<absl::StatusOr<std::optional<std::string>>> QueueOfGroup(std::string ns,
                                                                          std::string name,
                                                                          absl::Duration time_max);
  net::Awaitable<absl::StatusOr<bool>> MaySubmit(Json review, absl::Duration time_max);
  net::Awaitable<absl::StatusOr<Json>> Call(client::ApiRequest request);
  absl::Duration now() const { return api_.executor().Monotonic(); }

  client::ApiClient& api_;
  metrics::AdmissionMetrics& metrics_;
  const QueueAccessOptions options_;
  client::Lru<Decision> decisions_;  // By digest of the review.
  client::Lru<GroupRow> groups_;     // By namespace and name.
  int asking_ = 0;
};

}  // namespace bth::admission
