#include <algorithm>
#include <array>
#include <string_view>

#include "base/status.h"
#include "base/strings.h"
#include "sim/trace/lines.h"
#include "sim/trace/read_trace.h"

namespace bth::trace {
namespace {

// Fields of the Standard Workload Format, version 2.2, from 0.
enum Field : size_t {
  kJob,
  kSubmit,
  kWait,
  kRun,
  kAllocated,
  kCpuTime,
  kUsedMemory,
  kRequested,
  kRequestedTime,
  kRequestedMemory,
  kStatus,
  kUser,
  kGroup,
  kProgram,
  kQueue,
  kPartition,
  kPreceding,
  kThinkTime,
  kFields,
};
constexpr const char* kFieldNames[kFields] = {"job number",
                                              "submit time",
                                              "wait time",
                                              "run time",
                                              "allocated processors",
                                              "average CPU time",
                                              "used memory",
                                              "requested processors",
                                              "requested time",
                                              "requested memory",
                                              "status",
                                              "user",
                                              "group",
                                              "executable",
                                              "queue",
                                              "partition",
                                              "preceding job",
                                              "think time"};
constexpr int64_t kUnknown = -1;

using Fields = std::array<int64_t, kFields>;

constexpr char kBlanks[] = " \t";

absl::StatusOr<Fields> ParseFields(std::string_view line) {
  Fields fields{};
  size_t count = 0;
  for (const absl::string_view text :
       SplitText(line, absl::ByAnyChar(kBlanks), absl::SkipEmpty())) {
    const size_t at = count++;
    if (at >= kFields) continue;
    BTH_ASSIGN_OR_RETURN(fields[at], ParseSeconds(kFieldNames[at], ToStd(text)));
    if (fields[at] < kUnknown) {
      return absl::InvalidArgumentError(StrCat(kFieldNames[at], ": ", fields[at],
                                               " is negative; write -1 where it is not known"));
    }
  }
  if (count != kFields) {
    return absl::InvalidArgumentError(
        StrCat(count, " fields, where a job has ", size_t{kFields},
               "; write -1 for what is not known, and ; before comments"));
  }
  return fields;
}

// "; UnixStartTime: 749458803"
void TakeComment(std::string_view line, TraceBuilder* builder) {
  constexpr std::string_view kStartTime = "UnixStartTime:";
  const size_t at = line.find(kStartTime);
  if (at == std::string_view::npos) return;
  std::string_view value = line.substr(at + kStartTime.size());
  value.remove_prefix(std::min(value.find_first_not_of(kBlanks), value.size()));
  value = value.substr(0, value.find_first_not_of("0123456789"));
  int64_t start = 0;
  if (SimpleAtoi(value, &start) && start > 0 && start < 10 * kTraceStart) builder->SetStart(start);
}

// Why a job is not replayed; empty: it is.
std::string_view LeftOut(const Fields& fields) {
  constexpr int64_t kCancelled = 5;
  if (fields[kStatus] >= 2 && fields[kStatus] <= 4) {
    return "lines with parts of jobs (status 2 to 4), of which other lines tell the whole";
  }
  if (fields[kStatus] == kCancelled && fields[kRun] <= 0) return "jobs cancelled before they ran";
  if (fields[kRun] == kUnknown) return "jobs without run time";
  if (fields[kRequested] <= 0 && fields[kAllocated] <= 0) return "jobs without processors";
  return "";
}

absl::Status AddJob(const Fields& fields, const ReadOptions& options, TraceBuilder* builder) {
  if (fields[kSubmit] == kUnknown) {
    return absl::InvalidArgumentError("submit time: not known; leave such jobs out");
  }
  const int64_t processors = fields[kRequested] > 0 ? fields[kRequested] : fields[kAllocated];
  constexpr int64_t kProcessorsMax = 100'000'000;
  if (processors > kProcessorsMax) {
    return absl::InvalidArgumentError(
        StrCat("processors: ", processors, " is more than ", kProcessorsMax));
  }
  JobLine line;
  line.submit_s = fields[kSubmit];
  line.run_s = fields[kRun];
  const int64_t milli_cpu = processors * 1000;
  line.tasks = (milli_cpu + options.task_milli_cpu - 1) / options.task_milli_cpu;
  if (line.tasks > kTraceTasksMax) {
    return absl::InvalidArgumentError(StrCat(processors, " processors are more than ",
                                             kTraceTasksMax, " tasks; raise --task-cpus"));
  }
  line.min_available = std::max<int64_t>(1, (line.tasks * options.gang_percent + 99) / 100);
  line.request.emplace_back("cpu", (milli_cpu + line.tasks - 1) / line.tasks);
  const int64_t kilobytes =
      fields[kRequestedMemory] > 0 ? fields[kRequestedMemory] : fields[kUsedMemory];
  if (kilobytes > 0) {
    // Of each processor, in KB.
    const int64_t per_task = (processors + line.tasks - 1) / line.tasks;
    if (kilobytes > cache::kAmountMax / 1024 / per_task) {
      return absl::InvalidArgumentError(
          StrCat("memory: ", kilobytes, " KB for each processor is more than a task can have"));
    }
    line.request.emplace_back("memory", kilobytes * 1024 * per_task);
  }
  const auto numbered = [&](std::string_view prefix, Field field) {
    return fields[field] == kUnknown ? std::string() : StrCat(prefix, fields[field]);
  };
  const std::string queue = numbered("queue-", kQueue);
  const std::string user = numbered("user-", kUser);
  const std::string name = StrCat(fields[kJob]);
  if (!queue.empty()) line.queue = queue;
  line.user = user;
  line.name = name;
  if (fields[kPreceding] > 0) {
    builder->Note("jobs that follow another one, submitted at their times nevertheless");
  }
  return builder->Add(line);
}

}  // namespace

absl::StatusOr<Trace> ReadSwf(std::istream& in, const ReadOptions& options) {
  TraceBuilder builder(options.file);
  LineReader lines(in, options.file);
  std::string_view line;
  for (;;) {
    BTH_ASSIGN_OR_RETURN(const bool more, lines.Next(&line));
    if (!more) break;
    const size_t first = line.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) continue;
    if (line[first] == ';') {
      TakeComment(line, &builder);
      continue;
    }
    const absl::StatusOr<Fields> fields = ParseFields(line);
    if (!fields.ok()) return lines.Here(fields.status());
    if (const std::string_view why = LeftOut(*fields); !why.empty()) {
      builder.Note(std::string(why));
      continue;
    }
    if (const absl::Status added = AddJob(*fields, options, &builder); !added.ok()) {
      return lines.Here(added);
    }
  }
  return builder.Build();
}

}  // namespace bth::trace
