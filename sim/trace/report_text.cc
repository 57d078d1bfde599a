#include <cmath>
#include <string_view>

#include "absl/strings/str_format.h"
#include "api/model/quantity_text.h"
#include "base/strings.h"
#include "cli/print/table.h"
#include "sim/trace/report.h"

namespace bth::trace {
namespace {

constexpr size_t kUsersShown = 10;
constexpr size_t kReasonsShown = 10;

std::string Percent(double share) {
  return absl::StrFormat("%.1f%%", share * 100);
}

std::string Factor(double value) {
  return absl::StrFormat("%.2f", value);
}

// One line of facts: a word and what it says.
void Fact(std::string_view word, std::string_view text, std::string* out) {
  *out += absl::StrFormat("%-11s %s\n", ToAbsl(word), ToAbsl(text));
}

std::string LostText(const Trace& trace, const AmountTime& lost) {
  std::string out;
  for (const int dim : trace.asked_dims) {
    const double amount = UnitSeconds(trace.dims, dim, lost[static_cast<size_t>(dim)]);
    const bool bytes = !trace.dims.IsMilli(dim);
    StrAppend(&out, out.empty() ? "" : ", ", trace.dims.name(dim), " ",
              bytes ? absl::StrFormat("%.0f GiB-s", amount / (int64_t{1} << 30))
                    : absl::StrFormat("%.0f s", amount));
  }
  return out;
}

void AddSpread(const Spread& spread, std::string (*text)(double), std::vector<cli::Cell>* row) {
  for (const double value : {spread.mean, spread.median, spread.p90, spread.p99, spread.max}) {
    row->push_back({spread.count > 0 ? text(value) : "-"});
  }
}

cli::Table GroupTable() {
  cli::Table table;
  table.columns.push_back({"GROUP"});
  for (const char* const name : {"JOBS", "DONE", "WAIT", "P50", "P90", "P99", "MAX", "SLOWDOWN",
                                 "P50", "P90", "P99", "MAX"}) {
    table.columns.push_back({name, cli::Align::kRight});
  }
  return table;
}

void AddGroup(std::string_view kind, const GroupFigures& group, cli::Table* table) {
  std::vector<cli::Cell> row;
  row.push_back(
      {kind.empty() ? group.name : StrCat(kind, " ", group.name.empty() ? "-" : group.name)});
  row.push_back({StrCat(group.jobs)});
  row.push_back({StrCat(group.done)});
  AddSpread(group.wait_s, DurationText, &row);
  AddSpread(group.slowdown, Factor, &row);
  table->rows.push_back(std::move(row));
}

void PrintGroups(const Figures& figures, std::string* out) {
  cli::Table table = GroupTable();
  AddGroup("", figures.all, &table);
  for (const QueueFigures& queue : figures.queues) AddGroup("queue", queue.group, &table);
  for (const GroupFigures& group : figures.priorities) AddGroup("priority", group, &table);
  for (size_t i = 0; i < figures.users.size() && i < kUsersShown; ++i) {
    AddGroup("user", figures.users[i], &table);
  }
  cli::PrintTable(table, {}, *out);
  if (figures.users.size() > kUsersShown) {
    StrAppend(out, "and ", figures.users.size() - kUsersShown, " more users; -o json has them\n");
  }
}

void PrintQueues(const Figures& figures, std::string* out) {
  cli::Table table;
  table.columns.push_back({"QUEUE"});
  for (const char* const name :
       {"WEIGHT", "SHARE", "DESERVED", "SHARE/DESERVED", "EVICTIONS", "NEVER STARTED"}) {
    table.columns.push_back({name, cli::Align::kRight});
  }
  for (const QueueFigures& queue : figures.queues) {
    table.rows.push_back({{queue.group.name},
                          {StrCat(queue.weight)},
                          {Percent(queue.share)},
                          {Percent(queue.deserved)},
                          {queue.deserved > 0 ? Factor(queue.ratio) : "-"},
                          {StrCat(queue.group.evictions)},
                          {StrCat(queue.group.never_started)}});
  }
  cli::PrintTable(table, {}, *out);
}

void PrintReasons(const Replay& replay, std::string* out) {
  size_t shown = 0;
  for (const auto& [reason, waiting] : replay.never_started) {
    if (++shown > kReasonsShown) {
      StrAppend(out, "and ", replay.never_started.size() - kReasonsShown,
                " more reasons; -o json has them\n");
      break;
    }
    StrAppend(out, waiting.jobs, " never started, such as ", waiting.example, ": ", waiting.message,
              "\n");
  }
  for (const auto& [why, jobs] : replay.failures) {
    StrAppend(out, jobs, " ended otherwise: ", why, "\n");
  }
}

void PrintRun(const Report& report, const Told& told, std::string* out) {
  const Figures& figures = told.figures;
  const GroupFigures& all = figures.all;
  Fact("policy", told.replay.policy, out);
  Fact("jobs",
       StrCat(all.done, " done, ", all.never_started, " never started, ", all.unended,
              " not ended, ", all.failed, " failed"),
       out);
  Fact("makespan", DurationText(figures.makespan_s), out);
  std::string use;
  for (const int dim : report.trace.asked_dims) {
    StrAppend(&use, use.empty() ? "" : ", ", report.trace.dims.name(dim), " ",
              Percent(figures.use[static_cast<size_t>(dim)]));
  }
  Fact("use", use, out);
  Fact("fairness",
       absl::StrFormat("%.3f, Jain's index of %d queues", figures.jain, figures.queues.size()),
       out);
  Fact("evictions", StrCat(all.evictions, "; lost: ", LostText(report.trace, all.lost)), out);
  *out += "\n";
  PrintGroups(figures, out);
  *out += "\n";
  PrintQueues(figures, out);
  if (!told.replay.never_started.empty() || !told.replay.failures.empty()) *out += "\n";
  PrintReasons(told.replay, out);
}

// A figure under both policies.
struct Pair {
  std::string name;
  double before = 0;
  double after = 0;
  std::string (*text)(double) = nullptr;
};

std::string Count(double value) {
  return absl::StrFormat("%.0f", value);
}
std::string Index(double value) {
  return absl::StrFormat("%.3f", value);
}

void AddPairs(const std::string& name, const GroupFigures& a, const GroupFigures& b,
              std::vector<Pair>* out) {
  const auto count = [](int64_t value) { return static_cast<double>(value); };
  out->push_back({name + "jobs done", count(a.done), count(b.done), Count});
  out->push_back({name + "never started", count(a.never_started), count(b.never_started), Count});
  out->push_back({name + "wait, mean", a.wait_s.mean, b.wait_s.mean, DurationText});
  out->push_back({name + "wait, median", a.wait_s.median, b.wait_s.median, DurationText});
  out->push_back({name + "wait, p99", a.wait_s.p99, b.wait_s.p99, DurationText});
  out->push_back({name + "wait, max", a.wait_s.max, b.wait_s.max, DurationText});
  out->push_back({name + "slowdown, mean", a.slowdown.mean, b.slowdown.mean, Factor});
  out->push_back({name + "slowdown, p99", a.slowdown.p99, b.slowdown.p99, Factor});
  out->push_back({name + "evictions", count(a.evictions), count(b.evictions), Count});
}

std::vector<Pair> PairsOf(const Report& report) {
  const Figures& a = report.runs[0].figures;
  const Figures& b = report.runs[1].figures;
  std::vector<Pair> out;
  out.push_back({"makespan", a.makespan_s, b.makespan_s, DurationText});
  for (const int dim : report.trace.asked_dims) {
    const auto d = static_cast<size_t>(dim);
    out.push_back({StrCat("use of ", report.trace.dims.name(dim)), a.use[d], b.use[d], Percent});
    out.push_back({StrCat("lost ", report.trace.dims.name(dim), "-seconds"),
                   UnitSeconds(report.trace.dims, dim, a.all.lost[d]),
                   UnitSeconds(report.trace.dims, dim, b.all.lost[d]), Count});
  }
  out.push_back({"Jain's index", a.jain, b.jain, Index});
  AddPairs("", a.all, b.all, &out);
  for (size_t i = 0; i < a.queues.size(); ++i) {
    const std::string name = StrCat("queue ", a.queues[i].group.name, ": ");
    AddPairs(name, a.queues[i].group, b.queues[i].group, &out);
    out.push_back({name + "share", a.queues[i].share, b.queues[i].share, Percent});
    out.push_back({name + "share/deserved", a.queues[i].ratio, b.queues[i].ratio, Factor});
  }
  return out;
}

// Both texts may be the same where the numbers differ by less than is shown.
std::string ChangeText(const Pair& pair) {
  if (pair.text(pair.before) == pair.text(pair.after)) return "";
  if (pair.before == 0) return "*";
  return absl::StrFormat("* %+.1f%%", (pair.after / pair.before - 1) * 100);
}

void PrintComparison(const Report& report, std::string* out) {
  cli::Table table;
  table.columns.push_back({"FIGURE"});
  table.columns.push_back({report.runs[0].replay.policy, cli::Align::kRight});
  table.columns.push_back({report.runs[1].replay.policy, cli::Align::kRight});
  table.columns.push_back({"DIFFERS"});
  for (const Pair& pair : PairsOf(report)) {
    table.rows.push_back(
        {{pair.name}, {pair.text(pair.before)}, {pair.text(pair.after)}, {ChangeText(pair)}});
  }
  cli::PrintTable(table, {}, *out);
}

}  // namespace

std::string DurationText(double seconds) {
  if (seconds < 10) return absl::StrFormat("%.1fs", seconds);
  const auto whole = std::llround(seconds);
  if (whole < 60) return absl::StrFormat("%ds", whole);
  if (whole < 3600) return absl::StrFormat("%dm%02ds", whole / 60, whole % 60);
  if (whole < 86'400) return absl::StrFormat("%dh%02dm", whole / 3600, whole % 3600 / 60);
  return absl::StrFormat("%dd%02dh", whole / 86'400, whole % 86'400 / 3600);
}

std::string ReportText(const Report& report) {
  const Trace& trace = report.trace;
  std::string out;
  Fact("trace",
       StrCat(trace.file, ": ", trace.jobs.size(), " jobs with ", TasksOf(trace),
              " tasks, submitted within ",
              DurationText(
                  static_cast<double>(trace.jobs.back().submit_s - trace.jobs.front().submit_s))),
       &out);
  for (const auto& [note, count] : trace.notes) Fact("", StrCat(count, " ", note), &out);
  std::string capacity;
  for (const int dim : trace.asked_dims) {
    StrAppend(&capacity, ", ", trace.dims.name(dim), " ",
              model::QuantityText(trace.dims, dim, report.parts.capacity[dim]));
  }
  Fact("cluster", StrCat(report.parts.nodes, " nodes", capacity), &out);
  for (const Told& told : report.runs) {
    out += "\n";
    PrintRun(report, told, &out);
  }
  if (report.runs.size() == 2) {
    out += "\n";
    PrintComparison(report, &out);
  }
  return out;
}

}  // namespace bth::trace
