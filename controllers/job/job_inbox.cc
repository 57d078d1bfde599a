#include "controllers/job/job_inbox.h"

#include <algorithm>

#include "base/doubled.h"

namespace bth::controllers {
namespace {

constexpr absl::Duration kPauseMin = absl::Milliseconds(5);
// News of a failing job is acted on at most so often.
constexpr absl::Duration kNewsPause = absl::Seconds(1);

}  // namespace

void JobInbox::Put(const JobRequest& request) {
  Box& box = boxes_[JobKey(request)];
  if (box.identities.insert(IdentityOf(request)).second) box.requests.push_back(request);
}

std::vector<JobRequest> JobInbox::Take(const std::string& job_key) {
  const auto found = boxes_.find(job_key);
  if (found == boxes_.end()) return {};
  std::vector<JobRequest> requests = std::move(found->second.requests);
  boxes_.erase(found);
  return requests;
}

void JobInbox::PutBack(const std::string& job_key, std::vector<JobRequest> requests) {
  for (JobRequest& later : Take(job_key)) requests.push_back(std::move(later));
  for (const JobRequest& request : requests) Put(request);
}

void JobInbox::NoteFailure(const std::string& job_key, const Failure& failure) {
  Pace& pace = paces_[job_key];
  // An attempt out of turn neither counts nor moves the next turn.
  if (failure.started < pace.retry_at) {
    pace.earliest = failure.now + std::max(kNewsPause, failure.at_least);
    return;
  }
  const absl::Duration pause =
      std::max(Doubled(kPauseMin, pace.failures, failure.pause_max), failure.at_least);
  ++pace.failures;
  pace.retry_at = failure.now + pause;
  pace.earliest = failure.now + std::max(std::min(pause, kNewsPause), failure.at_least);
}

void JobInbox::NoteSuccess(const std::string& job_key, absl::Duration looks_from) {
  paces_.erase(job_key);
  if (looks_from > absl::ZeroDuration()) paces_[job_key].looks_from = looks_from;
}

JobInbox::Pace JobInbox::PaceOf(const std::string& job_key) const {
  const auto found = paces_.find(job_key);
  return found == paces_.end() ? Pace() : found->second;
}

void JobInbox::DropJob(const std::string& job_key) {
  boxes_.erase(job_key);
  paces_.erase(job_key);
}

}  // namespace bth::controllers
