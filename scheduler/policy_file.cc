#include "scheduler/policy_file.h"

#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/file.h"

namespace bth::scheduler {
namespace {

constexpr size_t kFileBytesMax = 1 << 20;

// Tiers are parted by semicolons.
void LogPolicy(std::string_view event, const std::string& path, const conf::Policy& policy) {
  std::vector<std::string> tiers;
  for (const conf::Tier& tier : policy.tiers) {
    std::vector<std::string> names;
    for (const conf::PluginOption& plugin : tier.plugins) names.push_back(plugin.name);
    tiers.push_back(absl::StrJoin(names, ", "));
  }
  Log(LogLevel::kInfo, event,
      {{"file", path.empty() ? std::string("none: the policy of the program") : path},
       {"actions", absl::StrJoin(policy.actions, ", ")},
       {"plugins", absl::StrJoin(tiers, "; ")}});
}

}  // namespace

PolicyFile::PolicyFile(net::Executor& executor, const framework::Registry& registry,
                       metrics::SchedulerMetrics* metrics, PolicyFileOptions options)
    : registry_(registry),
      metrics_(metrics),
      options_(std::move(options)),
      watch_(executor, {.path = options_.path, .poll = options_.poll}) {}

absl::StatusOr<std::unique_ptr<framework::PolicyInstance>> PolicyFile::Decide(bool at_start) {
  conf::ReloadRequest request;
  request.previous = at_start ? nullptr : policy_.get();
  request.path = options_.path;
  request.disable_default_scheduler_config = options_.disable_default;
  request.agent = options_.agent;
  if (!options_.path.empty()) {
    request.text = client::ReadSmallFile(options_.path, kFileBytesMax);
  }
  BTH_ASSIGN_OR_RETURN(conf::ReloadDecision decision,
                       conf::DecideReload(request, registry_.Names()));
  refusal_ = decision.error;
  if (at_start && !decision.error.ok()) return decision.error;
  if (!decision.policy) {
    if (!decision.error.ok()) return decision.error;
    return nullptr;
  }
  auto policy = std::make_shared<const conf::Policy>(*std::move(decision.policy));
  std::vector<conf::Finding> findings = std::move(decision.findings);
  auto instance = framework::PolicyInstance::Create(policy, registry_, &findings);
  if (!instance.ok()) {
    refusal_ = instance.status();
    return instance.status();
  }
  for (const conf::Finding& finding : findings) {
    Log(LogLevel::kWarning, "policy.finding", {{"finding", conf::ToString(finding)}});
  }
  policy_ = std::move(policy);
  return instance;
}

absl::StatusOr<std::unique_ptr<framework::PolicyInstance>> PolicyFile::Load() {
  watch_.Note();
  auto instance = Decide(true);
  if (!instance.ok()) {
    return Annotate(instance.status(), StrCat("scheduler configuration ", options_.path));
  }
  LogPolicy("policy.loaded", options_.path, *policy_);
  return instance;
}

absl::StatusOr<std::unique_ptr<framework::PolicyInstance>> PolicyFile::Remake() const {
  std::vector<conf::Finding> told_before;
  return framework::PolicyInstance::Create(policy_, registry_, &told_before);
}

void PolicyFile::Watch(Install install, Refused refused) {
  install_ = std::move(install);
  refused_ = std::move(refused);
  watch_.Start([this] { Reload(); });
}

void PolicyFile::Reload() {
  const bool was_refused = !refusal_.ok();
  auto instance = Decide(false);
  if (metrics_ != nullptr) metrics_->ConfReloaded(instance.ok());
  if (!instance.ok()) {
    Log(LogLevel::kError, "policy.refused",
        {{"file", options_.path},
         {"status", instance.status()},
         {"effect", "the former policy stays in force"}});
    if (refused_) refused_(instance.status());
    return;
  }
  if (*instance == nullptr) {
    if (was_refused) LogPolicy("policy.mended", options_.path, *policy_);
    return;
  }
  LogPolicy("policy.reloaded", options_.path, *policy_);
  if (install_) install_(*std::move(instance));
}

}  // namespace bth::scheduler
