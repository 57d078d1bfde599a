// What rules know beside the object: flags, and the cluster as far as it was read.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/queue.h"

namespace bth::admission {

class ResourceGroups;  // resource_groups.h: the file of --admission-conf.

struct Settings {
  std::vector<std::string> scheduler_names = {"volcano"};
  int max_queue_depth = 5;
  bool protect_root_queue = true;
  bool check_allocated_pods = false;              // --enable-queue-allocated-pods-check
  bool scheduling_gates_queue_admission = false;  // Feature gates.
  bool pod_level_resources = true;
  // --check-queue-access: pod groups that are moved to another queue are looked at, too.
  bool check_queue_access = false;
  // Null: no file was loaded, which also turns scheduling gates off (as in Volcano).
  std::shared_ptr<const ResourceGroups> resource_groups;

  bool IsOurs(std::string_view scheduler_name) const;
};

// Queues, namespaces and job templates as last heard of: may lag behind the API server. Thread: the
// caller's.
class Known {
 public:
  virtual ~Known() = default;
  // Null: there is none. Pointers live until the caller lets its thread go on.
  virtual const types::Queue* FindQueue(std::string_view name) const = 0;
  // Queues whose spec.parent is exactly `parent` (not empty), by name.
  virtual std::vector<const types::Queue*> ChildrenOf(std::string_view parent) const = 0;
  // Calls `visit` for every queue, by name, until it returns false.
  virtual void ForEachQueue(const std::function<bool(const types::Queue&)>& visit) const = 0;
  // Nothing: no such namespace or no such annotation.
  virtual std::optional<std::string> NamespaceAnnotation(std::string_view ns,
                                                         std::string_view key) const = 0;
  // spec.queue of a JobTemplate, as it is written. Nothing: there is none, or nobody follows them.
  virtual std::optional<std::string> JobTemplateQueue(std::string_view /*ns*/,
                                                      std::string_view /*name*/) const {
    return std::nullopt;
  }
};

// Whether jobs and pod groups may be submitted to it. A queue that no controller has looked at yet
// has no state, and is open.
bool IsOpen(const types::Queue& queue);

// `queue.scheduling.volcano.sh "name" not found`: what clients say of a queue that is not there.
std::string QueueNotFound(std::string_view name);

}  // namespace bth::admission
