// Metrics of the webhook manager.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "metrics/client_metrics.h"
#include "metrics/registry.h"

namespace bth::metrics {

// What became of a review.
enum class ReviewOutcome { kAllowed, kRefused, kUnanswered };

// Lives as long as its registry. Thread: any. Paths are those the program serves, whatever was
// asked for; reasons are the rules' own words, of which kReasonsMax are told apart and the rest is
// "other".
class AdmissionMetrics {
 public:
  static constexpr size_t kReasonsMax = 256;

  AdmissionMetrics(Registry& registry, const std::vector<std::string>& paths);

  ClientMetrics& client() { return client_; }

  // An HTTP request was answered; a path that is not served counts as "other".
  void Answered(std::string_view path, int code);
  // The rule of a served path was asked; `reason` only of refusals.
  void Reviewed(std::string_view path, ReviewOutcome outcome, std::string_view reason,
                absl::Duration took);
  void SetInFlight(int64_t reviews) { in_flight_.Set(static_cast<double>(reviews)); }
  void SetKnown(size_t queues, size_t namespaces);
  // One of kAdmissionLimitNames (known_names.h).
  void LimitReached(std::string_view limit);
  void FileReloaded(bool accepted);
  // Webhook configurations that were written, or could not be.
  void Registered(bool succeeded);
  void CertificateServed(absl::Time valid_until);
  void AccessAsked(bool answered);

 private:
  struct PathSeries {
    Counter allowed, refused, unanswered;
    Histogram seconds;
  };
  void Count(const CounterFamily& family, const char* label, std::string_view value);

  ClientMetrics client_;
  std::mutex mutex_;
  CounterFamily requests_;
  std::map<std::pair<std::string, int>, Counter> answers_;  // By path and code.
  std::map<std::string, PathSeries, std::less<>> paths_;    // Fixed from the start.
  CounterFamily refusals_;
  std::map<std::pair<std::string, std::string>, Counter> reasons_;  // By path and reason.
  Gauge in_flight_;
  Gauge queues_;
  Gauge namespaces_;
  CounterFamily limits_;
  CounterFamily reloads_;
  CounterFamily registrations_;
  Gauge certificate_;
  CounterFamily access_;
};

}  // namespace bth::metrics
