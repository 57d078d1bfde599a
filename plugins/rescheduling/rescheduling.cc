#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/status.h"
#include "base/strings.h"
#include "base/suggest.h"
#include "framework/session/session.h"
#include "plugins/factories.h"
#include "plugins/measured_load.h"
#include "plugins/rescheduling/low_node_utilization.h"

namespace bth::plugins {
namespace {

using framework::HookRegistrar;
using framework::Session;
using model::TaskId;
using rescheduling::LowNodeUtilization;
using rescheduling::Share;

constexpr absl::Duration kDefaultInterval = absl::Minutes(5);
constexpr std::string_view kLowNodeUtilization = "lowNodeUtilization";

struct ReschedulingOptions {
  absl::Duration interval = kDefaultInterval;
  std::vector<LowNodeUtilization> strategies;
};

// When it last named victims is kept between sessions. Thread: scheduling.
class Rescheduling final : public framework::Plugin {
 public:
  explicit Rescheduling(ReschedulingOptions options) : options_(std::move(options)) {}
  std::string_view name() const override { return "rescheduling"; }
  framework::AnswerSources answers_follow() const override { return 0; }
  bool follows_clock() const override { return true; }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    const absl::Time now = session.context().clock->Now();
    if (!last_run_) last_run_ = now;  // The first turn comes one interval after the start.
    if (*last_run_ + options_.interval >= now) return absl::OkStatus();
    last_run_ = now;
    const int64_t trusted_since = absl::ToUnixMicros(now - kLoadTrustedFor);
    hooks.VictimTasks([this, &session, trusted_since](absl::Span<const TaskId> tasks) {
      std::vector<TaskId> victims;
      for (const LowNodeUtilization& strategy : options_.strategies) {
        for (TaskId victim : rescheduling::ChooseVictims(strategy, session, tasks, trusted_since)) {
          victims.push_back(victim);
        }
      }
      return victims;
    });
    return absl::OkStatus();
  }

 private:
  const ReschedulingOptions options_;
  std::optional<absl::Time> last_run_;
};

absl::StatusOr<absl::Duration> ReadInterval(const conf::Arguments& args) {
  BTH_ASSIGN_OR_RETURN(const absl::Duration interval, args.Duration("interval", kDefaultInterval));
  if (interval >= absl::ZeroDuration()) return interval;
  args.Report("interval", "is negative; 5m is used instead");
  return kDefaultInterval;
}

// Sources measure averages over ten minutes, whatever is asked for.
absl::Status CheckPeriod(const conf::Arguments& args) {
  BTH_ASSIGN_OR_RETURN(const std::string period, args.String("metricsPeriod", ""));
  if (!period.empty() && period != "10m") {
    args.Report("metricsPeriod", "has no effect: node loads are averages over 10m");
  }
  return absl::OkStatus();
}

absl::StatusOr<Share> ReadShare(const conf::Arguments& params, std::string_view key) {
  Share share;
  const conf::Value* value = params.Find(key);
  if (value == nullptr || value->is_null()) return share;
  if (!value->is_map()) {
    params.Report(key, "is no map; 100 is used for cpu and memory");
    return share;
  }
  BTH_ASSIGN_OR_RETURN(const conf::Arguments section, params.Section(key));
  BTH_ASSIGN_OR_RETURN(share.cpu, section.Int("cpu", share.cpu));
  BTH_ASSIGN_OR_RETURN(share.memory, section.Int("memory", share.memory));
  for (const std::string_view unused : {"pod", "pods"}) {
    if (section.Has(unused)) section.Report(unused, "has no effect: only cpu and memory count");
  }
  return share;
}

absl::StatusOr<LowNodeUtilization> ReadLowNodeUtilization(const conf::Arguments& entry) {
  LowNodeUtilization out;
  const conf::Value* value = entry.Find("params");
  if (value == nullptr || value->is_null()) return out;
  if (!value->is_map()) {
    entry.Report("params", "is no map; the defaults are used");
    return out;
  }
  BTH_ASSIGN_OR_RETURN(const conf::Arguments params, entry.Section("params"));
  BTH_ASSIGN_OR_RETURN(out.thresholds, ReadShare(params, "thresholds"));
  // Without them nothing else counts, as in Volcano.
  const bool has_thresholds = params.Has("thresholds") && params.Find("thresholds")->is_map();
  if (has_thresholds) {
    BTH_ASSIGN_OR_RETURN(out.target_thresholds, ReadShare(params, "targetThresholds"));
  } else if (params.Has("targetThresholds")) {
    params.Report("targetThresholds",
                  "has no effect without a map of thresholds beside it; 100 is used for cpu and "
                  "memory");
  }
  for (const std::string_view unused :
       {"nodeFit", "numberOfNodes", "thresholdPriorityClassName", "thresholdPriority"}) {
    if (params.Has(unused)) {
      params.Report(unused,
                    "has no effect, as in Volcano: only thresholds and targetThresholds are "
                    "looked at");
    }
  }
  return out;
}

absl::StatusOr<ReschedulingOptions> ReadOptions(const conf::Arguments& args) {
  ReschedulingOptions out;
  BTH_ASSIGN_OR_RETURN(out.interval, ReadInterval(args));
  BTH_RETURN_IF_ERROR(CheckPeriod(args));
  for (const std::string_view unused : {"queueSelector", "labelSelector"}) {
    if (args.Has(unused)) args.Report(unused, "has no effect: pods of all queues are looked at");
  }
  BTH_ASSIGN_OR_RETURN(const std::vector<conf::Arguments> entries, args.Sections("strategies"));
  if (entries.empty()) out.strategies.emplace_back();
  for (const conf::Arguments& entry : entries) {
    BTH_ASSIGN_OR_RETURN(const std::string name, entry.String("name", ""));
    if (name != kLowNodeUtilization) {
      entry.Report("name",
                   StrCat("no such strategy, left out", DidYouMean(name, {kLowNodeUtilization})));
      entry.Find("params");
      continue;
    }
    BTH_ASSIGN_OR_RETURN(LowNodeUtilization strategy, ReadLowNodeUtilization(entry));
    out.strategies.push_back(strategy);
  }
  return out;
}

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateRescheduling(const conf::Arguments& args) {
  BTH_ASSIGN_OR_RETURN(ReschedulingOptions options, ReadOptions(args));
  return std::make_unique<Rescheduling>(std::move(options));
}

}  // namespace bth::plugins
