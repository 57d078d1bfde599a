#include "apiserver/matching/admission_metrics.h"

#include <initializer_list>
#include <utility>

#include "base/strings.h"

namespace bth::apiserver {
namespace {

constexpr std::array<double, 8> kCallBounds = {0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25};
constexpr std::array<double, 8> kCheckBounds = {0.0000005, 0.00001, 0.0001, 0.001,
                                                0.01,      0.1,     1,      10};
constexpr std::string_view kOther = "other";

using Label = std::pair<std::string_view, std::string_view>;

std::string SeriesLabels(std::initializer_list<Label> labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    StrAppend(&text, text.empty() ? "" : ",", name, "=\"");
    for (const char c : value) {
      if (c == '"' || c == '\\') text.push_back('\\');
      text.push_back(c == '\n' ? ' ' : c);
    }
    text.push_back('"');
  }
  return text;
}

void Increment(std::map<std::string, uint64_t>& family, std::string labels, std::string other) {
  const auto found = family.find(labels);
  if (found != family.end()) {
    ++found->second;
  } else if (family.size() < AdmissionMetrics::kSeriesMax) {
    family.emplace(std::move(labels), 1);
  } else {
    ++family[std::move(other)];
  }
}

std::string ConditionLabels(const AdmissionMetrics::Condition& condition, std::string_view name) {
  return SeriesLabels({{"name", name},
                       {"kind", condition.kind},
                       {"type", condition.type},
                       {"operation", condition.operation}});
}

void AppendHead(std::string* out, std::string_view name, std::string_view type,
                std::string_view help) {
  StrAppend(out, "# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n");
}

void AppendCounters(std::string* out, std::string_view name, std::string_view help,
                    const std::map<std::string, uint64_t>& family) {
  if (family.empty()) return;
  AppendHead(out, name, "counter", help);
  for (const auto& [labels, count] : family) {
    StrAppend(out, name, "{", labels, "} ", count, "\n");
  }
}

template <typename Family>
void AppendHistograms(std::string* out, std::string_view name, std::string_view help,
                      const Family& family, const std::array<double, 8>& bounds) {
  if (family.empty()) return;
  AppendHead(out, name, "histogram", help);
  for (const auto& [labels, histogram] : family) {
    for (size_t i = 0; i < bounds.size(); ++i) {
      StrAppend(out, name, "_bucket{", labels, ",le=\"", bounds[i], "\"} ", histogram.buckets[i],
                "\n");
    }
    StrAppend(out, name, "_bucket{", labels, ",le=\"+Inf\"} ", histogram.count, "\n");
    StrAppend(out, name, "_sum{", labels, "} ", histogram.sum, "\n");
    StrAppend(out, name, "_count{", labels, "} ", histogram.count, "\n");
  }
}

}  // namespace

void AdmissionMetrics::Observe(Histograms& family, std::string labels, std::string other,
                               absl::Duration took, const std::array<double, kBuckets>& bounds) {
  const bool known = family.contains(labels) || family.size() < kSeriesMax;
  Histogram& histogram = family[known ? std::move(labels) : std::move(other)];
  const double seconds = absl::ToDoubleSeconds(took);
  for (size_t i = 0; i < bounds.size(); ++i) histogram.buckets[i] += seconds <= bounds[i] ? 1 : 0;
  ++histogram.count;
  histogram.sum += seconds;
}

void AdmissionMetrics::Called(const Call& call) {
  const std::string_view rejected = call.rejected ? "true" : "false";
  const std::string code = StrCat(call.code);
  auto duration = [&](std::string_view name) {
    return SeriesLabels({{"name", name},
                         {"type", call.type},
                         {"operation", call.operation},
                         {"rejected", rejected}});
  };
  auto request = [&](std::string_view name) {
    return SeriesLabels({{"name", name},
                         {"type", call.type},
                         {"operation", call.operation},
                         {"code", code},
                         {"rejected", rejected}});
  };
  Observe(durations_, duration(call.name), duration(kOther), call.took, kCallBounds);
  Increment(requests_, request(call.name), request(kOther));
  if (!call.rejected) return;
  auto rejection = [&](std::string_view name) {
    const bool refused = call.error_type == "no_error";
    return SeriesLabels({{"name", name},
                         {"type", call.type},
                         {"operation", call.operation},
                         {"error_type", call.error_type},
                         {"rejection_code", refused ? std::string_view(code) : "0"}});
  };
  Increment(rejections_, rejection(call.name), rejection(kOther));
}

void AdmissionMetrics::FailedOpen(std::string_view name, std::string_view type) {
  Increment(failed_open_, SeriesLabels({{"name", name}, {"type", type}}),
            SeriesLabels({{"name", kOther}, {"type", type}}));
}

void AdmissionMetrics::ConditionFailed(const Condition& condition) {
  Increment(condition_errors_, ConditionLabels(condition, condition.name),
            ConditionLabels(condition, kOther));
}

void AdmissionMetrics::ConditionExcluded(const Condition& condition) {
  Increment(condition_exclusions_, ConditionLabels(condition, condition.name),
            ConditionLabels(condition, kOther));
}

void AdmissionMetrics::Checked(const Check& check) {
  const bool mutating = check.action.empty();
  auto labels = [&](std::string_view policy, std::string_view binding) {
    if (mutating) {
      return SeriesLabels(
          {{"policy", policy}, {"policy_binding", binding}, {"error_type", check.error_type}});
    }
    return SeriesLabels({{"policy", policy},
                         {"policy_binding", binding},
                         {"error_type", check.error_type},
                         {"enforcement_action", check.action}});
  };
  Increment(mutating ? mutating_checks_ : validating_checks_, labels(check.policy, check.binding),
            labels(kOther, kOther));
  Observe(mutating ? mutating_durations_ : validating_durations_,
          labels(check.policy, check.binding), labels(kOther, kOther), check.took, kCheckBounds);
}

void AdmissionMetrics::AppendTo(std::string* out) const {
  AppendHistograms(out, "apiserver_admission_webhook_admission_duration_seconds",
                   "Time that webhooks took, by name, type and operation.", durations_,
                   kCallBounds);
  AppendCounters(out, "apiserver_admission_webhook_rejection_count",
                 "Writes that webhooks refused, or failed to judge.", rejections_);
  AppendCounters(out, "apiserver_admission_webhook_fail_open_count",
                 "Failed calls that were ignored, as the webhook asks for.", failed_open_);
  AppendCounters(out, "apiserver_admission_webhook_request_total",
                 "Calls of webhooks by their outcome.", requests_);
  AppendCounters(out, "apiserver_admission_match_condition_evaluation_errors_total",
                 "Match conditions that could not be told.", condition_errors_);
  AppendCounters(out, "apiserver_admission_match_condition_exclusions_total",
                 "Writes that match conditions left out.", condition_exclusions_);
  AppendCounters(out, "apiserver_validating_admission_policy_check_total",
                 "Checks of validating policies by what came of them.", validating_checks_);
  AppendHistograms(out, "apiserver_validating_admission_policy_check_duration_seconds",
                   "Time that validating policies took.", validating_durations_, kCheckBounds);
  AppendCounters(out, "apiserver_mutating_admission_policy_check_total",
                 "Checks of mutating policies by what came of them.", mutating_checks_);
  AppendHistograms(out, "apiserver_mutating_admission_policy_check_duration_seconds",
                   "Time that mutating policies took.", mutating_durations_, kCheckBounds);
}

}  // namespace bth::apiserver
