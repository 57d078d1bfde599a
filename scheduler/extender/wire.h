// The objects of a session as extenders read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
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

// Which pods and nodes are written as the cluster has them; the others only by their names.
struct Documents {
  size_t bytes_max = SIZE_MAX;             // Larger ones are left out.
  std::map<size_t, size_t> left_out = {};  // How often that was done, by their bytes.

  bool has_all() const { return bytes_max == SIZE_MAX; }
  bool Keeps(const std::string& document);
};

// Null `documents`: all are kept.
std::string TaskText(const framework::Session& session, model::TaskId task, bool with_pod = true,
                     Documents* documents = nullptr);
// `tasks`: those on the node.
std::string NodeText(const framework::Session& session, model::NodeId node,
                     const std::vector<model::TaskId>& tasks, Documents* documents = nullptr);
std::string JobText(const framework::Session& session, model::JobId job,
                    Documents* documents = nullptr);
// At least as large are the texts with all documents. Cost: linear in the tasks, however large
// their pods.
size_t TaskBytesMin(const framework::Session& session, model::TaskId task);
size_t JobBytesMin(const framework::Session& session, model::JobId job);
size_t NodeBytesMin(const framework::Session& session, model::NodeId node,
                    const std::vector<model::TaskId>& tasks);
std::string QueueText(const framework::Session& session, model::QueueId queue);
// The request for the opening of a session; empty when it would be larger than `bytes_max`.
std::string SessionText(const framework::Session& session, NodeTasks& node_tasks, size_t bytes_max,
                        Documents* documents = nullptr);

struct TextBounds {
  size_t bytes_max;          // Of a text.
  size_t trimmed_bytes_max;  // Of one from which something is left out, if that is possible.
};
// What `write` gives with all documents or, where that would be too large, without the largest
// ones, so that pods of a few do not keep the others from being told of. `write` may stop or give
// nothing as soon as its text is too large. Empty: it is so without any document, too.
// Cost: three texts at most.
std::string TextWithin(TextBounds bounds, absl::FunctionRef<std::string(Documents&)> write,
                       Documents& documents);

}  // namespace bth::scheduler::extender
