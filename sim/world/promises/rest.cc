// What must be true once nothing goes wrong any more and everybody had time.
#include <algorithm>
#include <map>
#include <optional>

#include "base/strings.h"
#include "sim/world/promises/domains.h"
#include "sim/world/promises/promise.h"

namespace bth::sim {
namespace {

// Whether a cluster that does nothing else has room for a gang. Stories ask for equal pods.
class Possible {
 public:
  explicit Possible(const Sight& sight) : sight_(sight), ledger_(sight.ledger) {}

  // Pods that a gang cannot do without, of those that wait, each with so many CPUs, and devices at
  // most: they are all alike.
  struct Need {
    int64_t pods = 0;
    int64_t waiting = 0;
    int64_t each = 0;
    int64_t devices = 0;
  };
  bool Gang(const types::PodGroup& group, const Need& need) const {
    const types::Queue* const queue = Ledger::Find(ledger_.queues(), QueueOf(group));
    if (queue == nullptr || queue->meta.deletion_time.has_value()) return false;
    if (!queue->status.state.empty() && queue->status.state != "Open") return false;
    const int64_t most = MilliCpuOf(queue->spec.capability);
    if (most > 0 && need.pods * need.each > most) return false;
    const std::optional<int32_t> bound = sight_.keeps_near ? BoundOf(group) : std::nullopt;
    if (!bound.has_value()) return RoomIn(nullptr, need).places >= need.pods;
    return Near(group, *bound, need);
  }

 private:
  struct Room {
    int64_t places = 0;
    int64_t cpus = 0;
  };

  // A gang with a hard bound begins where all that waits of it finds room, as sums go: so it is in
  // Volcano. What comes later goes where the others are.
  bool Near(const types::PodGroup& group, int32_t bound, const Need& need) const {
    Domains::Nodes held;
    for (const types::Pod* pod : ledger_.PodsOf(group)) {
      if (HoldsRoom(*pod)) held.insert(pod->spec.node_name);
    }
    const auto takes = [&](const Domains::Nodes* domain) {
      const Room room = RoomIn(domain, need);
      return room.places >= need.pods && (!held.empty() || room.cpus >= need.waiting * need.each);
    };
    const Domains domains(ledger_.hyper_nodes());
    if (domains.IsAll(bound)) return takes(nullptr);
    const auto within = domains.UpTo(bound);
    return std::any_of(within.begin(), within.end(), [&](const Domains::Nodes* domain) {
      return std::includes(domain->begin(), domain->end(), held.begin(), held.end()) &&
             takes(domain);
    });
  }
  // `domain` null: the cluster.
  Room RoomIn(const Domains::Nodes* domain, const Need& need) const {
    Room room;
    for (const auto& [name, node] : ledger_.nodes()) {
      if (node->meta.deletion_time.has_value() || node->spec.unschedulable) continue;
      if (domain != nullptr && !domain->contains(name)) continue;
      if (sight_.hard_shards && !ledger_.IsDesired("volcano", name)) continue;
      const int64_t cpus = MilliCpuOf(node->status.allocatable);
      room.cpus += cpus;
      int64_t here = need.each == 0 ? kPodsOfNode : cpus / need.each;
      if (need.devices > 0) here = std::min(here, DevicesOf(name) / need.devices);
      room.places += here;
    }
    return room;
  }

  int64_t DevicesOf(const std::string& node) const {
    int64_t count = 0;
    for (const auto& [name, slice] : ledger_.slices()) {
      if (slice->spec.node_name == node) count += static_cast<int64_t>(slice->spec.devices.size());
    }
    return count;
  }

  static constexpr int64_t kPodsOfNode = 110;  // In stories.

