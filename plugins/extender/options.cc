#include "plugins/extender/options.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::plugins::extender {
namespace {

constexpr std::string_view kUrlKey = "extender.urlPrefix";
constexpr std::string_view kTimeoutKey = "extender.httpTimeout";

absl::StatusOr<absl::Duration> ReadTimeout(const conf::Arguments& args) {
  constexpr absl::Duration kDefault = absl::Seconds(1);
  constexpr absl::Duration kMost = absl::Minutes(1);
  BTH_ASSIGN_OR_RETURN(const absl::Duration timeout, args.Duration(kTimeoutKey, kDefault));
  if (timeout <= absl::ZeroDuration()) {
    args.Report(kTimeoutKey, "is not positive; 1s is used instead");
    return kDefault;
  }
  if (timeout > kMost) {
    args.Report(kTimeoutKey, "is longer than a minute; 1m is used instead");
    return kMost;
  }
  return timeout;
}

}  // namespace

bool Verbs::none() const {
  for (const std::string* verb :
       {&session_open, &session_close, &predicate, &prioritize, &preemptable, &reclaimable,
        &queue_overused, &job_enqueueable, &job_enqueued, &job_ready, &allocate, &deallocate}) {
    if (!verb->empty()) return false;
  }
  return true;
}

absl::StatusOr<Options> ReadOptions(const conf::Arguments& args) {
  Options out;
  BTH_ASSIGN_OR_RETURN(out.url, args.String(kUrlKey, ""));
  while (out.url.ends_with('/')) out.url.pop_back();
  BTH_ASSIGN_OR_RETURN(out.timeout, ReadTimeout(args));
  const std::pair<std::string_view, std::string*> verbs[] = {
      {"extender.onSessionOpenVerb", &out.verbs.session_open},
      {"extender.onSessionCloseVerb", &out.verbs.session_close},
      {"extender.predicateVerb", &out.verbs.predicate},
      {"extender.prioritizeVerb", &out.verbs.prioritize},
      {"extender.preemptableVerb", &out.verbs.preemptable},
      {"extender.reclaimableVerb", &out.verbs.reclaimable},
      {"extender.queueOverusedVerb", &out.verbs.queue_overused},
      {"extender.jobEnqueueableVerb", &out.verbs.job_enqueueable},
      {"extender.jobEnqueuedVerb", &out.verbs.job_enqueued},
      {"extender.jobReadyVerb", &out.verbs.job_ready},
      {"extender.allocateFuncVerb", &out.verbs.allocate},
      {"extender.deallocateFuncVerb", &out.verbs.deallocate},
  };
  for (const auto& [key, verb] : verbs) {
    BTH_ASSIGN_OR_RETURN(*verb, args.String(key, ""));
  }
  BTH_ASSIGN_OR_RETURN(out.ignorable, args.Bool("extender.ignorable", false));
  BTH_ASSIGN_OR_RETURN(out.managed_resources, args.Strings("extender.managedResources"));
  std::sort(out.managed_resources.begin(), out.managed_resources.end());
  const bool is_url = absl::StartsWith(out.url, "http://") || absl::StartsWith(out.url, "https://");
  if (!out.verbs.none() && !is_url) {
    return absl::InvalidArgumentError(StrCat(
        std::string(kUrlKey), ": verbs are given, but no URL such as http://localhost:8713"));
  }
  return out;
}

}  // namespace bth::plugins::extender
