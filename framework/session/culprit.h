// Whose fault a defect is.
#pragma once

#include "api/model/ids.h"

namespace bth::framework {

// Thread: scheduling.
class Culprit {
 public:
  // Calls `work`, which is about that job and no other: a defect in it is the job's. The innermost
  // call counts.
  template <typename Work>
  decltype(auto) WorkOn(model::JobId job, const Work& work) {
    try {
      return work();
    } catch (...) {
      if (!job_.valid()) job_ = job;
      throw;
    }
  }
  // The job that a defect was found in; invalid: none was, or nobody knows.
  model::JobId job() const { return job_; }

 private:
  model::JobId job_;
};

}  // namespace bth::framework