  const Sight& sight_;
  const Ledger& ledger_;
};

// How many devices a pod asks for; -1: nobody knows, because its claims are not there.
int64_t DevicesFor(const Ledger& ledger, const types::Pod& pod) {
  int64_t count = 0;
  for (const types::PodResourceClaim& wanted : pod.spec.resource_claims) {
    const types::ResourceClaim* const claim = ledger.ClaimOf(pod, wanted);
    if (claim == nullptr) return -1;
    for (const types::DeviceRequest& request : claim->spec.requests) {
      count += std::max<int64_t>(1, request.exactly.has_value() ? request.exactly->count : 0);
    }
  }
  return count;
}

bool IsWaiting(const types::Pod& pod) {
  return IsOurs(pod) && pod.spec.node_name.empty() && !HasEnded(pod) &&
         !pod.meta.deletion_time.has_value();
}

const types::PodGroup* GroupOf(const Ledger& ledger, const types::BatchJob& job) {
  return Ledger::Find(ledger.groups(), StrCat(job.meta.ns, "/", job.meta.name, "-", job.meta.uid));
}

// How many pods the tasks of a gang lack for their minimums, which count unless the gang's own is
// less than their sum.
int64_t LacksOfTasks(const types::PodGroup& group, const std::map<std::string, int64_t>& pods) {
  int64_t sum = 0;
  int64_t lacks = 0;
  for (const auto& [task, minimum] : group.spec.min_task_member) {
    const auto there = pods.find(task);
    sum += minimum;
    lacks += std::max<int64_t>(0, minimum - (there == pods.end() ? 0 : there->second));
  }
  return group.spec.min_member < sum ? 0 : lacks;
}

// How a group stands that may wait.
struct Standing {
  int64_t valid = 0;       // Pods that have not failed.
  int64_t waiting = 0;     // Those without a node.
  int64_t lacks_cpus = 0;  // For those that it cannot do without, and for one at least.
  bool hopeless = false;
};

Standing StandingOf(const Sight& sight, const types::PodGroup& group) {
  Standing standing;
  int64_t each = 0;
  int64_t devices = 0;  // Of the one that asks for most.
  bool unknown = false;
  bool alone = false;                    // They will not have one another near.
  std::map<std::string, int64_t> valid;  // By task.
  std::map<std::string, int64_t> held;
  for (const types::Pod* pod : sight.ledger.PodsOf(group)) {
    const bool waits = IsWaiting(*pod);
    if (pod->status.phase != "Failed") {
      const std::string task(pod->meta.Annotation("volcano.sh/task-spec"));
      ++standing.valid;
      ++valid[task];
      held[task] += waits ? 0 : 1;
    }
    if (!waits) continue;
    ++standing.waiting;
    const int64_t asked = DevicesFor(sight.ledger, *pod);
    each = std::max(each, MilliCpuOf(*pod));
    devices = std::max(devices, asked);
    unknown = unknown || asked < 0;
    alone = alone || !TermsAgainst(*pod, *pod).empty();
  }
  const int64_t placed = standing.valid - standing.waiting;
  const int64_t lacks =
      std::max({int64_t{1}, group.spec.min_member - placed, LacksOfTasks(group, held)});
  standing.lacks_cpus = lacks * each;
  standing.hopeless = unknown || (alone && lacks > 1) || standing.valid < group.spec.min_member ||
                      LacksOfTasks(group, valid) > 0 ||
                      !Possible(sight).Gang(group, {lacks, standing.waiting, each, devices});
  return standing;
}

// Nobody is left who would make the pods that it lacks, as when its job was deleted without it;
// once it is admitted, others lack the room that it keeps.
bool IsForsaken(const types::PodGroup& group, const Standing& standing) {
  return group.status.phase == "Inqueue" && group.meta.Controller() == nullptr &&
         standing.valid < group.spec.min_member;
}

bool IsHopeless(const Sight& sight, const types::BatchJob& job) {
  // What holds it up is told.
  if (!job.status.state.reason.empty()) return true;
  const types::PodGroup* const group = GroupOf(sight.ledger, job);
  if (group == nullptr) return false;
  const Standing standing = StandingOf(sight, *group);
  if (standing.waiting > 0) return standing.hopeless;
  // Pods are made once their group is admitted.
  const int64_t lacks = group->spec.min_member - standing.valid;
  if (lacks <= 0) return false;
  const int64_t all = MilliCpuOf(group->spec.min_resources);
  return !Possible(sight).Gang(*group, {lacks, lacks, all / group->spec.min_member});
}

// What queues get of the cluster where it is divided by weight among those that ask: CPUs, which
// alone are scarce in stories. Queues that get more than they ask for leave the rest to the others,
// until nothing changes.
class Parts {
 public:
  explicit Parts(const Ledger& ledger) {
    for (const auto& [key, group] : ledger.groups()) {
      Asker& asker = askers_[QueueOf(*group)];
      for (const types::Pod* pod : ledger.PodsOf(*group)) {
        if (!IsOurs(*pod) || HasEnded(*pod)) continue;
        asker.asked += static_cast<double>(MilliCpuOf(*pod));
        if (HoldsRoom(*pod)) asker.held += MilliCpuOf(*pod);
      }
    }
    double all = 0;
    for (const auto& [name, node] : ledger.nodes()) {
      all += static_cast<double>(MilliCpuOf(node->status.allocatable));
    }
    for (auto& [name, asker] : askers_) {
      const types::Queue* const queue = Ledger::Find(ledger.queues(), name);
      if (queue == nullptr) continue;
      asker.weight = queue->spec.weight;
      const int64_t most = MilliCpuOf(queue->spec.capability);
      if (most > 0) asker.asked = std::min(asker.asked, static_cast<double>(most));
    }
    Divide(all);
  }
  // Whether a queue may hold so many more. What is lost by rounding is no reason to wait.
  bool Takes(const std::string& queue, int64_t cpus) const {
    const auto asker = askers_.find(queue);
    return asker == askers_.end() ||
           static_cast<double>(asker->second.held + cpus) <= asker->second.part + kRounding;
  }

