#include "sim/trace/write_trace.h"

#include <algorithm>
#include <ostream>
#include <string>

#include "api/model/quantity_text.h"

namespace bth::trace {
namespace {

std::string Quoted(const std::string& text) {
  const auto plain = [](char c) { return c > ' ' && c != ',' && c != '"'; };
  if (std::all_of(text.begin(), text.end(), plain)) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out.push_back('"');
    out.push_back(c);
  }
  return out + "\"";
}

bool HasText(const NameTable& names) {
  return std::any_of(names.all().begin(), names.all().end(),
                     [](const std::string& name) { return !name.empty(); });
}

}  // namespace

void WriteCsv(const Trace& trace, std::ostream& out) {
  const bool has_users = HasText(trace.users);
  const bool has_priorities = HasText(trace.priorities);
  const bool has_names = std::any_of(trace.jobs.begin(), trace.jobs.end(),
                                     [](const TraceJob& job) { return !job.name.empty(); });
  const bool has_minimums =
      std::any_of(trace.jobs.begin(), trace.jobs.end(),
                  [](const TraceJob& job) { return job.min_available != job.tasks; });
  out << "submit,duration,tasks";
  if (has_minimums) out << ",min_available";
  for (const int dim : trace.asked_dims) out << "," << trace.dims.name(dim);
  out << ",queue";
  if (has_priorities) out << ",priority";
  if (has_users) out << ",user";
  if (has_names) out << ",name";
  out << "\n";
  for (const TraceJob& job : trace.jobs) {
    out << job.submit_s << "," << job.run_s << "," << job.tasks;
    if (has_minimums) out << "," << job.min_available;
    const model::ResourceVec& shape = trace.shapes[job.shape];
    for (const int dim : trace.asked_dims) {
      out << ",";
      if (shape[dim] > 0) out << model::QuantityText(trace.dims, dim, shape[dim]);
    }
    out << "," << trace.queues[job.queue];
    if (has_priorities) out << "," << trace.priorities[job.priority];
    if (has_users) out << "," << Quoted(trace.users[job.user]);
    if (has_names) out << "," << Quoted(job.name);
    out << "\n";
  }
}

void WriteSwf(const Trace& trace, std::ostream& out) {
  out << "; Version: 2.2\n; UnixStartTime: " << trace.start_unix_s
      << "\n; MaxJobs: " << trace.jobs.size() << "\n; MaxRecords: " << trace.jobs.size() << "\n";
  int64_t number = 0;
  for (const TraceJob& job : trace.jobs) {
    const model::ResourceVec& shape = trace.shapes[job.shape];
    const int64_t processors = std::max<int64_t>(1, (shape[model::kCpu] * job.tasks + 999) / 1000);
    const int64_t kilobytes = shape[model::kMemory] * job.tasks / processors / 1024;
    const int64_t memory = kilobytes > 0 ? kilobytes : -1;
    out << ++number << " " << job.submit_s << " -1 " << job.run_s << " " << processors << " -1 "
        << memory << " " << processors << " " << job.run_s << " " << memory << " 1 " << job.user + 1
        << " -1 -1 " << job.queue + 1 << " -1 -1 -1\n";
  }
}

}  // namespace bth::trace
