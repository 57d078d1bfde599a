// Places a job whose pods are to be near to one another in the network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "actions/domain_failures.h"
#include "actions/most_scores.h"
#include "actions/task_placer.h"
#include "actions/worksheet.h"
#include "api/model/ids.h"
#include "framework/hooks/hook_types.h"
#include "framework/session/session.h"
#include "framework/session/statement.h"
#include "framework/topology/job_demand.h"
#include "framework/unschedulable/domain_lack.h"

namespace bth::actions {

// Tries the HyperNodes that plugins name, row by row, on the session itself, and takes the best of
// the first row that has one in which the gang comes about. Those that may be the best are tried
// first, and those in vain that cannot hold the gang are not tried at all. Cost: what it places on
// the way, and the HyperNodes of the rows. Thread: scheduling.
class DomainSearch {
 public:
  // Both outlive it.
  DomainSearch(framework::Session& session, TaskPlacer& placer)
      : session_(session), placer_(placer), failures_(session) {}

  // False: nothing of it stays placed, and its report says what the best HyperNodes lack.
  bool PlaceJob(model::JobId job, Worksheet& worksheet, framework::Statement& statement);

 private:
  struct Candidate {
    model::HyperNodeId id;
    double most = 0;  // It scores no more.
  };
  // What came of a trial: the tasks that are left, and how good the HyperNode is. AnyWorksheet is a
  // job's (Worksheet) or a sub-job's (SubJobWorksheet), here and below.
  template <typename AnyWorksheet>
  struct Trial {
    model::HyperNodeId inside;
    size_t at = 0;  // In the row.
    double score = 0;
    std::vector<framework::Statement::Placed> placed = {};
    AnyWorksheet rest;
  };
  struct Search {
    model::JobId job;
    model::HyperNodeId widest;  // Is tried, whatever is known beforehand.
    bool explains = false;      // Of a row of which nobody is tried otherwise, somebody is.
    // Null: what candidates score at most is known.
    const MostScores* most = nullptr;
    bool knows_most() const { return most == nullptr || most->hold(); }
  };

  // Some sub-job that is to stay together needs less for its minimum than waits of it.
  bool CanDoWithLess(model::JobId job, const Worksheet& worksheet) const;
  bool PlaceInBest(model::JobId job, const framework::HyperNodeGradient& gradient,
                   Worksheet& worksheet, framework::Statement& statement);
  // Tries those first that may be the best; its score. Nothing: in none of them anything comes
  // about. `attempt` places (HyperNode, tasks that are left, score).
  template <typename AnyWorksheet, typename Attempt>
  std::optional<double> PlaceInBestOf(const Search& search, std::vector<Candidate> candidates,
                                      AnyWorksheet& worksheet, framework::Statement& statement,
                                      const Attempt& attempt);
  struct ComesLater;
  // Takes one out of the heap `left`, which are places in `candidates`.
  static size_t Take(size_t next, absl::Span<const Candidate> candidates,
                     std::vector<size_t>* left);
  bool WantsRoomiest(const Worksheet& worksheet, model::HyperNodeId next) const;
  bool WantsRoomiest(const SubJobWorksheet& worksheet, model::HyperNodeId next) const;
  int64_t RoomOf(const Worksheet& worksheet, model::HyperNodeId id) const;
  int64_t RoomOf(const SubJobWorksheet& worksheet, model::HyperNodeId id) const;
  // Its place in `left`.
  template <typename AnyWorksheet>
  size_t RoomiestOf(const AnyWorksheet& worksheet, absl::Span<const Candidate> candidates,
                    absl::Span<const size_t> left) const;
  const framework::GangDemand& DemandOf(const SubJobWorksheet& worksheet) const {
    return demand_->Of(worksheet.sub_job);
  }
  // All that waits of it is alike.
  bool IsAlike(const Worksheet& worksheet) const;
  bool IsAlike(const SubJobWorksheet& worksheet) const;
  bool MayHold(const Worksheet& worksheet, model::HyperNodeId inside) const;
  bool MayHold(const SubJobWorksheet& worksheet, model::HyperNodeId inside) const;
  bool TryJob(model::JobId job, model::HyperNodeId inside, Worksheet& worksheet,
              framework::Statement& statement, double* score);
  // Nothing: it finds no room in it. Else how good its place is.
  std::optional<double> PlaceSubJob(model::JobId job, model::HyperNodeId inside,
                                    SubJobWorksheet& worksheet, framework::Statement& statement);
  // The same in one row, of a sub-job of which something has a place already.
  std::optional<double> PlaceBesidePlaced(const Search& search,
                                          const std::vector<model::HyperNodeId>& row,
                                          SubJobWorksheet& worksheet,
                                          framework::Statement& statement);
  bool TrySubJob(model::JobId job, model::HyperNodeId inside, SubJobWorksheet& worksheet,
                 framework::Statement& statement);
  void LearnLeast(model::JobId job, const SubJobWorksheet& worksheet,
                  framework::Statement::Mark before, framework::Statement& statement);
  void Explain(model::JobId job, const framework::HyperNodeGradient& gradient,
               const Worksheet& worksheet, framework::Statement& statement);

  framework::Session& session_;
  TaskPlacer& placer_;
  // Of the job at hand.
  DomainFailures failures_;
  std::optional<framework::JobDemand> demand_;
  std::optional<MostScores> most_;
  // Of whose sub-jobs it is known how few tasks are not enough.
  absl::flat_hash_set<const framework::GangDemand*> learned_;
  // Of the trial at hand: whose lack was found out by trying, and not from what is known.
  absl::flat_hash_set<const framework::GangDemand*> explained_;
  bool least_ = false;         // Of sub-jobs no more than their minimum has to find room.
  bool explains_all_ = false;  // Each sub-job is tried, for its reasons.
  framework::DomainLack lack_;
  int64_t refusals_ = 0;   // Where sub-jobs found no place, beside the refusals of nodes.
  bool hopeless_ = false;  // The last row failed for reasons that are the same everywhere.
};

}  // namespace bth::actions
