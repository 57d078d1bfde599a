// What the scheduler itself says: its debug pages, read through the API server's proxy of Services,
// so that RBAC decides who may ask.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "api/types/json.h"
#include "cli/command/flag_set.h"
#include "cli/session/cluster.h"

namespace bth::cli {

// The Service that deploy/ makes, and vc-standalone.
struct SchedulerFlags {
  std::string service = "volcano-system/volcano-scheduler-explain";  // Empty: it is not asked.
};
void AddSchedulerFlags(SchedulerFlags* target, FlagSet* flags);

// The page, or why there is none; neither when nobody was to be asked.
struct SchedulerAnswer {
  std::optional<types::Json> page;
  std::string why;
};

// GET /debug/PAGE?KEY=VALUE; without a key the page alone. Waits five seconds at most. Behind
// https:NAME:443 the scheduler wants to know who asks, and the token of a service account says it
// that may read these pages and nothing else (`volcano-explain`; the API server makes one); behind
// http:NAME:80 it does not.
SchedulerAnswer AskScheduler(Cluster& cluster, const SchedulerFlags& flags, const std::string& page,
                             const std::pair<std::string, std::string>& query);

}  // namespace bth::cli
