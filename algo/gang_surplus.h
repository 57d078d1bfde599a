// What a gang can lose without falling below one of its minimums.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "algo/gang_rules.h"
#include "api/model/ids.h"

namespace bth::algo {

// Counts down as tasks are taken away: what the job has beyond its minimum, each role beyond its
// own (where minimums of roles bind), and each group of sub-jobs beyond its number of ready ones.
// A sub-job that is not ready has nothing left to keep whole. Lives for one question. Cost: linear
// in the roles with a minimum, and in the sub-jobs where groups have minimums.
class GangSurplus {
 public:
  explicit GangSurplus(const JobView& job);

  // The job is below its minimum already.
  bool below_minimum() const { return left_ < 0; }
  // True when nothing falls below its minimum without `task`, which then counts as gone.
  bool Take(model::TaskId task);

 private:
  struct RoleLeft {
    model::RoleId role;
    int32_t left = 0;
  };
  RoleLeft* FindRole(model::RoleId role);
  // The ready tasks that the sub-job has beyond its minimum; negative: it is not ready.
  int32_t& MembersLeft(model::SubJobId sub_job);

  const JobView job_;
  int32_t left_ = 0;
  std::vector<RoleLeft> roles_;
  std::vector<int32_t> groups_;  // Ready sub-jobs beyond the group's minimum.
  absl::flat_hash_map<model::SubJobId, int32_t> members_left_;
};

}  // namespace bth::algo
