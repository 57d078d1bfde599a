// The objects of a session as extenders read them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/session/session.h"

namespace bth::scheduler::extender {

// Which tasks hold room on a node, or are pipelined to one, as things stand in a session.
class NodeTasks {
 public:
  // Cost: linear in all tasks, once for each change of the session.
  const std::vector<model::TaskId>& On(const framework::Session& session, model::NodeId node);
  void Forget() { known_ = false; }

 private:
  bool known_ = false;
  uint64_t version_ = 0;
  std::vector<std::vector<model::TaskId>> by_node_;
};

std::string TaskText(const framework::Session& session, model::TaskId task, bool with_pod = true);
// `tasks`: those on the node.
std::string NodeText(const framework::Session& session, model::NodeId node,
                     const std::vector<model::TaskId>& tasks);
std::string JobText(const framework::Session& session, model::JobId job);
std::string QueueText(const framework::Session& session, model::QueueId queue);
// The request for the opening of a session; empty when it would be larger than `bytes_max`.
std::string SessionText(const framework::Session& session, NodeTasks& node_tasks, size_t bytes_max);

}  // namespace bth::scheduler::extender
