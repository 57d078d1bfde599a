#include "cli/logs/command.h"

#include <algorithm>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "api/types/pod.h"
#include "base/status.h"
#include "base/strings.h"
#include "cli/logs/line_printer.h"
#include "cli/print/table.h"
#include "cli/session/cluster.h"
#include "cli/session/offers.h"

namespace bth::cli {
namespace {

using types::Json;

// Each is a connection.
constexpr size_t kFollowedMax = 100;
// Between two looks at which pods there are.
constexpr absl::Duration kLookPause = absl::Seconds(1);

bool IsJobOver(const std::optional<Json>& job) {
  if (!job) return true;
  const std::string_view phase = job->At({"status", "state", "phase"}).AsString();
  return phase == "Completed" || phase == "Failed" || phase == "Terminated" || phase == "Aborted";
}

class LogsRun final {
 public:
  LogsRun(Session& session, Cluster& cluster, const LogsFlags& flags)
      : session_(session), cluster_(cluster), flags_(flags) {}

  // One after the other.
  absl::Status ReadAll() {
    BTH_RETURN_IF_ERROR(Look());
    if (places_.empty()) return Nothing();
    const bool has_prefix = flags_.prefix || places_.size() > 1;
    for (const LogPlace& place : places_) {
      Reading reading(session_.out(), PrefixOf(place, has_prefix));
      Begin(place, false, &reading);
      while (!reading.reader->is_over()) cluster_.Pause(absl::InfiniteDuration());
      reading.printer.Finish();
      // The only one needs no name.
      if (places_.size() == 1) return reading.reader->status();
      NoteEnd(place.pod, reading.reader->status());
    }
    return Summary();
  }

  // All at once, with those that begin meanwhile, until the job is over.
  absl::Status Follow() {
    for (bool is_first = true;; is_first = false) {
      BTH_RETURN_IF_ERROR(Look());
      const bool may_come = !IsJobOver(job_) && PodsMeant() > 0;
      if (is_first && places_.empty() && !may_come) return Nothing();
      for (const LogPlace& place : places_) {
        if (!place.has_run || !begun_.insert({place.uid, place.restarts}).second) continue;
        if (readings_.size() >= kFollowedMax) {
          return absl::ResourceExhaustedError(
              StrCat("more than ", kFollowedMax,
                     " logs to be followed at once: choose with --task, --index or --pod"));
        }
        readings_.emplace_back(session_.out(), PrefixOf(place, HasSeveral()));
        readings_.back().pod = place.pod;
        Begin(place, known_.insert(place.uid).second, &readings_.back());
      }
      if (readings_.empty() && (IsJobOver(job_) || AreChosenOver())) return Summary();
      cluster_.Pause(kLookPause);
      readings_.remove_if([this](Reading& reading) {
        if (!reading.reader->is_over()) return false;
        reading.printer.Finish();
        NoteEnd(reading.pod, reading.reader->status());
        return true;
      });
    }
  }

 private:
  struct Reading {
    Reading(std::ostream& out, std::string prefix) : printer(out, std::move(prefix)) {}
    LinePrinter printer;
    std::string pod;
    std::unique_ptr<TextReader> reader;
  };

  // Reads the job, and the places where its logs are.
  absl::Status Look() {
    job_.reset();
    absl::StatusOr<Json> job = cluster_.Get(TargetOf(flags_.job));
    if (!job.ok() && !absl::IsNotFound(job.status())) return job.status();
    const types::ResourceType& type = types::ResourceTraits<types::Pod>::type();
    const Selectors selectors = {StrCat("volcano.sh/job-name=", flags_.job.name), ""};
    BTH_ASSIGN_OR_RETURN(const ObjectList pods,
                         cluster_.List({type, flags_.job.ns, ""}, selectors));
    // A job that is gone may have left pods.
    if (!job.ok() && pods.items.empty() && !has_looked_) return job.status();
    has_looked_ = true;
    if (job.ok()) job_ = *std::move(job);
    BTH_ASSIGN_OR_RETURN(places_, LogPlaces(job_ ? &*job_ : nullptr, pods.items, flags_.choice));
    for (const LogPlace& place : places_) {
      if (place.other_containers.empty() || std::exchange(has_told_default_, true)) continue;
      session_.err() << "Defaulted container \"" << place.container
                     << "\" out of: " << place.other_containers << "\n";
    }
    return absl::OkStatus();
  }

  absl::Status Nothing() const {
    const std::string choice = ChoiceText(flags_.choice);
    const std::string what = choice.empty() ? "" : StrCat(" (", choice, ")");
    return absl::NotFoundError(StrCat("job ", flags_.job.name, " has no pod", what,
                                      "; vcctl job explain -n ", flags_.job.ns, " -N ",
                                      flags_.job.name, " tells what it waits for"));
  }

  // How many pods there will be, as the job has it.
  int64_t PodsMeant() const {
    const LogChoice& choice = flags_.choice;
    if (!choice.pod.empty() || !job_) return 1;
    int64_t pods = 0;
    for (const Json& task : job_->At({"spec", "tasks"}).items()) {
      if (!choice.task.empty() && task["name"].AsString() != choice.task) continue;
      const int64_t replicas = task["replicas"].AsInt();
      pods += choice.index ? (*choice.index < replicas ? 1 : 0) : replicas;
    }
    return pods;
  }

  // Several may come, though only one is there yet.
  bool HasSeveral() const { return flags_.prefix || places_.size() > 1 || PodsMeant() > 1; }

