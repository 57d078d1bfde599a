// The HTTP side of the webhooks: one path each, bounded in bytes, time and number.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "admission/rules/known.h"
#include "admission/rules/paths.h"
#include "admission/webhooks/queue_access.h"
#include "admission/webhooks/review.h"
#include "base/spaced_lines.h"
#include "metrics/admission_metrics.h"
#include "net/http.h"

namespace bth::admission {

// The webhooks of --enabled-admission: paths parted by commas, blanks around them left out, each
// once. An unknown one is kInvalidArgument.
absl::StatusOr<std::vector<const Webhook*>> ReadEnabledPaths(std::string_view list);

struct ReviewLimits {
  int reviews_max = 512;  // Side by side; further ones are answered 429.
  // For what a review waits for. The `timeout` of the request counts where it is shorter.
  absl::Duration time_max = absl::Seconds(10);
};

// Lifetime: what it is given outlives it; it outlives its coroutines. Thread: the executor's.
class ReviewHandler final {
 public:
  struct Parts {
    net::Executor& executor;
    const Known& known;
    metrics::AdmissionMetrics& metrics;
    QueueAccess* access = nullptr;  // Null: who may use a queue is not asked.
  };
  ReviewHandler(const Parts& parts, std::vector<const Webhook*> webhooks, Settings settings,
                ReviewLimits limits = {});
  ReviewHandler(const ReviewHandler&) = delete;

  // For reviews that begin after it.
  void SetSettings(Settings settings);
  const Settings& settings() const { return *settings_; }

  net::Awaitable<net::Response> Serve(net::Request request);
  net::Handler handler() {
    return [this](net::Request request) { return Serve(std::move(request)); };
  }
  int in_flight() const { return in_flight_; }

 private:
  const Webhook* Find(std::string_view path) const;
  // Nothing: the request is a review, and may begin.
  std::optional<net::Response> Turned(const net::Request& request, const Webhook* webhook);
  net::Awaitable<net::Response> Answer(const Webhook& webhook, std::string_view body,
                                       absl::Duration time_max);
  // A verdict that could not be had: what the webhook's failurePolicy says then counts.
  net::Response Unanswered(const Webhook& webhook, const absl::Status& why, absl::Duration begun);
  absl::Duration TimeFor(const net::Target& target) const;
  void NoteContentType(std::string_view path);

  const Parts parts_;
  const std::vector<const Webhook*> webhooks_;
  const ReviewLimits limits_;
  std::shared_ptr<const Settings> settings_;  // Never null; a review keeps the one it began with.
  int in_flight_ = 0;
  SpacedLines content_types_;
};

}  // namespace bth::admission
