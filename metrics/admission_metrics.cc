#include "metrics/admission_metrics.h"

#include "metrics/known_names.h"

namespace bth::metrics {
namespace {

constexpr char kOther[] = "other";

CounterFamily AddOutcomes(Registry& registry, std::string_view name, std::string_view help) {
  CounterFamily family = registry.AddCounter(name, help);
  for (const char* result : {"accepted", "refused"}) family.With({{"result", result}});
  return family;
}

}  // namespace

AdmissionMetrics::AdmissionMetrics(Registry& registry, const std::vector<std::string>& paths)
    : client_(registry),
      requests_(registry.AddCounter("batholith_admission_requests_total",
                                    "HTTP requests to webhooks, by path and code.")),
      refusals_(registry.AddCounter("batholith_admission_refusals_total",
                                    "Objects that a webhook refused, by path and reason.")),
      in_flight_(registry
                     .AddGauge("batholith_admission_reviews_in_flight",
                               "Reviews that are being worked on.")
                     .With()),
      queues_(
          registry.AddGauge("batholith_admission_known_queues", "Queues that rules know.").With()),
      namespaces_(registry
                      .AddGauge("batholith_admission_known_namespaces",
                                "Namespaces with an annotation that rules ask for.")
                      .With()),
      limits_(registry.AddCounter("batholith_limit_reached_total",
                                  "How often a limit of the program was reached.")),
      reloads_(AddOutcomes(registry, "batholith_admission_conf_reloads_total",
                           "Reads of the file of --admission-conf, by result.")),
      registrations_(registry.AddCounter("batholith_admission_registrations_total",
                                         "Webhook configurations written, by result.")),
      certificate_(registry
                       .AddGauge("batholith_admission_certificate_expiry_seconds",
                                 "Unix time at which the certificate being served expires.")
                       .With()),
      access_(registry.AddCounter("batholith_admission_access_reviews_total",
                                  "Questions to the API server about the use of queues.")) {
  const CounterFamily reviews =
      registry.AddCounter("batholith_admission_reviews_total", "Reviews by path and verdict.");
  const HistogramFamily seconds = registry.AddHistogram(
      "batholith_admission_review_seconds", "From the request's last byte to its answer, by path.",
      ExponentialBuckets(0.00001, 2.5, 16));
  for (const std::string& path : paths) {
    paths_[path] = {.allowed = reviews.With({{"path", path}, {"verdict", "allowed"}}),
                    .refused = reviews.With({{"path", path}, {"verdict", "refused"}}),
                    .unanswered = reviews.With({{"path", path}, {"verdict", "unanswered"}}),
                    .seconds = seconds.With({{"path", path}})};
  }
  for (const char* limit : kAdmissionLimitNames) limits_.With({{"limit", limit}});
  for (const char* result : {"succeeded", "failed"}) {
    registrations_.With({{"result", result}});
    access_.With({{"result", result}});
  }
}

void AdmissionMetrics::Answered(std::string_view path, int code) {
  const std::lock_guard lock(mutex_);
  std::pair<std::string, int> key(paths_.contains(path) ? path : kOther, code);
  auto found = answers_.find(key);
  if (found == answers_.end()) {
    const Counter made =
        requests_.With({{"path", key.first}, {"code", std::to_string(key.second)}});
    found = answers_.emplace(std::move(key), made).first;
  }
  found->second.Increment();
}

void AdmissionMetrics::Reviewed(std::string_view path, ReviewOutcome outcome,
                                std::string_view reason, absl::Duration took) {
  const auto row = paths_.find(path);
  if (row == paths_.end()) return;
  PathSeries& series = row->second;
  series.seconds.Observe(ToSeconds(took));
  if (outcome == ReviewOutcome::kAllowed) return series.allowed.Increment();
  if (outcome == ReviewOutcome::kUnanswered) return series.unanswered.Increment();
  series.refused.Increment();
  const std::lock_guard lock(mutex_);
  std::pair<std::string, std::string> key(path, reason.empty() ? kOther : reason);
  if (reasons_.size() >= kReasonsMax && !reasons_.contains(key)) key.second = kOther;
  auto found = reasons_.find(key);
  if (found == reasons_.end()) {
    const Counter made = refusals_.With({{"path", key.first}, {"reason", key.second}});
    found = reasons_.emplace(std::move(key), made).first;
  }
  found->second.Increment();
}

void AdmissionMetrics::SetKnown(size_t queues, size_t namespaces) {
  queues_.Set(static_cast<double>(queues));
  namespaces_.Set(static_cast<double>(namespaces));
}

void AdmissionMetrics::Count(const CounterFamily& family, const char* label,
                             std::string_view value) {
  family.With({{label, std::string(value)}}).Increment();
}

void AdmissionMetrics::LimitReached(std::string_view limit) {
  Count(limits_, "limit", limit);
}

void AdmissionMetrics::FileReloaded(bool accepted) {
  Count(reloads_, "result", accepted ? "accepted" : "refused");
}

void AdmissionMetrics::Registered(bool succeeded) {
  Count(registrations_, "result", succeeded ? "succeeded" : "failed");
}

void AdmissionMetrics::CertificateServed(absl::Time valid_until) {
  certificate_.Set(absl::ToDoubleSeconds(valid_until - absl::UnixEpoch()));
}

void AdmissionMetrics::AccessAsked(bool answered) {
  Count(access_, "result", answered ? "succeeded" : "failed");
}

}  // namespace bth::metrics