 private:
  static constexpr double kRounding = 10;
  struct Asker {
    double weight = 0;
    double asked = 0;
    double part = 0;
    int64_t held = 0;
  };

  void Divide(double left) {
    for (;;) {
      double weights = 0;
      for (const auto& [name, asker] : askers_) {
        if (asker.part < asker.asked) weights += asker.weight;
      }
      if (weights <= 0 || left < 1) return;
      double given = 0;
      for (auto& [name, asker] : askers_) {
        if (asker.part >= asker.asked) continue;
        const double more = std::min(left * asker.weight / weights, asker.asked - asker.part);
        asker.part += more;
        given += more;
      }
      left -= given;
    }
  }

  std::map<std::string, Asker> askers_;  // By queue.
};

// Gangs that fit the cluster, and wait because the first pods that they lack do not fit their
// queue's part. While others ask for more than theirs too, nobody gets more: what a queue holds
// beyond its part the others could take back at once.
std::vector<std::string> BeyondTheirParts(const Sight& sight) {
  std::vector<std::string> out;
  const Parts parts(sight.ledger);
  for (const auto& [key, group] : sight.ledger.groups()) {
    const Standing standing = StandingOf(sight, *group);
    if (standing.waiting == 0 || parts.Takes(QueueOf(*group), standing.lacks_cpus)) continue;
    const types::OwnerReference* const owner = group->meta.Controller();
    out.push_back(owner != nullptr && owner->kind == "Job"
                      ? StrCat("jobs ", group->meta.ns, "/", owner->name)
                      : StrCat("podgroups ", key));
  }
  return out;
}

class AllRun final : public Promise {
 public:
  explicit AllRun(const Sight& sight) : Promise("all-run", sight) {}
  void AtRest() override {
    for (const auto& [key, job] : ledger().jobs()) Judge(*job);
    for (const auto& [key, group] : ledger().groups()) Judge(*group);
  }

