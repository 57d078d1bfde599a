// What was asked for is done before the asking goes, and what has no purpose any more goes too.
#include <algorithm>
#include <set>
#include <vector>

#include "base/strings.h"
#include "sim/world/paths.h"
#include "sim/world/promises/promise.h"

namespace bth::sim {
namespace {

using types::BusAction;
using types::JobPhase;

// By which wall clocks may be apart from one another in stories.
constexpr absl::Duration kClocksApart = absl::Minutes(10);

class NoOrphans final : public Promise {
 public:
  explicit NoOrphans(const Sight& sight) : Promise("no-orphans", sight) {}
  void AtRest() override {
    std::set<std::string> present;
    const auto note = [&present](const auto& objects) {
      for (const auto& [key, object] : objects) present.insert(object->meta.uid);
    };
    note(ledger().pods());
    note(ledger().nodes());
    note(ledger().groups());
    note(ledger().queues());
    note(ledger().jobs());
    note(ledger().claims());
    note(ledger().flows());
    note(ledger().cron_jobs());
    const auto judge = [&](std::string_view kind, const auto& objects) {
      for (const auto& [key, object] : objects) {
        const auto& owners = object->meta.owner_references;
        if (owners.empty()) continue;
        Look();
        const bool owned = std::any_of(owners.begin(), owners.end(), [&](const auto& owner) {
          return present.contains(owner.uid);
        });
        if (!owned) {
          Break(StrCat(kind, " ", key, " belongs to ", owners[0].kind, " ", owners[0].name,
                       ", which is gone"));
        }
      }
    };
    judge("pod", ledger().pods());
    judge("podgroup", ledger().groups());
    judge("claim", ledger().claims());
    judge("job", ledger().jobs());
  }
};

class CommandsCount final : public Promise {
 public:
  explicit CommandsCount(const Sight& sight) : Promise("commands-count", sight) {}

  void OnWrite(const Write& write) override {
    if (write.path.plural != "commands" || write.request.method != "DELETE") return;
    taken_.insert(KeyOf(write.path));
  }
  void On(const Change<types::Command>& change) override {
    const std::string key = change.any().meta.Key();
    if (!change.any().target.has_value()) return;
    if (change.before == nullptr) {
      for (auto& [other, order] : open_) {
        order.alone = order.alone && !Concern(order, *change.after);
      }
      open_[key] = OrderOf(change.after);
    }
    if (change.after != nullptr) return;
    // Users and namespaces that go may take it back.
    const auto order = open_.find(key);
    if (order != open_.end() && taken_.erase(key) > 0) Judge(key, order->second);
    if (order != open_.end()) open_.erase(order);
  }
  void AtRest() override {
    for (const auto& [key, command] : ledger().commands()) {
      Break(
          StrCat("command ", key, " (", command->action.text(), ") is there, and nothing changes"));
    }
  }

 private:
  struct Order {
    std::shared_ptr<const types::Command> command;
    int32_t version = 0;  // Of the job, as it was when it was commanded.
    JobPhase phase = JobPhase::kNone;
    int32_t retries = 0;
    std::set<std::string> pods;  // Of the job, by uid, as they were then.
    bool alone = true;           // No other command to the same target has come since.
  };

  static std::string TargetOf(const types::Command& command) {
    return command.target->kind == "Queue" ? command.target->name
                                           : StrCat(command.meta.ns, "/", command.target->name);
  }
  static bool Concern(const Order& order, const types::Command& other) {
    return order.command->target->kind == other.target->kind &&
           TargetOf(*order.command) == TargetOf(other);
  }
  Order OrderOf(const std::shared_ptr<const types::Command>& command) const {
    Order order{.command = command};
    if (const auto* job = Ledger::Find(ledger().jobs(), TargetOf(*command))) {
      order.version = job->status.version;
      order.phase = job->status.state.phase.value();
      order.retries = job->status.retry_count;
      for (const types::Pod* pod : PodsThatStay(*job)) order.pods.insert(pod->meta.uid);
    }
    return order;
  }

  // Its pods that are not told to go.
  std::vector<const types::Pod*> PodsThatStay(const types::BatchJob& job) const {
    std::vector<const types::Pod*> pods;
    for (const auto& [key, pod] : ledger().pods()) {
      const types::OwnerReference* const owner = pod->meta.Controller();
      if (owner == nullptr || owner->uid != job.meta.uid) continue;
      if (!pod->meta.deletion_time.has_value()) pods.push_back(pod.get());
    }
    return pods;
  }
  // A job that was restarting goes on with that, and so does one of which a policy restarts parts.
  // It is no new version where all that the command could have stopped was gone by then.
  bool WasRestarting(const types::BatchJob& job, const Order& order) const {
    const bool in_parts = IsRestartedInParts(job) && job.status.retry_count > order.retries;
    if (!in_parts && order.phase != JobPhase::kRestarting) return false;
    const std::vector<const types::Pod*> pods = PodsThatStay(job);
    return std::none_of(pods.begin(), pods.end(), [&order](const types::Pod* pod) {
      return order.pods.contains(pod->meta.uid);
    });
  }

