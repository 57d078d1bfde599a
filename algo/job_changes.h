// Sums over all jobs, kept up to date by what changed between two snapshots.
#pragma once

#include <algorithm>
#include <memory>

#include "algo/gang_rules.h"
#include "api/model/snapshot.h"

namespace bth::algo {

// Remembers the jobs of the last snapshot (by sharing their chunks) and tells the difference to
// the next one. A sum kept with it costs a cycle what changed, not the number of jobs.
// Lives as long as the sum. Thread: one.
class JobChanges {
 public:
  struct Job {
    const model::JobRow& row;
    const model::JobCounts& counts;
  };

  // Calls `visit(id, before, now)` for each job that may have changed; null stands for a job that
  // did not or does not take part. When the resource dimensions changed, every old sum is void:
  // `restart()` comes first, and every job is visited as new.
  template <typename Restart, typename Visit>
  void Advance(const model::Snapshot& base, const Restart& restart, const Visit& visit) {
    if (dims_ != base.dims) {
      jobs_ = {};
      counts_ = {};
      dims_ = base.dims;
      restart();
    }
    static_assert(Rows::kRowsPerChunk == Counts::kRowsPerChunk);
    constexpr size_t kRows = Rows::kRowsPerChunk;
    const size_t chunks = std::max(jobs_.chunk_count(), base.jobs.chunk_count());
    for (size_t chunk = 0; chunk < chunks; ++chunk) {
      chunk = std::min(base.jobs.NextDifferentChunk(jobs_, chunk),
                       base.usage.jobs.NextDifferentChunk(counts_, chunk));
      if (chunk >= chunks) break;
      for (size_t i = chunk * kRows; i < (chunk + 1) * kRows; ++i) {
        VisitOne(model::JobId::FromIndex(i), base, visit);
      }
    }
    jobs_ = base.jobs;
    counts_ = base.usage.jobs;
  }

 private:
  using Rows = decltype(model::Snapshot::jobs);
  using Counts = decltype(model::Usage::jobs);

  template <typename Visit>
  void VisitOne(model::JobId id, const model::Snapshot& base, const Visit& visit) const {
    const bool was = jobs_.Contains(id) && TakesPart(jobs_[id]);
    const bool is = base.jobs.Contains(id) && TakesPart(base.jobs[id]);
    if (was && is) {
      const Job before{jobs_[id], counts_[id]};
      const Job now{base.jobs[id], base.usage.jobs[id]};
      visit(id, &before, &now);
    } else if (was) {
      const Job before{jobs_[id], counts_[id]};
      visit(id, &before, static_cast<const Job*>(nullptr));
    } else if (is) {
      const Job now{base.jobs[id], base.usage.jobs[id]};
      visit(id, static_cast<const Job*>(nullptr), &now);
    }
  }

  std::shared_ptr<const model::DimensionTable> dims_;
  Rows jobs_;
  Counts counts_;
};

}  // namespace bth::algo
