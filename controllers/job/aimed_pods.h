// Pods that restarts of parts of batch jobs were aimed at, so that one restart answers all that had
// happened to them.
#pragma once

#include <map>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "controllers/job/request.h"

namespace bth::controllers {

struct KillPlan;

// Several pods of a part may fail, or be evicted, before its first restart marks them. Thread: the
// executor's.
class AimedPods final {
 public:
  void Note(const std::string& job_key, const KillPlan& plan);
  // The request asks once more for what was done to the part that its pod belongs to.
  bool Answer(const std::string& job_key, const JobRequest& request, types::BusAction action) const;
  // All that waited when the pass began is done: what comes from now on is about pods as they are
  // since, or waits already.
  void EndPass(const std::string& job_key);
  void DropJob(const std::string& job_key);

 private:
  struct Pods {
    absl::flat_hash_set<std::string> latest, before;  // Uids, of this pass and of the last one.
  };
  std::map<std::string, Pods> jobs_;
};

}  // namespace bth::controllers
