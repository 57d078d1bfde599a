// Actions of policies that wait for their timeout.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "client/api_client.h"
#include "controllers/job/request.h"

namespace bth::controllers {

// At most one action of a kind waits per pod (or per job, for events that are not about a pod).
// What is due is handed to the job's own queue, so that nothing else works on the job meanwhile.
// Kept in memory only: after a restart, pods that are still pending start their time anew.
// Thread: the executor's.
class DelayedActions final {
 public:
  // `due` takes the request of an action whose time has come.
  DelayedActions(net::Executor& executor, std::function<void(JobRequest)> due)
      : executor_(executor), due_(std::move(due)) {}
  DelayedActions(const DelayedActions&) = delete;
  ~DelayedActions();

  // Without effect while the same action waits for a pod of that name, unless that one is of an
  // earlier incarnation, or was pending and is another one or so no more.
  void Add(JobRequest request, const types::Word<types::BusAction>& action, absl::Duration delay);
  // Drops what the event of `request` makes pointless: an action on a pending pod that is pending
  // no more, one on a lost pod that is back.
  void DropOutdatedBy(const JobRequest& request);
  // An action was carried out: drops those of the same level on the same job, task, pod or
  // partition.
  void DropSiblingsOf(const JobRequest& request, types::BusAction action);
  void DropJob(const std::string& job_key);

  size_t size() const;

 private:
  struct Entry {
    JobRequest request;
    net::Executor::TimerId timer = 0;
  };
  using Slot = std::pair<std::string, std::string>;  // Pod, action.
  using Slots = std::map<Slot, Entry>;

  template <typename Condition>
  void DropIf(const std::string& job_key, Condition condition);
  void Fire(const std::string& job_key, const Slot& slot);

  net::Executor& executor_;
  const std::function<void(JobRequest)> due_;
  std::map<std::string, Slots> jobs_;
};

}  // namespace bth::controllers
