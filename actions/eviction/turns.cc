#include "actions/eviction/turns.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "actions/eviction/starving_jobs.h"

namespace bth::actions::eviction {

using framework::Session;
using model::JobId;

void Turns::Run(const Session& session, QueueJobs& queues, WalkFn walk) {
  const std::string first = TakeFirst(session);
  bool begun = first.empty();
  QueueJobs postponed(session);
  walk(queues, [&](JobId job) {
    begun = begun || session.job(job).facts->uid == first;
    if (!begun) postponed.Add(job);
    return !begun;
  });
  walk(postponed, [](JobId) { return false; });
}

std::string Turns::TakeFirst(const Session& session) {
  const std::vector<std::string> cut_off = std::exchange(cut_off_, {});
  if (cut_off.empty()) return "";
  absl::flat_hash_set<std::string_view> waiting;
  for (JobId job : session.active_jobs()) {
    if (IsCandidate(session, job)) waiting.insert(session.job(job).facts->uid);
  }
  const auto first =
      std::find_if(cut_off.begin(), cut_off.end(),
                   [&waiting](const std::string& uid) { return waiting.contains(uid); });
  return first != cut_off.end() ? *first : "";
}

void Turns::CutOff(Session& session, JobId job) {
  session.NoteCutShort();
  cut_off_.push_back(session.job(job).facts->uid);
}

}  // namespace bth::actions::eviction
