// Asks the extender which nodes a task may use, and how good they are.
#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "framework/nodes/static_fit.h"
#include "framework/session/extender_port.h"
#include "framework/session/session.h"
#include "plugins/extender/line.h"
#include "plugins/extender/options.h"
#include "plugins/extender/verdicts.h"

namespace bth::plugins::extender {

// Only nodes that everything else lets the task use are asked about, all of them at once, and only
// again when the node has changed. Lives for one session. Thread: scheduling.
class NodeQuestions {
 public:
  NodeQuestions(const Options& options, Line& line, framework::ExtenderPort& port,
                framework::Session& session);

  // Asks about every node that is still in question.
  void AskAhead(model::TaskId task);
  // The extender's word, asked for now if need be; kFits where something else refuses the node.
  framework::ReasonId VerdictOn(model::TaskId task, model::NodeId node);
  // Adds the extender's scores. Not OK: there are none though there must be.
  absl::Status AddScores(model::TaskId task, absl::Span<const model::NodeId> nodes,
                         absl::Span<double> sum);
  // Why a task that needs the extender has to wait; kFits: it does not.
  framework::ReasonId HoldReason();

 private:
  bool IsCandidate(model::TaskId task, const framework::StaticFit& fit, model::NodeId node) const;
  void Ask(model::TaskId task, absl::Span<const model::NodeId> nodes);
  void AskPart(model::TaskId task, absl::Span<const model::NodeId> nodes);
  framework::ReasonId Reason(framework::FitCode code, const std::string& text);

  const Options& options_;
  Line& line_;
  framework::ExtenderPort& port_;
  framework::Session& session_;
  Verdicts verdicts_;
  const framework::ReasonId general_;
};

}  // namespace bth::plugins::extender
