// Places a job whose pods are to be near to one another in the network.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actions/task_placer.h"
#include "actions/worksheet.h"
#include "api/model/ids.h"
#include "framework/session/session.h"
#include "framework/session/statement.h"

namespace bth::actions {

// Tries the HyperNodes that plugins name, row by row, on the session itself, and takes the best of
// the first row that has one in which the gang comes about. Cost: what it places on the way.
// Thread: scheduling.
class DomainSearch {
 public:
  // Both outlive it.
  DomainSearch(framework::Session& session, TaskPlacer& placer)
      : session_(session), placer_(placer) {}

  // False: nothing of it stays placed, and its report says what the best HyperNodes lack.
  bool PlaceJob(model::JobId job, Worksheet& worksheet, framework::Statement& statement);

 private:
  // What came of a trial: the tasks that are left, and how good the HyperNode is.
  template <typename Sheet>
  struct Trial {
    model::HyperNodeId inside;
    double score = 0;
    std::vector<framework::Statement::Placed> placed;
    Sheet rest;
  };
  // The best that failed at one tier.
  struct Failure {
    model::HyperNodeId inside;
    int32_t placed = 0;
    std::string why;
  };

  bool PlaceInBest(model::JobId job, Worksheet& worksheet, framework::Statement& statement);
  bool TryJob(model::JobId job, model::HyperNodeId inside, Worksheet& worksheet,
              framework::Statement& statement, double* score);
  // Nothing: it finds no room in it. Else how good its place is.
  std::optional<double> PlaceSubJob(model::JobId job, model::HyperNodeId inside,
                                    SubJobWorksheet& worksheet, framework::Statement& statement);
  bool TrySubJob(model::JobId job, model::HyperNodeId inside, SubJobWorksheet& worksheet,
                 framework::Statement& statement);
  void NoteFailure(model::JobId job, model::HyperNodeId inside);
  void Explain(model::JobId job, const Worksheet& worksheet, framework::Statement& statement);

  framework::Session& session_;
  TaskPlacer& placer_;
  std::map<int32_t, Failure> failures_;  // Of the job at hand, by tier.
};

}  // namespace bth::actions
