// Opens and closes queues, and counts what is in them.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "api/types/bus.h"
#include "api/types/pod_group.h"
#include "api/types/queue.h"
#include "controllers/core/command_taker.h"
#include "controllers/core/controller.h"
#include "controllers/core/lanes.h"
#include "controllers/queue/group_counts.h"
#include "controllers/queue/queue_states.h"

namespace bth::controllers {

// On a queue whose parent was closed: "true"; it opens again with its parent.
inline constexpr std::string_view kClosedByParent = "volcano.sh/closed-by-parent";

// So long a queue's counts may differ from its status before they are written: groups that come and
// go in between cost no write, and a busy queue one in this time.
inline constexpr absl::Duration kCountsPause = absl::Seconds(5);

// What was asked of one queue is done in its order, one at a time; the same request waits once.
class QueueController final : public Controller,
                              private StoreListener<types::Queue>,
                              private StoreListener<types::PodGroup> {
 public:
  explicit QueueController(const ControllerContext& context);

  std::string_view name() const override { return "queue-controller"; }
  void Start() override;
  bool idle() const override;

 private:
  using QueuePtr = ObjectStore<types::Queue>::Pointer;
  struct Request {
    types::Word<types::BusAction> action;
    std::string command;  // Empty: nobody commanded it.
  };
  // What was asked of one queue; another one of its name begins anew.
  struct Box {
    std::string uid;
    std::deque<Request> requests;
  };

  void OnAdd(const types::Queue& queue) override;
  void OnUpdate(const types::Queue& before, const types::Queue& after) override;
  void OnDelete(const types::Queue& queue) override;
  void OnAdd(const types::PodGroup& group) override;
  void OnUpdate(const types::PodGroup& before, const types::PodGroup& after) override;
  void OnDelete(const types::PodGroup& group) override;

  // `command`: uid of the Command that asks for it.
  void Ask(const std::string& queue, types::Word<types::BusAction> action,
           const std::string& command = {});
  CommandTurn BeginCommand(const types::Command& command);
  net::Awaitable<LaneHooks::Outcome> Work(std::string queue);
  net::Awaitable<absl::Status> WorkOnRequest(std::string queue);
  net::Awaitable<absl::Status> Do(std::string queue, Request request);
  // Writes the counts if they have differed long enough. Returns when to look again: never, if the
  // status tells them.
  net::Awaitable<std::optional<absl::Duration>> TellCounts(std::string queue);
  // Told to open while it is open: whoever opened it may have died before it took the mark away.
  net::Awaitable<absl::Status> SyncOpened(QueuePtr queue, std::string_view state);
  net::Awaitable<absl::Status> Sync(QueuePtr queue, std::string_view state);
  net::Awaitable<absl::Status> Open(QueuePtr queue, std::string_view state);
  // `by_hand`: because of a Command, not with its parent.
  net::Awaitable<absl::Status> Close(QueuePtr queue, std::string_view state, bool by_hand);
  net::Awaitable<absl::Status> FollowParent(QueuePtr queue, std::string_view state);
  // Writes.
  // The state, and the counts as they are now.
  net::Awaitable<absl::StatusOr<QueuePtr>> SetStatus(QueuePtr queue, std::string_view state);
  // The queue as it was, if the server drops the field.
  net::Awaitable<absl::StatusOr<QueuePtr>> SetRootParent(QueuePtr queue);
  net::Awaitable<absl::Status> MarkClosedByParent(QueuePtr queue, bool closed);
  net::Awaitable<void> GiveUp(std::string queue, absl::Status status);

  std::vector<QueuePtr> ChildrenOf(const std::string& queue) const;

  // The box of the queue, if it is still the one of that uid.
  Box* FindBox(const std::string& queue, const std::string& uid);
  // The first request was carried out, or given up.
  void Finish(const std::string& queue, Box& box);
  bool IsThere(const types::Queue& queue) const;

  const ControllerContext context_;
  ObjectStore<types::Queue>& queues_;
  GroupCounts groups_;
  std::map<std::string, Box> asked_;  // By queue; never without requests.
  // By queue: when its counts, which its status does not tell yet, are to be written.
  std::map<std::string, absl::Duration> counts_due_;
  bool keeps_parents_ = true;  // False: the definition of queues has no spec.parent.
  Lanes lanes_;
  std::unique_ptr<CommandTaker> commands_;  // Null with QueueCommandSync off.
};

}  // namespace bth::controllers
