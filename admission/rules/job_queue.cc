#include "admission/rules/job_queue.h"

#include "base/strings.h"

namespace bth::admission {

std::string CheckJobQueue(std::string_view name, const Known& known) {
  const types::Queue* queue = known.FindQueue(name);
  if (queue == nullptr) return StrCat(" unable to find job queue: ", QueueNotFound(name), ";");
  std::string text;
  if (!IsOpen(*queue)) {
    StrAppend(&text, " can only submit job to queue with state `Open`, queue `", name,
              "` status is `", queue->status.state, "`;");
  }
  if (name == "root") return text + " can not submit job to root queue;";
  const size_t children = known.ChildrenOf(name).size();
  if (children > 0) {
    StrAppend(&text, " can only submit job to leaf queue, queue `", name, "` has ", children,
              " child queues;");
  }
  return text;
}

}  // namespace bth::admission
