#include "sim/trace/trace_command.h"

#include <fstream>
#include <istream>
#include <ostream>
#include <sstream>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "base/strings.h"
#include "sim/run.h"
#include "sim/trace/read_trace.h"
#include "sim/trace/report.h"
#include "sim/trace/write_trace.h"

namespace bth::trace {
namespace {

constexpr std::string_view kBuiltIn = "builtin";

absl::Status WriteText(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat(path, ": cannot be written"));
}

absl::StatusOr<TraceFormat> FormatOf(const TraceFlags& flags) {
  std::string_view format = flags.format;
  if (format == "auto") {
    format = flags.file.ends_with(".swf") ? "swf" : flags.file.ends_with(".csv") ? "csv" : "";
    if (format.empty()) {
      return absl::InvalidArgumentError(
          StrCat("--format: the name \"", flags.file, "\" does not tell; use swf or csv"));
    }
  }
  if (format == "swf") return TraceFormat::kSwf;
  if (format == "csv") return TraceFormat::kCsv;
  return absl::InvalidArgumentError(
      StrCat("--format: unknown form \"", format, "\"; use swf, csv or auto"));
}

absl::StatusOr<Trace> ReadTrace(const TraceFlags& flags, std::istream& in) {
  BTH_ASSIGN_OR_RETURN(const TraceFormat format, FormatOf(flags));
  ReadOptions options;
  options.file = flags.file == "-" ? "standard input" : flags.file;
  options.task_milli_cpu = flags.task_cpus * 1000;
  options.gang_percent = flags.gang_percent;
  std::ifstream file;
  if (flags.file != "-") {
    file.open(flags.file, std::ios::binary);
    if (!file) return absl::InvalidArgumentError(StrCat(flags.file, ": cannot be opened"));
  }
  std::istream& stream = flags.file == "-" ? in : file;
  return format == TraceFormat::kSwf ? ReadSwf(stream, options) : ReadCsv(stream, options);
}

absl::Status CheckFlags(const TraceFlags& flags) {
  if (flags.file.empty()) {
    return absl::InvalidArgumentError("no trace: name a file, or - to read it here");
  }
  if (flags.output != "table" && flags.output != "json") {
    return absl::InvalidArgumentError(
        StrCat("--output: unknown form \"", flags.output, "\"; use table or json"));
  }
  if (flags.on_eviction != "restart-job" && flags.on_eviction != "restart-task") {
    return absl::InvalidArgumentError(
        StrCat("--on-eviction: \"", flags.on_eviction, "\" is none of restart-job, restart-task"));
  }
  if (flags.task_cpus < 1 || flags.task_cpus > 100'000) {
    return absl::InvalidArgumentError("--task-cpus: must be between 1 and 100000");
  }
  if (flags.gang_percent < 1 || flags.gang_percent > 100) {
    return absl::InvalidArgumentError("--gang-percent: must be between 1 and 100");
  }
  return absl::OkStatus();
}

absl::StatusOr<absl::Duration> ParseUntil(const std::string& text) {
  if (text.empty()) return absl::ZeroDuration();
  absl::Duration until;
  if (absl::ParseDuration(text, &until) && until > absl::ZeroDuration() &&
      until != absl::InfiniteDuration()) {
    return until;
  }
  return absl::InvalidArgumentError(StrCat("--until: \"", text, "\" is no time such as 720h"));
}

// Says what is wrong, or odd, with a policy before much is done under it.
absl::Status CheckPolicy(const std::string& path, const framework::Registry& registry,
                         std::ostream& err) {
  if (path.empty()) return absl::OkStatus();
  BTH_ASSIGN_OR_RETURN(const std::string text, sim::ReadText(path));
  return Annotate(sim::ReadPolicy(text, registry, err).status(), path);
}

class Command {
 public:
  Command(const TraceFlags& flags, std::ostream& err) : flags_(flags), err_(err) {}

