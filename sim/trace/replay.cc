#include "sim/trace/replay.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "api/types/codec.h"
#include "api/types/meta.h"
#include "api/types/pod_group.h"
#include "base/status.h"
#include "base/strings.h"
#include "sim/trace/trace_cluster.h"

namespace bth::trace {
namespace {

// The cluster is up before the trace begins.
constexpr absl::Duration kSettle = absl::Seconds(30);
// When nothing ran and nothing happened for so long, nothing will, and all reasons are told anew.
constexpr absl::Duration kPatience = absl::Hours(7);
constexpr absl::Duration kStep = absl::Minutes(1);
constexpr char kJobsPath[] = "/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs";

// Each run of digits becomes one.
std::string WithoutAmounts(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit) {
      out.push_back(c);
    } else if (out.empty() || out.back() != 'N') {
      out.push_back('N');
    }
  }
  return out;
}

class Player {
 public:
  Player(const Trace& trace, const ClusterParts& parts, const ReplayOptions& options)
      : trace_(trace),
        parts_(parts),
        options_(options),
        end_(options.until > absl::ZeroDuration() ? kSettle + options.until
                                                  : absl::InfiniteDuration()),
        use_(parts.capacity, parts.claims),
        follower_(trace, use_, [this] { return NowMs(); }) {}

  absl::Status Play() {
    BTH_RETURN_IF_ERROR(Prepare());
    BTH_RETURN_IF_ERROR(SubmitAll());
    BTH_RETURN_IF_ERROR(AwaitEnd());
    use_.End(NowMs());
    if (const std::string complaint = cluster_->complaint(); !complaint.empty()) {
      return absl::InternalError(StrCat("the scheduler broke a rule of its own: ", complaint));
    }
    ExplainOpen();
    return absl::OkStatus();
  }
  Replay Take() {
    Replay out{options_.policy_name,
               follower_.courses(),
               use_,
               std::move(never_started_),
               follower_.failures(),
               cluster_->cycles(),
               cluster_->requests(),
               writes_,
               0};
    return out;
  }

 private:
  int64_t NowMs() const {
    if (cluster_ == nullptr) return 0;
    return std::max<int64_t>(0, absl::ToInt64Milliseconds(cluster_->now() - kSettle));
  }
  bool TimeIsUp() const { return cluster_->now() >= end_; }
  absl::Status Prepare();
  absl::Status Pass(absl::Duration end);
  absl::Status SubmitAll();
  void Submit(size_t number);
  absl::Status AwaitEnd();
  void ExplainOpen();
  void NoteWaiting(size_t number, const std::string& message);

  const Trace& trace_;
  const ClusterParts& parts_;
  const ReplayOptions& options_;
  const absl::Duration end_;  // Not beyond.
  UseOverTime use_;
  JobFollower follower_;
  uint64_t writes_ = 0;
  size_t submitted_ = 0;
  std::map<std::string, Waiting> never_started_;
  std::unique_ptr<TraceCluster> cluster_;
};

absl::Status Player::Prepare() {
  TraceClusterOptions options;
  options.start = absl::FromUnixSeconds(trace_.start_unix_s) - kSettle;
  options.seed = options_.seed;
  options.policy_path = options_.policy_path;
  options.registry = options_.registry;
  options.extend = options_.extend;
  options.on_event = [this](const apiserver::Collection& collection,
                            const apiserver::StoreEvent& event) {
    ++writes_;
    follower_.Note(collection, event);
  };
  options.on_eviction = [this](std::string_view pod) { follower_.Evicted(pod); };
  auto made = TraceCluster::Create(std::move(options));
  if (!made.ok()) return made.status();
  cluster_ = *std::move(made);
  for (const ClusterObject& each : parts_.objects) {
    const TraceCluster::Answer answer = cluster_->Call("POST", each.path, each.object.Dump());
    if (answer.code == 201) continue;
    return absl::InvalidArgumentError(
        StrCat(each.origin, ": ", answer.body["message"].AsString("refused")));
  }
  cluster_->StartPrograms();
  return Pass(kSettle);
}

