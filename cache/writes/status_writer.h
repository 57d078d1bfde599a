// Brings PodGroup, pod and queue statuses in line with the last cycle's report, with few writes.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/timetable.h"
#include "cache/cluster/mirror.h"
#include "cache/writes/sent_statuses.h"
#include "client/api_client.h"
#include "client/event_recorder.h"
#include "framework/session/effects.h"
#include "metrics/scheduler_metrics.h"

namespace bth::cache {

// One desired per object, the newest; a desired that the object already shows is dropped without a
// write. Phases go out at once, but that a gang is placed waits for `tally`, like counts: its pods
// start a moment later, and both are told in one write. Reasons go out after `settle`, so that what
// is bound a moment later is never called unschedulable. After `reword`: a mere change of wording,
// and which pods of a waiting gang would have a place.
// Pods of a gang that has too few are told no sooner than `gather` after the last one came: most
// often they all come. Thread: I/O.
class StatusWriter {
 public:
  struct Delays {
    absl::Duration settle = absl::Milliseconds(500);
    absl::Duration tally = absl::Seconds(1);
    absl::Duration reword = absl::Seconds(2);
    absl::Duration gather = absl::Seconds(2);
    absl::Duration retry_max = absl::Minutes(1);  // After failures in a row, from 2 x settle.
  };

  // `wake` is called when work appears.
  StatusWriter(client::ApiClient& api, Mirror& mirror, client::EventRecorder& events,
               metrics::SchedulerMetrics* metrics, std::function<void()> wake);
  ~StatusWriter();
  // Of what comes due from now on.
  void SetReword(absl::Duration reword) { delays_.reword = reword; }

  void Take(framework::CycleReport report);
  // A PodScheduled condition that no cycle reports. `at_once`: without the pause for settling.
  void WantPodCondition(const std::string& key, const std::string& uid, std::string reason,
                        std::string message, bool at_once);
  // The same of a pod that has a place, and for what it waits there; at once.
  void WantBindingCondition(const std::string& key, const std::string& uid, std::string reason,
                            std::string message);

  // A condition of a PodGroup that no cycle reports. It stays in every later write, until the
  // object shows it with another status than True.
  void WantGroupCondition(const std::string& key, ShownCondition condition);

  bool HasWork() const { return !ready_.empty(); }
  // Desired states, and places where they wait: bounded by the objects there are.
  size_t waiting() const {
    return groups_.size() + pods_.size() + queues_.size() + due_.size() + ready_.size();
  }
  // Sends the oldest ready desired, if any; what it failed with is known here already, and
  // `object`, if not null, then names its object. A desired that fails waits by itself.
  net::Awaitable<absl::Status> SendOne(std::string* object = nullptr);

 private:
  enum class Kind : uint8_t { kPodGroup, kPod, kQueue };
  using Target = std::pair<Kind, std::string>;  // Key of the object.

  struct DesiredGroup {
    std::string uid;
    std::string session;
    ShownPodGroup status;
    std::vector<framework::EventReport> events = {};
    // The events are of the cycle that places the gang. The next report that leaves something to
    // write is another one: they are told even if nothing is written.
    bool is_placing = false;
  };
  struct DesiredPod {
    std::string uid;
    std::string reason;
    std::string message;
    std::string nominated_node = {};
    std::string gathering = {};  // Key of its PodGroup, while that has too few pods.
    bool is_binding = false;     // It has a place, and waits for something there.
  };
  struct ShownPod {  // The object's, or what was sent.
    std::string_view reason;
    std::string_view message;
    std::string_view nominated_node;
  };
  struct DesiredQueue {
    std::string uid;
    NamedAmounts allocated;
  };
  // A gang with too few pods.
  struct Gathering {
    int32_t pods = 0;
    absl::Duration since;  // Monotonic time at which it had another number.
  };
  // How different a desired is from what the object shows.
  enum class Urgency : uint8_t { kNone, kReword, kTally, kSettle, kNow };
  struct Failures {
    int in_a_row = 0;
    // UID of the object whose last write the server refused, and would again; nothing: what failed
    // may be gone with the next news.
    std::optional<std::string> refused;
    absl::Duration paused_until = absl::ZeroDuration();  // By the monotonic clock.
  };
  // Why a target waits for its time.
  struct Wait {
    absl::Duration since;  // From then on, by the monotonic clock.
    Urgency urgency = Urgency::kNone;
  };