  absl::Status Run(std::function<void(apiserver::ApiServer&)> extend, std::istream& in,
                   std::ostream& out) {
    BTH_RETURN_IF_ERROR(CheckFlags(flags_));
    BTH_ASSIGN_OR_RETURN(options_.until, ParseUntil(flags_.until));
    BTH_ASSIGN_OR_RETURN(const framework::Registry registry, sim::MakeRegistry(flags_.plugins_dir));
    options_.registry = &registry;
    options_.extend = std::move(extend);
    options_.seed = flags_.seed;
    options_.form.restart_task_alone = flags_.on_eviction == "restart-task";
    std::vector<std::string> paths = {flags_.conf == kBuiltIn ? "" : flags_.conf};
    if (!flags_.compare.empty()) paths.push_back(flags_.compare == kBuiltIn ? "" : flags_.compare);
    for (const std::string& path : paths) BTH_RETURN_IF_ERROR(CheckPolicy(path, registry, err_));
    BTH_ASSIGN_OR_RETURN(const Trace trace, ReadTrace(flags_, in));
    BTH_ASSIGN_OR_RETURN(const ClusterParts parts, MakeClusterParts(flags_.cluster, trace));
    std::vector<Replay> replays;
    for (const std::string& path : paths) {
      BTH_ASSIGN_OR_RETURN(Replay replay, Play(trace, parts, path));
      replays.push_back(std::move(replay));
    }
    Report report{trace, parts, {}};
    for (const Replay& replay : replays) {
      report.runs.push_back({replay, FiguresOf(trace, parts, replay)});
    }
    if (!flags_.svg.empty()) BTH_RETURN_IF_ERROR(WriteText(flags_.svg, ReportSvg(report)));
    out << (flags_.output == "json" ? ReportJson(report).Pretty() + "\n" : ReportText(report));
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<Replay> Play(const Trace& trace, const ClusterParts& parts,
                              const std::string& path) {
    options_.policy_path = path;
    options_.policy_name = path.empty() ? "built-in" : path;
    if (flags_.progress) {
      options_.on_progress = [&](absl::Duration now, size_t submitted, size_t open) {
        err_ << absl::StrFormat("%s: %s, %d of %d jobs submitted, %d of them not ended",
                                options_.policy_name, DurationText(absl::ToDoubleSeconds(now)),
                                submitted, trace.jobs.size(), open)
             << std::endl;
      };
    }
    absl::StatusOr<Replay> replay = ReplayTrace(trace, parts, options_);
    if (!replay.ok()) return Annotate(replay.status(), options_.policy_name);
    if (flags_.progress) {
      err_ << absl::StrFormat("%s: done in %.1f s: %d cycles, %d requests, %d writes",
                              options_.policy_name, replay->seconds, replay->cycles,
                              replay->requests, replay->writes)
           << std::endl;
    }
    return replay;
  }

  const TraceFlags& flags_;
  std::ostream& err_;
  ReplayOptions options_;
};

int Ended(const absl::Status& status, std::string_view command, std::ostream& err) {
  if (status.ok()) return sim::kExitRan;
  err << command << ": " << status.message() << "\n";
  return absl::IsInternal(status) ? sim::kExitEngine : sim::kExitInput;
}

absl::Status Generate(const GenerateFlags& flags, std::ostream& out) {
  if (flags.format != "csv" && flags.format != "swf") {
    return absl::InvalidArgumentError(
        StrCat("--format: unknown form \"", flags.format, "\"; use csv or swf"));
  }
  BTH_ASSIGN_OR_RETURN(const Trace trace, GenerateTrace(flags.options));
  std::ostringstream text;
  flags.format == "csv" ? WriteCsv(trace, text) : WriteSwf(trace, text);
  if (!flags.path.empty()) return WriteText(flags.path, text.str());
  out << text.str();
  return absl::OkStatus();
}

}  // namespace

int RunTrace(const TraceFlags& flags, std::function<void(apiserver::ApiServer&)> extend,
             std::istream& in, std::ostream& out, std::ostream& err) {
  return Ended(Command(flags, err).Run(std::move(extend), in, out), "vc-sim trace", err);
}

int RunGenerate(const GenerateFlags& flags, std::ostream& out, std::ostream& err) {
  return Ended(Generate(flags, out), "vc-sim trace generate", err);
}

}  // namespace bth::trace
