#include "framework/session/cycle.h"

#include <algorithm>

#include "api/model/device_settings.h"
#include "base/status.h"
#include "base/strings.h"
#include "base/suggest.h"
#include "conf/refusals.h"
#include "framework/nodes/node_picker.h"
#include "framework/report/report.h"

namespace bth::framework {
namespace {

// Jobs that were looked at and are to be looked at again: tasks of theirs still wait, and no answer
// was kept.
int64_t LeftToDo(const Session& session, const UnschedulableJobs& kept) {
  int64_t count = 0;
  for (model::JobId job : session.active_jobs()) {
    const bool waits = session.counts(job).count(model::TaskStatus::kPending) > 0;
    count += waits && kept.AnswerOf(job) == nullptr ? 1 : 0;
  }
  return count;
}

void TellGateCounts(const GateCounts& counts, metrics::SchedulerMetrics& metrics) {
  // Of pods whose PodGroup does not exist no session has a list.
  for (auto i = static_cast<size_t>(Gate::kNoQueue); i < static_cast<size_t>(Gate::kBinding); ++i) {
    const auto gate = static_cast<Gate>(i);
    metrics.SetHeldJobs(GateName(gate), counts.jobs(gate), counts.tasks(gate));
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<PolicyInstance>> PolicyInstance::Create(
    std::shared_ptr<const conf::Policy> policy, const Registry& registry,
    std::vector<conf::Finding>* findings, std::vector<std::string>* told) {
  auto instance = std::make_unique<PolicyInstance>();
  instance->policy_ = std::move(policy);
  conf::Refusals refusals;
  const auto note = [findings](const conf::Arguments& arguments) {
    for (conf::Finding& finding : arguments.Findings()) findings->push_back(std::move(finding));
  };
  for (size_t t = 0; t < instance->policy_->tiers.size(); ++t) {
    for (const conf::PluginOption& option : instance->policy_->tiers[t].plugins) {
      auto factory = registry.plugins.find(option.name);
      if (factory == registry.plugins.end()) {
        refusals.Note(absl::InvalidArgumentError(
            StrCat("line ", option.line, ": tiers[", t, "]: unknown plugin \"", option.name, "\"",
                   DidYouMean(option.name, registry.Names().plugins))));
        continue;
      }
      auto plugin = factory->second(option.arguments);
      if (!plugin.ok()) {
        refusals.Note(Annotate(plugin.status(), StrCat("plugin ", option.name)));
        continue;
      }
      for (const IdleArgument& idle : registry.idle_arguments) {
        const bool given = idle.plugin == option.name && option.arguments.Has(idle.key);
        if (given) option.arguments.Report(idle.key, std::string(idle.why));
      }
      note(option.arguments);
      instance->plugins_.push_back({static_cast<int>(t), &option, *std::move(plugin)});
    }
  }
  for (const std::string& name : instance->policy_->actions) {
    auto factory = registry.actions.find(name);
    if (factory == registry.actions.end()) {
      refusals.Note(absl::InvalidArgumentError(StrCat("actions: failed to find Action ", name,
                                                      DidYouMean(name, registry.Names().actions))));
      continue;
    }
    const conf::Arguments arguments = instance->policy_->ActionArgumentsOf(name);
    auto action = factory->second(arguments);
    if (!action.ok()) {
      refusals.Note(Annotate(action.status(), StrCat("action ", name)));
      continue;
    }
    note(arguments);
    instance->actions_.push_back(*std::move(action));
  }
  if (told != nullptr) *told = refusals.told();
  BTH_RETURN_IF_ERROR(refusals.status());
  const AnswerRules rules = instance->MakeRules();
  instance->evicts_ = rules.evicts;
  instance->unschedulable_ = std::make_unique<UnschedulableJobs>(rules);
  return instance;
}

AnswerRules PolicyInstance::MakeRules() const {
  AnswerRules rules{.sources = 0, .follows_clock = follows_clock()};
  for (const TieredPlugin& entry : plugins_) rules.sources |= entry.plugin->answers_follow();
  for (const std::unique_ptr<Action>& action : actions_) {
    if (!action->evicts()) continue;
    rules.evicts = true;
    if (const std::optional<VictimKind> kind = action->victim_kind()) {
      rules.victim_kinds.push_back(*kind);
    } else {
      rules.evicts_anybody = true;
    }
  }
  return rules;
}

bool PolicyInstance::follows_clock() const {
  return std::any_of(plugins_.begin(), plugins_.end(),
                     [](const TieredPlugin& entry) { return entry.plugin->follows_clock(); });
}

PluginNeeds PolicyInstance::needs() const {
  PluginNeeds needs;
  for (const TieredPlugin& entry : plugins_) entry.plugin->AddNeeds(needs);
  if (needs.devices != nullptr && needs.devices->cluster_reports != policy_->cluster_reports) {
    auto settings = std::make_shared<model::DeviceSettings>(*needs.devices);
    settings->cluster_reports = policy_->cluster_reports;
    needs.devices = std::move(settings);
  }
  return needs;
}

SessionContext PolicyInstance::Lend(SessionContext context, UnschedulableJobs& unschedulable) {
  context.policy = policy_.get();
  context.static_fits = &static_fits_;
  context.term_counters = &term_counters_;
  context.prospects = &prospects_;
  context.reasons = &reasons_;
  context.unschedulable = &unschedulable;
  return context;
}

Cycle::Cycle(PolicyInstance& policy, SessionContext context, bool looks_at_all)
    : policy_(policy),
      unschedulable_(looks_at_all ? looked_at_all_ : *policy.unschedulable_),
      session_(policy.Lend(std::move(context), unschedulable_)) {}

absl::Status Cycle::Open() {
  for (PolicyInstance::TieredPlugin& entry : policy_.plugins_) {
    const absl::Duration start = session_.context().clock->Monotonic();
    HookRegistrar hooks(session_.hooks(), {.tier = entry.tier, .plugin = entry.option->name},
                        *entry.option);
    if (absl::Status status = entry.plugin->OnSessionOpen(session_, hooks); !status.ok()) {
      return Annotate(status, StrCat("plugin ", entry.option->name, ": open session"));
    }
    if (metrics::SchedulerMetrics* metrics = session_.context().metrics) {
      metrics->PluginLatency(entry.option->name, metrics::SessionMoment::kOpen,
                             session_.context().clock->Monotonic() - start);
    }
  }
  session_.Freeze();
  if (policy_.evicts_) policy_.prospects_.Open(session_);
  unschedulable_.Open(session_);
  HoldJobsWithoutQueue(session_);
  TellIgnoredTopologies(session_);
  return absl::OkStatus();
}

absl::Status Cycle::RunActions() {
  const Clock& clock = *session_.context().clock;
  absl::Duration mark = clock.Monotonic();
  for (const std::unique_ptr<Action>& action : policy_.actions_) {
    if (action->evicts()) unschedulable_.PrepareEviction(session_);
    BTH_RETURN_IF_ERROR(action->Execute(session_));
    if (session_.placements().room_grew()) unschedulable_.ActivateHelpable(session_);
    const absl::Duration now = clock.Monotonic();
    stats_.actions.emplace_back(action->name(), now - mark);
    if (metrics::SchedulerMetrics* metrics = session_.context().metrics) {
      metrics->ActionLatency(action->name(), now - mark);
    }
    mark = now;
  }
  return absl::OkStatus();
}

GateCounts Cycle::gate_counts() const {
  GateCounts counts = unschedulable_.gate_counts();
  for (const std::vector<model::JobId>* jobs :
       {&session_.active_jobs(), &session_.jobs_without_queue()}) {
    for (model::JobId job : *jobs) {
      if (unschedulable_.AnswerOf(job) == nullptr) counts.Add(AtGate(session_, job));
    }
  }
  return counts;
}

absl::Status Cycle::Run() {
  const Clock& clock = *session_.context().clock;
  metrics::SchedulerMetrics* metrics = session_.context().metrics;
  const absl::Duration start = clock.Monotonic();
  BTH_RETURN_IF_ERROR(Open());
  stats_.open = clock.Monotonic() - start;
  if (metrics != nullptr) {
    metrics->SessionOpened(stats_.open);
    metrics->PhaseDone(metrics::Phase::kOpen, stats_.open);
  }
  const absl::Duration acting = clock.Monotonic();
  BTH_RETURN_IF_ERROR(RunActions());
  const absl::Duration acted = clock.Monotonic();
  if (metrics != nullptr) metrics->PhaseDone(metrics::Phase::kAction, acted - acting);
  for (const auto& entry : session_.hooks().on_close) {
    const absl::Duration before = clock.Monotonic();
    entry.fn();
    if (metrics != nullptr) {
      metrics->PluginLatency(entry.origin.plugin, metrics::SessionMoment::kClose,
                             clock.Monotonic() - before);
    }
  }
  unschedulable_.Close(session_);
  if (policy_.evicts_) policy_.prospects_.Close(session_);
  const absl::Duration closed = clock.Monotonic();
  policy_.queue_use_.Advance(session_);
  session_.context().sink->Report(MakeReport(session_, policy_.queue_use_));
  const absl::Duration end = clock.Monotonic();
  stats_.close = end - acted;
  stats_.total = end - start;
  stats_.jobs_considered = static_cast<int64_t>(session_.active_jobs().size());
  stats_.scans = static_cast<int64_t>(session_.picker().scans());
  stats_.index_builds = static_cast<int64_t>(session_.picker().index_builds());
  stats_.static_evaluations = static_cast<int64_t>(policy_.static_fits_.evaluations());
  if (metrics != nullptr) {
    metrics->PhaseDone(metrics::Phase::kClose, closed - acted);
    metrics->PhaseDone(metrics::Phase::kReport, end - closed);
    metrics->IndexLookups(static_cast<int64_t>(session_.picker().index_answers()), stats_.scans);
    metrics->SetPendingJobs(LeftToDo(session_, unschedulable_),
                            static_cast<int64_t>(unschedulable_.size()));
    TellGateCounts(gate_counts(), *metrics);
    metrics->CycleDone(stats_.total);
  }
  return absl::OkStatus();
}

}  // namespace bth::framework
