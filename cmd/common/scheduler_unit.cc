#include "cmd/common/scheduler_unit.h"

#include <cstdio>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "actions/builtin.h"
#include "base/log.h"
#include "plugins/builtin.h"
#include "scheduler/explain.h"
#include "scheduler/pages.h"

namespace bth::cmd {
namespace {

std::string_view MethodOf(std::string_view verb) {
  if (verb == "get" || verb == "list" || verb == "watch") return "GET";
  if (verb == "create") return "POST";
  if (verb == "update") return "PUT";
  if (verb == "patch") return "PATCH";
  if (verb == "delete") return "DELETE";
  return verb;
}

std::string DumpText(const framework::Cycle* cycle) {
  if (cycle == nullptr) return "";
  return absl::StrCat(scheduler::CyclePage(*cycle).Dump(), "\n",
                      scheduler::QueuesPage(*cycle).Dump(), "\n");
}

void WriteDump(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (text.empty()) {
    Log(LogLevel::kWarning, "dump.empty", {{"file", path}, {"why", "no cycle has run yet"}});
  } else if (out.fail()) {
    Log(LogLevel::kError, "dump.failed", {{"file", path}, {"why", "cannot be written"}});
  } else {
    Log(LogLevel::kInfo, "dump.written", {{"file", path}});
  }
}

}  // namespace

std::function<void(const client::CallRecord&)> CountCalls(metrics::ClientMetrics& metrics,
                                                          std::string host) {
  return [&metrics, host = std::move(host)](const client::CallRecord& call) {
    metrics.RestRequest(call.code, MethodOf(call.verb), host);
  };
}

framework::Registry SchedulerUnit::Builtin() {
  framework::Registry registry;
  plugins::RegisterBuiltinPlugins(registry);
  actions::RegisterBuiltinActions(registry);
  return registry;
}

SchedulerUnit::SchedulerUnit(client::ApiClient& api, Metrics& metrics,
                             scheduler::SchedulerOptions options)
    : executor_(api.executor()),
      metrics_(metrics),
      registry_(Builtin()),
      scheduler_({.executor = executor_,
                  .api = api,
                  .registry = registry_,
                  .runner = runner_,
                  .clock = clock_,
                  .metrics = &metrics.scheduler},
                 std::move(options)) {}

SchedulerUnit::~SchedulerUnit() {
  scheduler_.StopLeading();
  runner_.Finish();
}

net::Handler SchedulerUnit::pages() {
  return scheduler::MakePages(executor_, scheduler_, metrics_.registry);
}

net::Awaitable<void> SchedulerUnit::Drain(absl::Duration limit) {
  scheduler_.StopLeading();
  const absl::Duration end = executor_.Monotonic() + limit;
  while (!scheduler_.drained() && executor_.Monotonic() < end) {
    co_await net::Sleep(executor_, absl::Milliseconds(5));
  }
  if (!scheduler_.drained()) {
    Log(LogLevel::kWarning, "stop.undrained",
        {{"waited", limit}, {"effect", "what is not written is decided anew by the next leader"}});
  }
}

void SchedulerUnit::Dump(const std::string& folder) {
  std::string path =
      absl::StrCat(folder, "/snapshot-", absl::ToUnixSeconds(executor_.Now()), ".json");
  scheduler_.Inspect(DumpText, [path](std::string text) { WriteDump(path, text); });
}

}  // namespace bth::cmd
