// What the scheduler tells on objects: events about the policy, about sources and about itself.
#include <string>
#include <utility>

#include "api/types/node.h"
#include "api/types/queue.h"
#include "base/strings.h"
#include "client/event_object.h"
#include "scheduler/scheduler.h"

namespace bth::scheduler {
namespace {

// What concerns everything that is scheduled is told on it.
constexpr char kRootQueue[] = "root";

// With its UID: kubectl describe shows no event without.
client::EventObject QueueObject(const cache::Mirror& mirror, const std::string& name) {
  return client::EventObjectOf(types::ResourceTraits<types::Queue>::type(),
                               {.name = name, .uid = mirror.UidOfQueue(name)});
}

// Kubelets give the name for the UID, and kubectl describe looks for both.
client::EventObject NodeObject(const std::string& name) {
  return client::EventObjectOf(types::ResourceTraits<types::Node>::type(),
                               {.name = name, .uid = name});
}

}  // namespace

// On the root queue, because everything below it is scheduled by the former policy. A standby
// writes nothing: the leader reads the same file.
void Scheduler::TellPolicyRefused(const absl::Status& status) {
  if (!MayLead()) return;
  events_.Record(
      QueueObject(mirror_, kRootQueue),
      {"Warning", "PolicyRefused",
       StrCat(options_.policy.path, ": ", status.message(), "; the former policy stays in force")});
}

void Scheduler::NoteLoadError(const absl::Status& status) {
  constexpr char kReason[] = "NodeLoadFailed";
  if (status.ok()) {
    notices_.Mended(QueueObject(mirror_, kRootQueue), kReason);
    return;
  }
  notices_.Put(QueueObject(mirror_, kRootQueue), kReason,
               StrCat("the load of nodes cannot be measured: ", status.message(),
                      "; the former values stay and are not trusted after five minutes: "
                      "check the source named in section metrics of the policy"));
  TellNotices();
}

// The pause lets objects that belong together come in any order.
void Scheduler::TellNotices() {
  constexpr absl::Duration kPause = absl::Seconds(1);
  if (!notices_.waiting() || notice_timer_ != 0 || !MayLead() || !feed_->AllSynced()) return;
  notice_timer_ = context_.executor.RunAfter(kPause, [this] {
    notice_timer_ = 0;
    if (!MayLead()) return;
    notices_.Tell(events_, [this](const client::EventObject& object) {
      if (object.kind != "PodGroup") return true;
      const std::string key = StrCat(object.namespace_name, "/", object.name);
      // One that cannot be used is not in the mirror.
      return mirror_.OwnsGroup(key) || mirror_.ShownOf(key) == nullptr;
    });
  });
}

void Scheduler::TellViolations(const std::vector<InvariantRecord>& violations) {
  for (const InvariantRecord& record : violations) {
    client::EventObject object;
    if (!record.node.empty()) {
      object = NodeObject(record.node);
    } else if (!record.queue.empty()) {
      object = QueueObject(mirror_, record.queue);
    } else {
      continue;
    }
    events_.Record(object,
                   {"Warning", "InvariantViolated",
                    StrCat(record.detail, "; its writes are stopped (", record.invariant, ")")});
  }
}

}  // namespace bth::scheduler