  void Judge(const std::string& key, const Order& order) {
    Look();
    const std::string target = TargetOf(*order.command);
    const bool done = order.command->target->kind == "Queue" ? QueueObeyed(target, order)
                                                             : JobObeyed(target, order);
    if (done) return;
    Break(StrCat("command ", key, ", ", order.command->action.text(), " of ",
                 order.command->target->kind, " ", target, ", went without an effect"));
  }
  // Whatever a job is commanded that begins something begins a new version of it.
  bool JobObeyed(const std::string& target, const Order& order) const {
    const types::BatchJob* const job = Ledger::Find(ledger().jobs(), target);
    if (job == nullptr || job->meta.uid != order.command->target->uid ||
        job->meta.deletion_time.has_value() || job->status.version > order.version) {
      return true;
    }
    const JobPhase phase = job->status.state.phase.value();
    const BusAction action = order.command->action.value();
    if (action == BusAction::kResumeJob) {
      return phase != JobPhase::kAborted || order.phase != JobPhase::kAborted;
    }
    const bool stops = action == BusAction::kAbortJob || action == BusAction::kRestartJob ||
                       action == BusAction::kTerminateJob;
    return !stops || (phase != JobPhase::kPending && phase != JobPhase::kRunning) ||
           WasRestarting(*job, order);
  }
  // After many refusals it is given up, which an event tells.
  bool QueueObeyed(const std::string& target, const Order& order) const {
    const types::Queue* const queue = Ledger::Find(ledger().queues(), target);
    if (queue == nullptr || queue->meta.uid != order.command->target->uid || target == "root" ||
        queue->meta.deletion_time.has_value() || !order.alone || !IsFairFor(absl::Minutes(1))) {
      return true;
    }
    const bool shut = queue->status.state == "Closed" || queue->status.state == "Closing";
    const BusAction action = order.command->action.value();
    return shut ? action != BusAction::kOpenQueue : action != BusAction::kCloseQueue;
  }

  std::map<std::string, Order> open_;  // By key.
  std::set<std::string> taken_;
};

class EndedJobs final : public Promise {
 public:
  explicit EndedJobs(const Sight& sight) : Promise("ended-jobs", sight) {}

  void On(const Change<types::BatchJob>& change) override {
    const std::string& uid = change.any().meta.uid;
    if (change.after == nullptr || !IsOver(*change.after)) {
      over_since_.erase(uid);
    } else {
      over_since_.try_emplace(uid, now());
    }
  }
  void OnTick() override {
    if (!IsFairFor(absl::Minutes(2))) return;
    for (const auto& [key, pod] : ledger().pods()) {
      const types::OwnerReference* const owner = pod->meta.Controller();
      if (owner == nullptr || HasEnded(*pod) || pod->meta.deletion_time.has_value()) continue;
      const auto since = over_since_.find(owner->uid);
      if (since == over_since_.end() || now() - since->second < absl::Minutes(2)) continue;
      Break(StrCat("pod ", key, " is ", pod->status.phase, ", and its job ", owner->name,
                   " is over since ", absl::FormatDuration(now() - since->second)));
    }
    for (const auto& [key, job] : ledger().jobs()) {
      const auto since = over_since_.find(job->meta.uid);
      if (since == over_since_.end()) continue;
      Look();
      const std::optional<int32_t> ttl = job->spec.ttl_seconds_after_finished;
      const bool stays = !ttl.has_value() || !types::IsFinished(job->status.state.phase.value()) ||
                         job->meta.deletion_time.has_value();
      if (stays || now() - since->second < absl::Seconds(*ttl) + kClocksApart + absl::Minutes(2)) {
        continue;
      }
      Break(StrCat("job ", key, " was to be gone ", *ttl, "s after its end, which was ",
                   absl::FormatDuration(now() - since->second), " ago"));
    }
  }

 private:
  std::map<std::string, absl::Duration> over_since_;  // By uid.
};

// A queue is closed when it is empty, and then.
class QueueStates final : public Promise {
 public:
  explicit QueueStates(const Sight& sight) : Promise("queue-states", sight) {}

  void On(const Change<types::PodGroup>& change) override {
    const bool stays = change.before != nullptr && change.after != nullptr &&
                       QueueOf(*change.before) == QueueOf(*change.after);
    if (!stays) changed_[QueueOf(change.any())] = now();
  }
  void On(const Change<types::Queue>& change) override {
    if (change.before == nullptr || change.after == nullptr) return;
    const std::string& name = change.after->meta.name;
    const bool closes =
        change.before->status.state != "Closed" && change.after->status.state == "Closed";
    const auto changed = changed_.find(name);
    const bool is_recent = changed != changed_.end() && now() - changed->second < kNewsWithin;
    if (!closes || is_recent || !IsFairFor(absl::Minutes(1))) return;
    Look();
    if (const std::string group = OneIn(name); !group.empty()) {
      Break(StrCat("queue ", name, " is Closed, and holds ", group));
    }
  }
  void AtRest() override {
    for (const auto& [name, queue] : ledger().queues()) {
      if (queue->status.state != "Closing" || !OneIn(name).empty()) continue;
      Break(StrCat("queue ", name, " is Closing, and holds nothing"));
    }
  }

 private:
  std::string OneIn(const std::string& queue) const {
    for (const auto& [key, group] : ledger().groups()) {
      if (QueueOf(*group) == queue) return key;
    }
    return "";
  }

  std::map<std::string, absl::Duration> changed_;  // By queue: when groups came or went last.
};

}  // namespace

PromisePtr MakeQueueStates(const Sight& sight) {
  return std::make_unique<QueueStates>(sight);
}
PromisePtr MakeNoOrphans(const Sight& sight) {
  return std::make_unique<NoOrphans>(sight);
}
PromisePtr MakeCommandsCount(const Sight& sight) {
  return std::make_unique<CommandsCount>(sight);
}
PromisePtr MakeEndedJobs(const Sight& sight) {
  return std::make_unique<EndedJobs>(sight);
}

}  // namespace bth::sim