 private:
  void Judge(const types::BatchJob& job) {
    Look();
    if (IsOver(job)) return;
    const types::JobState& state = job.status.state;
    Break(StrCat("job ", job.meta.Key(), " is ", state.phase.text(),
                 ", and nothing changes: ", state.reason, " ", state.message,
                 "; its group: ", Group(job), "; pods: ", Pods(job)));
  }
  void Judge(const types::PodGroup& group) {
    Look();
    const Standing standing = StandingOf(sight(), group);
    if (standing.waiting == 0) return;
    Break(StrCat("group ", group.meta.Key(), " (", group.status.phase, ") has ", standing.waiting,
                 " pods that wait, of ", standing.valid, ", needs ", group.spec.min_member,
                 " and could have them: ", Conditions(group)));
  }
  static std::string Conditions(const types::PodGroup& group) {
    std::string out;
    for (const types::Condition& condition : group.status.conditions) {
      StrAppend(&out, condition.type, "=", condition.status, " ", condition.reason, ": ",
                condition.message, "; ");
    }
    return out;
  }
  std::string Group(const types::BatchJob& job) const {
    const types::PodGroup* const group = GroupOf(ledger(), job);
    return group == nullptr ? "none" : StrCat(group->status.phase, " ", Conditions(*group));
  }
  std::string Pods(const types::BatchJob& job) const {
    std::string out;
    for (const auto& [key, pod] : ledger().pods()) {
      const types::OwnerReference* const owner = pod->meta.Controller();
      if (owner == nullptr || owner->uid != job.meta.uid) continue;
      StrAppend(&out, pod->meta.name, " ", pod->status.phase, " on ", pod->spec.node_name,
                pod->meta.deletion_time.has_value() ? " leaving" : "", ", ");
    }
    return out;
  }
};

class DeletionsEnd final : public Promise {
 public:
  explicit DeletionsEnd(const Sight& sight) : Promise("deletions-end", sight) {}
  void AtRest() override {
    Judge("pod", ledger().pods());
    Judge("job", ledger().jobs());
    Judge("podgroup", ledger().groups());
    Judge("queue", ledger().queues());
    Judge("node", ledger().nodes());
    Judge("claim", ledger().claims());
    Judge("jobflow", ledger().flows());
    Judge("jobtemplate", ledger().templates());
    Judge("cronjob", ledger().cron_jobs());
  }

 private:
  template <class T>
  void Judge(std::string_view kind, const Objects<T>& objects) {
    for (const auto& [key, object] : objects) {
      Look();
      if (!object->meta.deletion_time.has_value()) continue;
      Break(StrCat(kind, " ", key, " was deleted and is still there; finalizers: ",
                   object->meta.finalizers.empty() ? "none" : object->meta.finalizers[0]));
    }
  }
};

bool IsLeaving(const types::Pod& pod) {
  return pod.meta.deletion_time.has_value();
}

// Statuses say what a recount says. Who is leaving counts no more.
class TrueSums final : public Promise {
 public:
  explicit TrueSums(const Sight& sight) : Promise("true-sums", sight) {}
  void OnTick() override {
    if (!IsFairFor(kSettleWithin)) return untruths_.clear();  // Nobody looks how they go on.
    std::map<std::string, Untruth> untruths;
    const auto note = [&](std::string key, std::string what) {
      if (what.empty()) return;
      const auto known = untruths_.find(key);
      const bool same = known != untruths_.end() && known->second.what == what;
      const absl::Duration since = same ? known->second.since : now();
      if (now() - since >= kSettleWithin) {
        Break(StrCat(what, ", since ", absl::FormatDuration(now() - since)));
      }
      untruths[std::move(key)] = {std::move(what), since};
    };
    for (const auto& [name, queue] : ledger().queues()) note("q/" + name, Wrong(*queue));
    for (const auto& [key, group] : ledger().groups()) note("g/" + key, Wrong(*group));
    for (const auto& [key, job] : ledger().jobs()) note("j/" + key, Wrong(*job));
    untruths_ = std::move(untruths);
  }
  void AtRest() override {
    const auto judge = [this](const std::string& wrong) {
      Look();
      if (!wrong.empty()) Break(wrong);
    };
    for (const auto& [name, queue] : ledger().queues()) judge(Wrong(*queue));
    for (const auto& [key, group] : ledger().groups()) judge(Wrong(*group));
    for (const auto& [key, job] : ledger().jobs()) judge(Wrong(*job));
  }

 private:
  // For so long one and the same thing may be told wrongly in fair weather: of a gang that pauses,
  // which takes five minutes at most, nothing is told.
  static constexpr absl::Duration kSettleWithin = absl::Minutes(6);
  struct Untruth {
    std::string what;
    absl::Duration since;
  };