  void TakeGroup(const framework::CycleReport& report, const framework::PodGroupReport& group);
  void TakeCounts(const framework::CycleReport& report, const framework::PodGroupCounts& counts);
  // Null: the PodGroup is gone, or another scheduler's pods made it theirs.
  const ShownPodGroup* KnownOfOurs(const std::string& key, std::string_view uid) const;
  // What is wanted of a PodGroup, to add to. Null: as above.
  DesiredGroup* Wanted(const std::string& key, const std::string& uid);
  void NoteGathering(const std::string& key);
  void TakePod(const framework::CycleReport& report, const framework::PodReport& pod);
  void TakeQueue(const framework::CycleReport& report, const framework::QueueReport& queue);
  bool IsPlacing(const std::string& key, model::PodGroupPhase from, model::PodGroupPhase to) const;
  Urgency GroupUrgency(const std::string& key) const;
  // Nothing: the pod is gone, or in another state.
  std::optional<ShownPod> ShownBy(const std::string& key, std::string_view uid,
                                  model::TaskStatus status) const;
  static Urgency ReasonUrgency(const ShownPod& shown, std::string_view reason,
                               std::string_view message);
  Urgency PodUrgency(const std::string& key) const;
  Urgency PodUrgency(const std::string& key, const DesiredPod& desired) const;
  Urgency QueueUrgency(const std::string& key) const;
  Urgency UrgencyOf(const Target& target) const;
  // Until when the target waits for more pods to come; in the past when it does not.
  absl::Duration GathersUntil(const Target& target) const;
  // Of the object that the target's desired is for; it has one.
  const std::string& UidOf(const Target& target) const;
  bool IsThere(const Target& target, const std::string& uid) const;
  // The server refused the last write, and the pause is not over. Nothing that cycles say of the
  // object ends it.
  bool IsHeldOff(const Target& target) const;
  // Of a target without a desired: sees to it that one that comes again soon goes on with the
  // pauses after refusals. False: there is nothing to remember, or it has been long enough.
  bool KeepsPause(const Target& target);
  // Puts the target where its urgency belongs: ready, or due later.
  void Schedule(const Target& target);
  void MakeReady(const Target& target);
  void DueBy(const Target& target, Urgency urgency, absl::Duration delay);
  void ArmTimer(absl::Duration at);
  void ForgetShown();
  void FireDue();
  void Drop(const Target& target);
  void DropGroup(const std::string& key);
  // The desired on top of what the group is known to show.
  void Rebase(const ShownPodGroup& known, ShownPodGroup* wanted) const;
  // All but a warning that the pods are unschedulable, which the newer one replaces, stays worth
  // telling when a newer desired comes before it was told.
  static void KeepUntold(const DesiredGroup& untold, DesiredGroup* desired);
  void TellGroup(const std::string& key, const DesiredGroup& desired);
  // An exception counts as a failure.
  net::Awaitable<absl::Status> Send(Target target);
  net::Awaitable<absl::Status> SendGroup(std::string key);
  net::Awaitable<absl::Status> SendPod(std::string key);
  net::Awaitable<absl::Status> SendQueue(std::string key);
  // `uid`: of the object that was written.
  void Settled(const Target& target, const std::string& uid, const absl::Status& status);
  // What the server will not write is no nomination.
  void ForgetNomination(const std::string& key);

  client::ApiClient& api_;
  Mirror& mirror_;
  client::EventRecorder& events_;
  metrics::SchedulerMetrics* const metrics_;
  const std::function<void()> wake_;
  Delays delays_;
  std::map<std::string, DesiredGroup> groups_;
  std::map<std::string, DesiredPod> pods_;
  std::map<std::string, DesiredQueue> queues_;
  std::map<std::string, Gathering> gathering_;              // By key of the PodGroup.
  std::map<std::string, ShownCondition> group_conditions_;  // Of WantGroupCondition.
  std::string last_session_;
  // What we sent and the watch has not shown yet.
  SentStatuses<ShownPodGroup> sent_groups_;
  SentStatuses<ShownQueue> sent_queues_;
  absl::flat_hash_map<std::string, DesiredPod> sent_pods_;
  // A target waits for its time, is ready, or is in flight; never two of them at once. What is
  // ready or in flight keeps its desired.
  std::deque<Target> ready_;  // In order; a target stands here once.
  Timetable<Target, Wait> due_;
  absl::flat_hash_map<Target, bool> busy_;  // Ready (false) or in flight (true).
  absl::flat_hash_map<Target, Failures> failures_;
  net::Executor::TimerId timer_ = 0;
  absl::Duration timer_at_ = absl::InfiniteDuration();
};

}  // namespace bth::cache
