// What waits to be done for each batch job, and how soon after failures.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "controllers/job/request.h"

namespace bth::controllers {

// Requests of one job in order of arrival; of equal ones one waits. Thread: the executor's.
class JobInbox final {
 public:
  // Of one job: when it failed, and when to try again.
  struct Pace {
    int failures = 0;         // In a row.
    absl::Duration retry_at;  // Monotonic. The next attempt that counts.
    absl::Duration earliest;  // No attempt before, whatever happens.
    // What asks for no more than a look at the job may wait until then.
    absl::Duration looks_from;
  };

  void Put(const JobRequest& request);
  // Takes them all.
  std::vector<JobRequest> Take(const std::string& job_key);
  // In front of what came since.
  void PutBack(const std::string& job_key, std::vector<JobRequest> requests);

  struct Failure {
    absl::Duration started;  // Monotonic, as all times here.
    absl::Duration now;
    absl::Duration at_least;  // What the server asked for.
    absl::Duration pause_max;
  };
  void NoteFailure(const std::string& job_key, const Failure& failure);
  void NoteSuccess(const std::string& job_key, absl::Duration looks_from = absl::ZeroDuration());
  Pace PaceOf(const std::string& job_key) const;

  void DropJob(const std::string& job_key);

 private:
  struct Box {
    std::vector<JobRequest> requests;
    std::set<std::string> identities;
  };

  std::map<std::string, Box> boxes_;
  std::map<std::string, Pace> paces_;
};

}  // namespace bth::controllers
