// Jobs of which a binding failed: how long they back off, what their PodGroups say, and when a gang
// that cannot be completed is released.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "cache/cluster/mirror.h"
#include "cache/writes/status_writer.h"
#include "client/event_recorder.h"
#include "metrics/scheduler_metrics.h"

namespace bth::cache {

// Why a binding did not happen; decides how long its job backs off.
enum class BindFailure : uint8_t {
  kInterrupted,  // It was not sent: an earlier life of this program ended, or its node went,
                 // before.
  kUnreachable,  // No answer, or none that means anything; the pod is not bound.
  kConflict,     // Somebody else changed the pod.
  kGone,         // The pod is no more; another one may come.
  kRefused,      // The server does not want it: trying again changes little.
};

struct GangFailureOptions {
  // How long a job backs off after a binding of it failed, doubling up to the second.
  std::pair<absl::Duration, absl::Duration> backoff_unreachable = {absl::Milliseconds(500),
                                                                   absl::Seconds(30)};
  std::pair<absl::Duration, absl::Duration> backoff_conflict = {absl::Seconds(1), absl::Minutes(1)};
  std::pair<absl::Duration, absl::Duration> backoff_refused = {absl::Seconds(5), absl::Minutes(5)};
  // A gang that never was whole may be half bound for so long, not counting the time in which the
  // server could not be reached. Then its bound pods are evicted, and it starts again.
  absl::Duration release_after = absl::Minutes(10);
  absl::Duration release_retry = absl::Minutes(1);  // When some of them are still there.
};

// A gang that was whole and lost pods is never released: what is left of it may be at work. While
// its PodGroup is away, which a controller may make anew around the same pods, nothing is said or
// done about a gang, and nothing forgotten as long as some of its pods have a place.
// All times are monotonic. Thread: I/O.
class GangFailures {
 public:
  // Evicts a pod of a gang that is released.
  using EvictFn = std::function<void(const PlacedPod& pod, const std::string& job)>;

  // All of them outlive it; `metrics` may be null.
  GangFailures(Mirror& mirror, StatusWriter& statuses, client::EventRecorder& events,
               metrics::SchedulerMetrics* metrics, GangFailureOptions options);
  void OnRelease(EvictFn evict) { evict_ = std::move(evict); }

  // Takes up the gangs that an earlier life of this program left half bound, whether it got to
  // say so or not. Called before anything is bound and again at will: only the first call looks,
  // at all PodGroups.
  void LookBack(absl::Duration now);
  // The mirror has started over, and is read anew. Called while no batch is on its way: the next
  // one, or the end of a cycle, finds it whole, and what bindings came to meanwhile is judged then.
  void StartOver() { reads_anew_ = true; }
  // A batch that binds pods of the job comes in, before any of them is assumed bound.
  void BatchComes(const std::string& job);
  void BindingBegins(const std::string& job) { ++under_way_[job].bindings; }
  // The job backs off for `at_least` as well: the server said so.
  void BindingFailed(const std::string& job, BindFailure why, std::string what, absl::Duration now,
                     absl::Duration at_least = absl::ZeroDuration());
  // Whatever came of it.
  void BindingEnds(const std::string& job, absl::Duration now);
  // Forgets what BatchComes noted of jobs of which no binding began.
  void BatchCame();

  // What the watch told may have completed or ended gangs. Called after each cycle; the cost
  // follows their number. `gangs_are_kept`: by the policy in force. Otherwise some of a PodGroup's
  // pods may well be bound without the others, and nothing is said or done about it.
  void ReviewAll(absl::Duration now, bool gangs_are_kept);
  // When the next gang is to be released; InfiniteDuration when none.
  absl::Duration NextRelease() const;

 private:
  struct UnderWay {
    int32_t bindings = 0;
    bool from_nothing = false;  // Nothing of the job was bound before.
  };
  // A job of which a binding failed and that has pods left to bind.
  struct Failure {
    BindFailure why = BindFailure::kInterrupted;
    std::string what;  // The last failure, in words.
    absl::Duration next_backoff;
    absl::Duration backoff_until = -absl::InfiniteDuration();
    bool half_bound = false;   // And its PodGroup says so.
    bool never_whole = false;  // Since nothing of it was bound.
    absl::Duration release_at = absl::InfiniteDuration();
    bool releasing = false;
    // An earlier life of this program left it without a PodGroup: what to make of it is seen when
    // one comes.
    bool unjudged = false;
  };

  void BackOff(const std::string& job, BindFailure why, Failure* failure, absl::Duration now,
               absl::Duration at_least);
  // The jobs whose last binding ended while the mirror was read anew.
  void EndUnseen();
  // The last binding of a gang of which nothing was bound before has come about.
  void NoteLoss(const std::string& job);
  // What an earlier life of this program left. False: it was whole.
  bool TakeUp(const std::string& job, absl::Duration now, Failure* failure);
  // True when nothing is left to say about the job.
  bool Review(const std::string& job, Failure* failure, absl::Duration now);
  void Release(const std::string& job, Failure* failure, absl::Duration now);
  void Tell(const std::string& job, const GangView& gang, Failure* failure);
  void RecordEvent(const std::string& job, const GangView& gang, std::string reason,
                   std::string message);

  Mirror& mirror_;
  StatusWriter& statuses_;
  client::EventRecorder& events_;
  metrics::SchedulerMetrics* const metrics_;
  const GangFailureOptions options_;
  EvictFn evict_;
  absl::flat_hash_map<std::string, UnderWay> under_way_;  // By job.
  std::map<std::string, Failure> failures_;               // By job.
  bool looked_back_ = false;
  bool reads_anew_ = false;  // The mirror does not show all gangs.
  bool gangs_are_kept_ = true;
};

}  // namespace bth::cache