  bool IsBelow(std::string name, const std::string& ancestor) const {
    for (int depth = 0; depth < 10; ++depth) {
      if (name == ancestor) return true;
      const types::Queue* const queue = Ledger::Find(ledger().queues(), name);
      if (queue == nullptr || queue->spec.parent.empty()) return false;
      name = queue->spec.parent;
    }
    return false;
  }
  // Empty: it tells the truth.
  std::string Wrong(const types::Queue& queue) const {
    int64_t cpu = 0;
    int64_t running = 0;
    int64_t pending = 0;
    int64_t inqueue = 0;
    for (const auto& [key, group] : ledger().groups()) {
      if (QueueOf(*group) == queue.meta.name) {
        running += group->status.phase == "Running" ? 1 : 0;
        pending += group->status.phase == "Pending" ? 1 : 0;
        inqueue += group->status.phase == "Inqueue" ? 1 : 0;
      }
      if (!IsBelow(QueueOf(*group), queue.meta.name)) continue;
      for (const types::Pod* pod : ledger().PodsOf(*group)) {
        if (IsOurs(*pod) && HoldsRoom(*pod) && !IsLeaving(*pod)) cpu += MilliCpuOf(*pod);
      }
    }
    const int64_t told = MilliCpuOf(queue.status.allocated);
    if (told != cpu) {
      return StrCat("queue ", queue.meta.name, " tells of ", told, "m CPU allocated; it is ", cpu);
    }
    if (queue.status.running == running && queue.status.pending == pending &&
        queue.status.inqueue == inqueue) {
      return "";
    }
    return StrCat("queue ", queue.meta.name, " tells of ", queue.status.running, " running, ",
                  queue.status.pending, " pending, ", queue.status.inqueue, " inqueue; it is ",
                  running, ", ", pending, ", ", inqueue);
  }
  std::string Wrong(const types::PodGroup& group) const {
    int64_t running = 0;
    int64_t succeeded = 0;
    int64_t failed = 0;
    for (const types::Pod* pod : ledger().PodsOf(group)) {
      running += pod->status.phase == "Running" && !IsLeaving(*pod) ? 1 : 0;
      succeeded += pod->status.phase == "Succeeded" ? 1 : 0;
      failed += pod->status.phase == "Failed" ? 1 : 0;
    }
    if (group.status.running == running && group.status.succeeded == succeeded &&
        group.status.failed == failed) {
      return "";
    }
    return StrCat("group ", group.meta.Key(), " tells of ", group.status.running, " running, ",
                  group.status.succeeded, " succeeded, ", group.status.failed, " failed; it is ",
                  running, ", ", succeeded, ", ", failed);
  }
  std::string Wrong(const types::BatchJob& job) const {
    // What is counted of a job that has ended stays as it was.
    if (IsOver(job)) return "";
    int64_t running = 0;
    int64_t pending = 0;
    for (const auto& [key, pod] : ledger().pods()) {
      const types::OwnerReference* const owner = pod->meta.Controller();
      if (owner == nullptr || owner->uid != job.meta.uid) continue;
      if (IsLeaving(*pod)) continue;
      running += pod->status.phase == "Running" ? 1 : 0;
      pending += pod->status.phase == "Pending" ? 1 : 0;
    }
    if (job.status.running == running && job.status.pending == pending) return "";
    return StrCat("job ", job.meta.Key(), " tells of ", job.status.running, " running, ",
                  job.status.pending, " pending; it is ", running, ", ", pending);
  }

  std::map<std::string, Untruth> untruths_;  // By kind and key.
};

}  // namespace

std::vector<std::string> HopelessOf(const Sight& sight) {
  std::vector<std::string> out;
  const Ledger& ledger = sight.ledger;
  for (const auto& [key, job] : ledger.jobs()) {
    if (!IsOver(*job) && IsHopeless(sight, *job)) out.push_back(StrCat("jobs ", key));
  }
  for (const auto& [key, group] : ledger.groups()) {
    const Standing standing = StandingOf(sight, *group);
    if ((standing.waiting > 0 && standing.hopeless) || IsForsaken(*group, standing)) {
      out.push_back(StrCat("podgroups ", key));
    }
  }
  return out.empty() && sight.by_weight ? BeyondTheirParts(sight) : out;
}

PromisePtr MakeAllRun(const Sight& sight) {
  return std::make_unique<AllRun>(sight);
}
PromisePtr MakeDeletionsEnd(const Sight& sight) {
  return std::make_unique<DeletionsEnd>(sight);
}
PromisePtr MakeTrueSums(const Sight& sight) {
  return std::make_unique<TrueSums>(sight);
}

}  // namespace bth::sim