  // Some pods were asked for, and these have ended, though the job goes on.
  bool AreChosenOver() const {
    if (ChoiceText(flags_.choice).empty() || static_cast<int64_t>(places_.size()) < PodsMeant()) {
      return false;
    }
    return std::all_of(places_.begin(), places_.end(),
                       [](const LogPlace& place) { return place.is_over; });
  }

  std::string PrefixOf(const LogPlace& place, bool is_wanted) const {
    if (!is_wanted) return "";
    return StrCat(Coloured(StrCat("[", place.pod, "]"), Tone::kFaint, session_.terminal().colour),
                  " ");
  }

  // `is_first`: of this pod. What a container does when it begins anew is all new.
  void Begin(const LogPlace& place, bool is_first, Reading* reading) {
    const types::ResourceType& type = types::ResourceTraits<types::Pod>::type();
    TextRequest request = {{type, flags_.job.ns, place.pod}, "log", {}};
    request.query.emplace_back("container", place.container);
    if (flags_.follow) request.query.emplace_back("follow", "true");
    if (flags_.previous) request.query.emplace_back("previous", "true");
    if (flags_.timestamps) request.query.emplace_back("timestamps", "true");
    if (is_first || !flags_.follow) {
      if (flags_.tail >= 0) request.query.emplace_back("tailLines", StrCat(flags_.tail));
      if (flags_.since > absl::ZeroDuration()) {
        const int64_t seconds = absl::ToInt64Seconds(absl::Ceil(flags_.since, absl::Seconds(1)));
        request.query.emplace_back("sinceSeconds", StrCat(seconds));
      }
    }
    LinePrinter* const printer = &reading->printer;
    reading->reader =
        cluster_.ReadText(request, [printer](std::string_view piece) { printer->Take(piece); });
  }

  void NoteEnd(const std::string& pod, const absl::Status& status) {
    ++ended_;
    if (status.ok()) return;
    ++failed_;
    session_.err() << pod << ": " << ToStd(status.message()) << "\n";
  }

  absl::Status Summary() const {
    if (failed_ == 0) return absl::OkStatus();
    return absl::UnavailableError(
        StrCat(failed_, " of ", ended_, " logs could not be read to the end"));
  }

  Session& session_;
  Cluster& cluster_;
  const LogsFlags& flags_;
  std::optional<Json> job_;  // None: it is gone.
  std::vector<LogPlace> places_;
  bool has_looked_ = false;
  bool has_told_default_ = false;
  std::set<std::pair<std::string, int64_t>> begun_;  // By pod and restarts.
  std::set<std::string> known_;                      // Pods.
  std::list<Reading> readings_;
  int64_t ended_ = 0;
  int64_t failed_ = 0;
};

absl::Status CheckLogsFlags(const LogsFlags& flags) {
  if (flags.job.name.empty()) {
    return absl::InvalidArgumentError(
        "job name (specified by --name or -N) is mandatory to show the logs of a particular job");
  }
  if (flags.follow && flags.previous) {
    return absl::InvalidArgumentError(
        "--previous shows a run that is over: it cannot be followed (-f)");
  }
  if (!flags.choice.pod.empty() && (flags.index >= 0 || !flags.choice.task.empty())) {
    return absl::InvalidArgumentError("--pod names one pod: leave out --task and --index");
  }
  if (flags.since < absl::ZeroDuration()) {
    return absl::InvalidArgumentError("--since: must not be negative");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ShowLogs(Session& session, LogsFlags flags) {
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.job.cluster));
  BTH_RETURN_IF_ERROR(CheckLogsFlags(flags));
  session.Apply(flags.job.show);
  if (flags.index >= 0) flags.choice.index = flags.index;
  LogsRun run(session, *cluster, flags);
  return flags.follow ? run.Follow() : run.ReadAll();
}

Command LogsCommand() {
  auto flags = std::make_shared<LogsFlags>();
  Command leaf;
  leaf.name = "logs";
  leaf.short_text = "show what the pods of a job write";
  leaf.long_text =
      "Shows what the pods of a job write, in the order of its tasks and of their index; when "
      "there "
      "are several,\neach line behind the name of its pod. With -f until the job is over, pods "
      "that "
      "start meanwhile too.";
  leaf.example = "  vcctl job logs -n research -N train --task worker --index 0 -f";
  FlagSet& set = leaf.flags;
  AddJobFlags(&flags->job, kVcctlLetters, &set);
  AddColourFlag(&flags->job.show, &set);
  const JobPlace place{&flags->job.cluster, &flags->job.ns, &flags->job.name};
  set.Text(&flags->choice.task, {"task"}, "only pods of this task");
  set.OfferFor("task", OfferTasksOfJob(place));
  set.Int(&flags->index, {"index"}, "only the pod of this index in each task");
  set.Text(&flags->choice.pod, {"pod"}, "only the pod of this name");
  set.OfferFor("pod", OfferPodsOfJob(place));
  set.Text(&flags->choice.container, {"container", 'c'},
           "the container; otherwise the pod's default, or its first");
  set.Bool(&flags->follow, {"follow", 'f'}, "show what comes until the job is over");
  set.Bool(&flags->previous, {"previous", 'p'}, "show the run before the last restart");
  set.Int(&flags->tail, {"tail"}, "only so many lines at the end of each log; -1: all");
  set.Duration(&flags->since, {"since"}, "only what is not older, as 5s, 2m or 3h");
  set.Bool(&flags->timestamps, {"timestamps"}, "the time before each line");
  set.Bool(&flags->prefix, {"prefix"}, "the pod before each line, also when there is but one");
  leaf.run = [flags](Session& session) { return ShowLogs(session, *flags); };
  return leaf;
}

}  // namespace bth::cli
