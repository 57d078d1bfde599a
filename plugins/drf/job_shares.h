// What each job holds during a session, and its dominant share.
#pragma once

#include <cstdint>
#include <vector>

#include "algo/resource_algebra.h"
#include "api/model/snapshot.h"
#include "base/ids.h"

namespace bth::plugins::drf {

// A job starts with what its allocated tasks hold in the snapshot; pipelined tasks count only when
// they were pipelined in this session. Shares are computed when first asked for. Rows stay from
// session to session and are made anew when first touched: opening costs nothing per job.
// Thread: scheduling.
class JobShares {
 public:
  // Starts a session; `base` must outlive it.
  void Open(const model::Snapshot& base);

  double ShareOf(model::JobId job);
  model::ResourceVec AllocatedOf(model::JobId job) const;
  void Add(model::JobId job, const model::ResourceVec& amount);
  void Remove(model::JobId job, const model::ResourceVec& amount);

  // Jobs whose amount changed in this session, in order of their first change.
  const std::vector<model::JobId>& changed() const { return changed_; }

 private:
  static constexpr double kUnknown = -1;
  struct Row {
    uint64_t session = 0;  // In which the rest is true.
    double share = kUnknown;
    int32_t change_at = -1;  // Position in `changes_`; -1: none.
  };
  Row& RowOf(model::JobId job);
  model::ResourceVec& ChangeOf(model::JobId job);

  const model::Snapshot* base_ = nullptr;
  uint64_t session_ = 0;
  IdVector<model::JobId, Row> rows_;
  std::vector<model::ResourceVec> changes_;
  std::vector<model::JobId> changed_;
};

}  // namespace bth::plugins::drf
