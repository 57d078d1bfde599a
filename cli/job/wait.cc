#include "cli/job/wait.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "base/suggest.h"
#include "cli/print/times.h"
#include "cli/session/follow.h"
#include "cli/session/progress.h"
#include "cli/text/object.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr std::string_view kDelete = "delete";

// What may be waited for.
std::vector<std::string_view> KnownGoals() {
  const auto phases = types::KnownWords<types::JobPhase>();
  std::vector<std::string_view> known(phases.begin(), phases.end());
  known.push_back(kDelete);
  return known;
}

// The phases of the comma-separated text.
absl::StatusOr<std::vector<std::string>> WantedPhases(const std::string& text) {
  const std::vector<std::string_view> known = KnownGoals();
  std::vector<std::string> wanted = SplitText(text, ',');
  for (const std::string& phase : wanted) {
    if (std::find(known.begin(), known.end(), phase) != known.end()) continue;
    return absl::InvalidArgumentError(StrCat("--for: there is no phase \"", phase, "\"",
                                             DidYouMean(phase, known), "; a job is ",
                                             ListOf(known)));
  }
  return wanted;
}

bool IsEnd(std::string_view phase) {
  return phase == "Completed" || phase == "Failed" || phase == "Terminated";
}

// "1 pending, 2 running".
std::string PodCountsText(const Json& status) {
  std::string text;
  for (const char* count :
       {"pending", "running", "succeeded", "failed", "terminating", "unknown"}) {
    const int64_t pods = status[count].AsInt();
    if (pods > 0) StrAppend(&text, text.empty() ? "" : ", ", pods, " ", count);
  }
  return text;
}

// Looks at a job again and again until there is something to say.
class Waiter final {
 public:
  Waiter(std::string name, std::vector<std::string> wanted)
      : name_(std::move(name)), wanted_(std::move(wanted)) {}

  // Whether to go on.
  bool TakeJob(const Json& job) {
    phase_ = job.At({"status", "state", "phase"}).AsString();
    pods_ = PodCountsText(job["status"]);
    is_met_ = Wants(phase_);
    if (!is_met_ && IsEnd(phase_) && !Wants(kDelete)) {
      failure_ = absl::FailedPreconditionError(
          StrCat("job ", name_, " is ", phase_, " and will not become ", WantedText()));
    }
    return !is_met_ && failure_.ok();
  }
  bool TakeDeletion() {
    phase_ = "deleted";
    is_met_ = Wants(kDelete);
    if (!is_met_) failure_ = absl::NotFoundError(StrCat("job ", name_, " was deleted"));
    return false;
  }
  bool TakeList(const std::vector<Json>& jobs) {
    if (!jobs.empty()) return TakeJob(jobs[0]);
    if (Wants(kDelete)) return TakeDeletion();
    failure_ = absl::NotFoundError(StrCat(JobType().FullName(), " \"", name_, "\" not found"));
    return false;
  }

  // For a person who waits as well.
  std::string Progress(absl::Duration waited) const {
    return StrCat("job ", name_, ": ", phase_.empty() ? "new" : phase_,
                  pods_.empty() ? "" : ", pods: ", pods_, "; waiting for ", WantedText(), " since ",
                  AgeText(waited));
  }

  const absl::Status& failure() const { return failure_; }
  const std::string& phase() const { return phase_; }

 private:
  bool Wants(std::string_view phase) const {
    return std::find(wanted_.begin(), wanted_.end(), phase) != wanted_.end();
  }
  std::string WantedText() const {
    return ListOf(std::vector<std::string_view>(wanted_.begin(), wanted_.end()));
  }

  const std::string name_;
  const std::vector<std::string> wanted_;
  std::string phase_;
  std::string pods_;
  bool is_met_ = false;
  absl::Status failure_;
};

}  // namespace

absl::Status WaitForJob(Session& session, const WaitFlags& flags) {
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.job.cluster));
  const std::string& name = flags.job.name;
  if (name.empty()) {
    return absl::InvalidArgumentError("job name is mandatory to wait for a particular job");
  }
  if (flags.job.ns.empty()) {  // It would be any job of that name.
    return absl::InvalidArgumentError("--namespace is empty: name the job's");
  }
  BTH_ASSIGN_OR_RETURN(std::vector<std::string> wanted, WantedPhases(flags.phases));
  Waiter waiter(name, std::move(wanted));
  ProgressLine progress(session.err(), session.err_terminal());
  const auto show = [&, begun = cluster->monotonic()] {
    progress.Show(waiter.Progress(cluster->monotonic() - begun));
  };
  std::optional<Ticker> ticker;
  if (progress.is_shown()) ticker.emplace(cluster->api().executor(), absl::Seconds(1), show);
  const Follower follower = {[&](const std::vector<Json>& jobs) {
                               const bool more = waiter.TakeList(jobs);
                               show();
                               return more;
                             },
                             [&](const Change& change) {
                               const bool more = change.type == "DELETED"
                                                     ? waiter.TakeDeletion()
                                                     : waiter.TakeJob(change.object);
                               show();
                               return more;
                             }};
  const bool is_limited = flags.timeout > absl::ZeroDuration();
  const absl::Duration timeout = is_limited ? flags.timeout : absl::InfiniteDuration();
  const Selectors one = {"", StrCat("metadata.name=", name)};
  const absl::Status ended =
      Follow(*cluster, {JobType(), flags.job.ns, ""}, one, timeout, follower);
  ticker.reset();
  progress.Clear();
  if (absl::IsDeadlineExceeded(ended)) {
    return absl::DeadlineExceededError(StrCat("timed out waiting for job ", name, ", which is ",
                                              waiter.phase().empty() ? "new" : waiter.phase()));
  }
  BTH_RETURN_IF_ERROR(ended);
  BTH_RETURN_IF_ERROR(cluster->WithNearNames(TargetOf(flags.job), waiter.failure()));
  session.out() << "job " << name << " is " << waiter.phase() << "\n";
  return absl::OkStatus();
}

Command WaitCommand() {
  auto flags = std::make_shared<WaitFlags>();
  Command leaf;
  leaf.name = "wait";
  leaf.short_text = "wait until a job is in a phase";
  AddJobFlags(&flags->job, kVcctlLetters, &leaf.flags);
  leaf.flags.Text(&flags->phases, {"for"}, "phases to wait for, any of a,b; or delete");
  std::vector<Candidate> offered;
  for (const std::string_view phase : KnownGoals()) offered.push_back({std::string(phase), ""});
  leaf.flags.OfferFor("for", OfferWordList(std::move(offered)));
  leaf.flags.Duration(&flags->timeout, {"timeout"}, "how long to wait; 0 is without end");
  leaf.run = [flags](Session& session) { return WaitForJob(session, *flags); };
  return leaf;
}

}  // namespace bth::cli