absl::Status Player::Pass(absl::Duration end) {
  if (cluster_->RunUntil(end)) return absl::OkStatus();
  return absl::InternalError(StrCat("a moment without end, ",
                                    absl::FormatDuration(cluster_->now() - kSettle),
                                    " after the beginning of the trace"));
}

absl::Status Player::SubmitAll() {
  absl::Duration told;
  for (; submitted_ < trace_.jobs.size(); ++submitted_) {
    const absl::Duration at = kSettle + absl::Seconds(trace_.jobs[submitted_].submit_s);
    BTH_RETURN_IF_ERROR(Pass(std::min(at, end_)));
    if (TimeIsUp()) break;
    Submit(submitted_);
    if (options_.on_progress && cluster_->now() >= told + absl::Hours(6)) {
      told = cluster_->now();
      options_.on_progress(told - kSettle, submitted_, follower_.open());
    }
  }
  return absl::OkStatus();
}

void Player::Submit(size_t number) {
  follower_.Submitted(number);
  const TraceCluster::Answer answer =
      cluster_->Call("POST", kJobsPath, JobManifest(trace_, parts_, number, options_.form));
  if (answer.code == 201) return;
  NoteWaiting(number, StrCat("refused: ", answer.body["message"].AsString()));
  follower_.Refused(number);
}

absl::Status Player::AwaitEnd() {
  uint64_t changes = follower_.changes();
  absl::Duration quiet_since = cluster_->now();
  while (follower_.open() > 0 && !TimeIsUp()) {
    BTH_RETURN_IF_ERROR(Pass(std::min(cluster_->now() + kStep, end_)));
    if (follower_.changes() != changes || use_.bound() > 0) {
      changes = follower_.changes();
      quiet_since = cluster_->now();
    } else if (cluster_->now() - quiet_since >= kPatience) {
      break;
    }
  }
  return absl::OkStatus();
}

// What the scheduler says of those that are left.
void Player::ExplainOpen() {
  std::map<size_t, std::string> messages;
  const apiserver::Collection* const groups =
      cluster_->server().store().Find("podgroups.scheduling.volcano.sh");
  if (groups != nullptr) {
    for (const apiserver::ObjectPtr& object : groups->All("default")) {
      const int64_t number = JobNumberOf(object->key.name);
      const auto group = types::Decode<types::PodGroup>(std::string_view(object->bytes));
      if (number < 0 || !group.ok()) continue;
      const types::Condition* const condition =
          types::FindCondition(group->status.conditions, "Unschedulable");
      if (condition != nullptr) messages[static_cast<size_t>(number)] = condition->message;
    }
  }
  for (size_t number = 0; number < submitted_; ++number) {
    const JobCourse& course = follower_.courses()[number];
    if (course.end != JobCourse::End::kOpen || course.started_ms >= 0) continue;
    const auto found = messages.find(number);
    NoteWaiting(number, found != messages.end() ? found->second
                                                : std::string("the scheduler gave no reason yet"));
  }
}

void Player::NoteWaiting(size_t number, const std::string& message) {
  Waiting& waiting = never_started_[WithoutAmounts(message)];
  if (waiting.jobs++ > 0) return;
  const std::string& name = trace_.jobs[number].name;
  waiting.example = name.empty() ? JobNameOf(number) : name;
  waiting.message = message;
}

}  // namespace

absl::StatusOr<Replay> ReplayTrace(const Trace& trace, const ClusterParts& parts,
                                   const ReplayOptions& options) {
  const auto begun = std::chrono::steady_clock::now();
  Player player(trace, parts, options);
  BTH_RETURN_IF_ERROR(player.Play());
  Replay replay = player.Take();
  replay.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return replay;
}

}  // namespace bth::trace
