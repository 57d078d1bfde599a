// Places a job whose pods are to be near to one another in the network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "actions/task_placer.h"
#include "actions/worksheet.h"
#include "api/model/ids.h"
#include "base/ids.h"
#include "framework/session/session.h"
#include "framework/session/statement.h"
#include "framework/topology/gang_demand.h"
#include "framework/unschedulable/domain_lack.h"

namespace bth::actions {

// Tries the HyperNodes that plugins name, row by row, on the session itself, and takes the best of
// the first row that has one in which the gang comes about. Those that may be the best are tried
// first, and those in vain that cannot hold the gang are not tried at all. Cost: what it places on
// the way, and the HyperNodes of the rows.
// Thread: scheduling.
class DomainSearch {
 public:
  // Both outlive it.
  DomainSearch(framework::Session& session, TaskPlacer& placer)
      : session_(session), placer_(placer) {}

  // False: nothing of it stays placed, and its report says what the best HyperNodes lack.
  bool PlaceJob(model::JobId job, Worksheet& worksheet, framework::Statement& statement);

 private:
  struct Candidate {
    model::HyperNodeId id;
    double most = 0;  // It scores no more.
  };
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();
  // What came of a trial: the tasks that are left, and how good the HyperNode is.
  template <typename Sheet>
  struct Trial {
    model::HyperNodeId inside;
    size_t at = 0;  // In the row.
    double score = 0;
    std::vector<framework::Statement::Placed> placed = {};
    Sheet rest;
  };
  struct Search {
    model::JobId job;
    model::HyperNodeId widest;  // Is tried, whatever is known beforehand.
    bool explains = false;      // Of a row of which nobody is tried otherwise, somebody is.
  };
  // The best that failed at one tier.
  struct Failure {
    model::HyperNodeId inside;
    int32_t placed = 0;
    std::string why;
  };

  bool PlaceInBest(model::JobId job, Worksheet& worksheet, framework::Statement& statement);
  std::vector<Candidate> CandidatesFor(model::JobId job, const Worksheet& worksheet,
                                       const std::vector<model::HyperNodeId>& row) const;
  // Tries those first that may be the best; its score. Nothing: in none of them anything comes
  // about. `attempt` places (HyperNode, tasks that are left, score).
  template <typename Sheet, typename Attempt>
  std::optional<double> PlaceInBestOf(const Search& search, std::vector<Candidate> candidates,
                                      Sheet& worksheet, framework::Statement& statement,
                                      const Attempt& attempt);
  struct ComesLater;
  // Takes one out of the heap `left`, which are places in `candidates`.
  static size_t Take(size_t next, absl::Span<const Candidate> candidates,
                     std::vector<size_t>* left);
  bool WantsRoomiest(const Worksheet& worksheet, model::HyperNodeId next) const;
  bool WantsRoomiest(const SubJobWorksheet& worksheet, model::HyperNodeId next) const;
  // Its place in `left`.
  size_t RoomiestOf(const Worksheet& worksheet, absl::Span<const Candidate> candidates,
                    absl::Span<const size_t> left) const;
  size_t RoomiestOf(const SubJobWorksheet& worksheet, absl::Span<const Candidate> candidates,
                    absl::Span<const size_t> left) const;
  // Of a job of one sub-job: where its sums would do.
  void FindSuited(model::JobId job, const Worksheet& worksheet);
  bool IsSuited(model::HyperNodeId id) const { return suited_.empty() || suited_[id] != 0; }
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
  void NoteFailure(model::JobId job, model::HyperNodeId inside);
  std::string NameOf(model::HyperNodeId id) const;
  std::string LackAt(int32_t tier, const framework::GangDemand& demand) const;
  std::string LackByTier(model::JobId job) const;
  void Explain(model::JobId job, const Worksheet& worksheet, framework::Statement& statement);

  framework::Session& session_;
  TaskPlacer& placer_;
  // Of the job at hand.
  std::map<int32_t, Failure> failures_;  // By tier.
  absl::flat_hash_map<model::SubJobId, framework::GangDemand> demands_;
  // HyperNodes that the only sub-job may be tried in, or that such are in; empty: all.
  IdVector<model::HyperNodeId, uint8_t> suited_;
  framework::DomainLack lack_;
  int64_t refusals_ = 0;   // Where sub-jobs found no place, beside the refusals of nodes.
  bool hopeless_ = false;  // The last row failed for reasons that are the same everywhere.
};

}  // namespace bth::actions
