// Counts of admission calls under the names of Kubernetes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace bth::apiserver {

// Labels of names come from configurations: beyond kSeriesMax different series of a family, further
// ones are counted under the name "other". Thread: the executor's.
class AdmissionMetrics {
 public:
  static constexpr size_t kSeriesMax = 512;

  struct Call {
    std::string_view name;
    std::string_view type;  // "admit" or "validating".
    std::string_view operation;
    absl::Duration took;
    bool rejected = false;
    int code = 200;                    // Of the refusal or failure.
    std::string_view error_type = {};  // Of a rejection; empty: none.
  };
  void Called(const Call& call);
  void FailedOpen(std::string_view name, std::string_view type);

  // `kind`: "webhook" or "policy".
  struct Condition {
    std::string_view name;
    std::string_view kind;
    std::string_view type;
    std::string_view operation;
  };
  void ConditionFailed(const Condition& condition);
  void ConditionExcluded(const Condition& condition);
  // One policy with one binding; `action` is empty for mutating ones.
  struct Check {
    std::string_view policy;
    std::string_view binding;
    std::string_view error_type;
    std::string_view action;
    absl::Duration took;
  };
  void Checked(const Check& check);

  // Families without series are left out.
  void AppendTo(std::string* out) const;

 private:
  static constexpr size_t kBuckets = 8;
  struct Histogram {
    std::array<uint64_t, kBuckets> buckets{};
    uint64_t count = 0;
    double sum = 0;
  };
  using Counters = std::map<std::string, uint64_t>;  // By the text of their labels.
  using Histograms = std::map<std::string, Histogram>;

  static void Observe(Histograms& family, std::string labels, std::string other,
                      absl::Duration took, const std::array<double, kBuckets>& bounds);

  Histograms durations_;
  Counters rejections_;
  Counters failed_open_;
  Counters requests_;
  Counters condition_errors_;
  Counters condition_exclusions_;
  Counters validating_checks_;
  Counters mutating_checks_;
  Histograms validating_durations_;
  Histograms mutating_durations_;
};

}  // namespace bth::apiserver
