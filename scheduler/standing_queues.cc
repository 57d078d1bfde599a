#include "scheduler/standing_queues.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "api/types/queue.h"
#include "base/log.h"
#include "base/strings.h"
#include "client/event_object.h"
#include "client/server_contact.h"
#include "client/typed_client.h"

namespace bth::scheduler {
namespace {

constexpr absl::Duration kPauseFirst = absl::Milliseconds(200);
constexpr absl::Duration kPauseMax = absl::Seconds(30);

}  // namespace

StandingQueues::StandingQueues(net::Executor& executor, client::ApiClient& api,
                               client::EventRecorder& events, std::string default_queue)
    : executor_(executor), api_(api), events_(events) {
  queues_[0].name = "root";
  queues_[1].name = std::move(default_queue);
  queues_[1].reclaimable = true;
}

void StandingQueues::Start() {
  if (started_) return;
  started_ = true;
  for (Queue& queue : queues_) Ensure(queue);
}

void StandingQueues::Stop() {
  started_ = false;
  for (Queue& queue : queues_) queue.maker.Stop();
}

void StandingQueues::NoteGone(const std::string& name) {
  for (Queue& queue : queues_) {
    if (!started_ || queue.name != name) continue;
    queue.deleted = true;
    Ensure(queue);
  }
}

void StandingQueues::Ensure(Queue& queue) {
  queue.maker.Stop();
  queue.maker.Keep(executor_, "standing_queue", [this, &queue] { return Make(&queue); });
}

net::Awaitable<void> StandingQueues::Make(Queue* queue) {
  absl::Duration pause = kPauseFirst;
  for (;;) {
    const client::ApiPath path = client::PathOf<types::Queue>("", queue->name);
    const absl::StatusOr<std::string> found = co_await api_.Get(path);
    if (found.ok()) co_return;
    absl::Status status = found.status();
    if (absl::IsNotFound(status)) {
      types::Queue wanted;
      wanted.meta.name = queue->name;
      wanted.spec.weight = 1;
      wanted.spec.reclaimable = queue->reclaimable;
      const auto made = co_await client::CreateObject(api_, std::move(wanted));
      if (made.ok() && std::exchange(queue->deleted, false)) {
        events_.Record(
            client::EventObjectOf(*made),
            {.type = "Warning",
             .reason = "MadeAnew",
             .message = "every cluster needs this queue: it was deleted, and the scheduler "
                        "made it anew with weight 1 and no limits"});
      }
      if (made.ok() || absl::IsAlreadyExists(made.status())) co_return;
      status = made.status();
    }
    const auto line =
        client::WasTold(status)
            ? std::nullopt
            : failures_.Note(StrCat(queue->name, ": ", status.message()), executor_.Monotonic());
    if (line) {
      Log(LogLevel::kWarning, "queue.not_created",
          {{"queue", queue->name},
           {"status", status},
           {"times", line->times},
           {"next_line_in", line->next_in}});
    }
    co_await net::Sleep(executor_, pause);
    pause = std::min(2 * pause, kPauseMax);
  }
}

}  // namespace bth::scheduler
