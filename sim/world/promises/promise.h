// What must hold in every cluster, whatever happens to it: docs/promises.md in code.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "apiserver/rest/request.h"
#include "net/http.h"
#include "sim/world/ledger.h"
#include "sim/world/timeline.h"

namespace bth::sim {

// What one may not have heard of yet in fair weather: news travel.
inline constexpr absl::Duration kNewsWithin = absl::Seconds(5);

// What promises are judged by. Lifetime: longer than they.
struct Sight {
  Ledger ledger;
  std::function<absl::Duration()> now;
  // Since when everybody could know everything within a moment: no bad weather, nobody paused,
  // killed or started.
  std::function<absl::Duration()> fair_since;
  // Who has bound a pod, by its uid: a process in one of its lives.
  std::map<std::string, std::string> binder_of;
  // Likewise who wrote the status of a claim last.
  std::map<std::string, std::string> allocator_of;
  // When the eviction of a pod was last asked for, by its uid, whether or not the server heard it.
  std::map<std::string, absl::Duration> evicted_at;
  // When a lease was asked for, by "HOLDER RENEW-TIME" as its writer put it.
  std::map<std::string, absl::Duration> asked_at;
  // Pods, by uid, whose binding came to the server when its scheduler had given it up, or led no
  // more: it could not know of it.
  std::set<std::string> bound_late;
  // The policy divides the cluster among queues by weight, and gives none more than its part.
  bool by_weight = false;
  // It keeps gangs with a hard bound within it. Never again once it did not for a while.
  bool keeps_near = false;
  bool hard_shards = false;  // Schedulers keep to their shards.
  bool old_lists = false;    // Whoever starts may be told what was, in bad weather.

  std::string BinderOf(const types::Pod& pod) const {
    const auto known = binder_of.find(pod.meta.uid);
    return known == binder_of.end() ? "somebody" : known->second;
  }
  bool IsLate(const types::Pod& pod) const { return bound_late.contains(pod.meta.uid); }
};

// A write of a program, right before the server carries it out.
struct Write {
  const Process& from;
  const net::Request& request;
  apiserver::ResourcePath path;  // Where the request leads.
  absl::Duration sent_at;
  bool is_given_up = false;   // Nobody waits for the answer any more.
  bool is_overtaken = false;  // Somebody else changed the object right before.

  std::string Words() const;
};

// One promise. The first breach counts: what follows may follow from it. Thread: one.
class Promise : public Onlooker {
 public:
  Promise(std::string_view name, const Sight& sight) : name_(name), sight_(sight) {}
  std::string_view name() const { return name_; }

  virtual void OnWrite(const Write&) {}
  // Once in a while.
  virtual void OnTick() {}
  // Faults have ended, everybody had time.
  virtual void AtRest() {}

  // Empty: it was kept.
  const std::string& breach() const { return breach_; }
  absl::Duration breach_at() const { return breach_at_; }
  uint64_t looks() const { return looks_; }

 protected:
  const Sight& sight() const { return sight_; }
  const Ledger& ledger() const { return sight_.ledger; }
  absl::Duration now() const { return sight_.now(); }
  // Fair weather has lasted for so long.
  bool IsFairFor(absl::Duration time) const { return now() - sight_.fair_since() >= time; }
  // One more case in which it could have been broken.
  void Look() { ++looks_; }
  void Break(std::string what) {
    if (!breach_.empty()) return;
    breach_ = std::move(what);
    breach_at_ = now();
  }
  // A breach if it is about a pod of another scheduler.
  void MustConcern(const Write& write, std::string_view scheduler);
  // A breach if its program does not hold the lease. Leases are written by all candidates.
  void MustLead(const Write& write, std::string_view lease);

 private:
  void MustBeFresh(const Write& write, const types::LeaseSpec& lease);

  const std::string_view name_;
  const Sight& sight_;
  std::string breach_;
  absl::Duration breach_at_;
  uint64_t looks_ = 0;
};

using PromisePtr = std::unique_ptr<Promise>;
PromisePtr MakeBoundOnce(const Sight& sight);
PromisePtr MakeRoom(const Sight& sight);
PromisePtr MakeKeptApart(const Sight& sight);
PromisePtr MakeWholeGangs(const Sight& sight);
PromisePtr MakeDeviceOnce(const Sight& sight);
PromisePtr MakeDevicesStay(const Sight& sight);
PromisePtr MakeQueueCapability(const Sight& sight);
PromisePtr MakeJobPhases(const Sight& sight);
PromisePtr MakeOnlyOurs(const Sight& sight);
PromisePtr MakeOneLeader(const Sight& sight);
PromisePtr MakeTimeoutsAct(const Sight& sight);
PromisePtr MakeQueueStates(const Sight& sight);
PromisePtr MakePhaseFirst(const Sight& sight);
PromisePtr MakeByIdentity(const Sight& sight);
PromisePtr MakeUnhurried(const Sight& sight);
PromisePtr MakeCommandsCount(const Sight& sight);
PromisePtr MakeEndedJobs(const Sight& sight);
PromisePtr MakeAllRun(const Sight& sight);
PromisePtr MakeDeletionsEnd(const Sight& sight);
PromisePtr MakeNoOrphans(const Sight& sight);
PromisePtr MakeTrueSums(const Sight& sight);
PromisePtr MakeFlowsInOrder(const Sight& sight);
PromisePtr MakeFlowsEnd(const Sight& sight);
PromisePtr MakeCronOnce(const Sight& sight);
// Where there are agent schedulers.
PromisePtr MakeSinglePods(const Sight& sight);
// Where schedulers keep to their shards.
PromisePtr MakeOwnShard(const Sight& sight);
// Where the policy keeps gangs near to one another.
PromisePtr MakeNearGangs(const Sight& sight);

// What cannot run as things are, however long one waits: batch jobs and PodGroups, as "jobs
// NS/NAME" and "podgroups NS/NAME". Some of them keep room from others, as their admission
// promised. When there are none: those that wait because their queue's part by weight is too small
// beside what the others ask for.
std::vector<std::string> HopelessOf(const Sight& sight);

// JobFlows and CronJobs, as "jobflows NS/NAME" and "cronjobs NS/NAME", whose next jobs no queue
// takes.
std::vector<std::string> RefusedOf(const Sight& sight);

// Those that hold in every cluster.
std::vector<PromisePtr> MakePromises(const Sight& sight);

}  // namespace bth::sim
