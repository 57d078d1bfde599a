// `vc-sim trace`: what the command line says, and what comes of it.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

#include "apiserver/api_server.h"
#include "sim/trace/cluster_parts.h"
#include "sim/trace/generate.h"

namespace bth::trace {

struct TraceFlags {
  std::string file;             // "-": standard input.
  std::string format = "auto";  // swf, csv; auto: by the name of the file.
  ClusterFlags cluster;
  std::string conf;     // A scheduler.conf; empty: the built-in policy.
  std::string compare;  // Another one, or "builtin"; empty: nothing is compared.
  std::string plugins_dir;
  int64_t task_cpus = 8;
  int64_t gang_percent = 100;
  std::string on_eviction = "restart-job";  // restart-task
  std::string until;                        // Such as 720h.
  std::string output = "table";             // json
  std::string svg;                          // Where the picture goes.
  uint64_t seed = 1;
  bool progress = false;
};

// `extend`: the product's own admission. Returns the exit code (sim/run.h).
int RunTrace(const TraceFlags& flags, std::function<void(apiserver::ApiServer&)> extend,
             std::istream& in, std::ostream& out, std::ostream& err);

struct GenerateFlags {
  GenerateOptions options;
  std::string format = "csv";  // swf
  std::string path;            // Empty: to `out`.
};
int RunGenerate(const GenerateFlags& flags, std::ostream& out, std::ostream& err);

}  // namespace bth::trace
