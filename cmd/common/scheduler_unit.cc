#include "cmd/common/scheduler_unit.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "actions/builtin.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "framework/hooks/plugin_loader.h"
#include "plugins/builtin.h"
#include "scheduler/cluster_dump.h"
#include "scheduler/debug_pages.h"
#include "scheduler/explain.h"
#include "scheduler/pages.h"

namespace bth::cmd {
namespace {

std::string DumpText(const framework::Cycle* cycle) {
  if (cycle == nullptr) return "";
  return StrCat(scheduler::CyclePage(*cycle).Dump(), "\n", scheduler::QueuesPage(*cycle).Dump(),
                "\n");
}

net::Awaitable<void> WriteCluster(std::unique_ptr<net::ByteStream> dump, std::string path) {
  const absl::Status status = co_await scheduler::WriteDump(std::move(dump), path);
  if (status.ok()) {
    Log(LogLevel::kInfo, "dump.written", {{"file", path}});
  } else {
    Log(LogLevel::kError, "dump.failed", {{"file", path}, {"status", status}});
  }
}

void WriteCycle(const std::string& path, const std::string& text) {
  if (text.empty()) {
    Log(LogLevel::kWarning, "dump.empty", {{"file", path}, {"why", "no cycle has run yet"}});
    return;
  }
  const absl::Status status = scheduler::WriteWhole(path, text);
  if (status.ok()) {
    Log(LogLevel::kInfo, "dump.written", {{"file", path}});
  } else {
    Log(LogLevel::kError, "dump.failed", {{"file", path}, {"status", status}});
  }
}

}  // namespace

absl::Status CheckDumpFolder(const std::string& folder) {
  struct stat info {};
  if (stat(folder.c_str(), &info) == 0 && !S_ISDIR(info.st_mode)) {
    return absl::InvalidArgumentError(StrCat(folder, ": is no folder"));
  }
  if (access(folder.c_str(), W_OK | X_OK) == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat(folder, ": ", std::strerror(errno)));
}

absl::StatusOr<framework::Registry> MakeRegistry(const std::string& plugins_dir) {
  framework::Registry registry;
  plugins::RegisterBuiltinPlugins(registry);
  actions::RegisterBuiltinActions(registry);
  const absl::Status loaded = framework::LoadPlugins(plugins_dir, &registry);
  if (!loaded.ok()) return Annotate(loaded, "Fail to load custom plugins");
  return registry;
}

framework::Registry WithIdleArguments(framework::Registry registry,
                                      const scheduler::SchedulerOptions& options) {
  if (options.scores_volumes) return registry;
  for (const std::string_view key : {"volumebinding.weight", "volumebinding.shape"}) {
    registry.idle_arguments.push_back(
        {"predicates", key, "has no effect without the feature gate StorageCapacityScoring"});
  }
  return registry;
}

SchedulerUnit::SchedulerUnit(client::ApiClient& api, Metrics& metrics, framework::Registry registry,
                             scheduler::SchedulerOptions options)
    : executor_(api.executor()),
      metrics_(metrics),
      registry_(WithIdleArguments(std::move(registry), options)),
      scheduler_({.executor = executor_,
                  .api = api,
                  .registry = registry_,
                  .runner = runner_,
                  .clock = clock_,
                  .metrics = &metrics.scheduler},
                 std::move(options)),
      escapes_(executor_.barrier().Listen([&metrics](const net::Escape& escape) {
        metrics.scheduler.client().ExceptionCaught(escape.place);
      })) {}

SchedulerUnit::~SchedulerUnit() {
  scheduler_.StopLeading();
  runner_.Finish();
}

net::Handler SchedulerUnit::pages(std::function<std::string()> last_error) {
  return scheduler::MakePages(scheduler_, metrics_.registry, std::move(last_error));
}

net::Handler SchedulerUnit::debug_pages() {
  return scheduler::MakeDebugPages(executor_, scheduler_, &metrics_.scheduler);
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

std::string SchedulerUnit::DumpPath(const std::string& folder, std::string_view what) const {
  return StrCat(folder, "/", what, "-", absl::ToUnixSeconds(executor_.Now()), ".json");
}

void SchedulerUnit::DumpCluster(const std::string& folder) {
  absl::StatusOr<std::unique_ptr<net::ByteStream>> dump = scheduler_.Dump();
  if (!dump.ok()) {
    Log(LogLevel::kWarning, "dump.refused", {{"status", dump.status()}});
    return;
  }
  const std::string path = DumpPath(folder, "snapshot");
  Log(LogLevel::kInfo, "dump.started", {{"file", path}});
  dump_.Start(executor_, WriteCluster(*std::move(dump), path));
}

void SchedulerUnit::DumpCycle(const std::string& folder) {
  const std::string path = DumpPath(folder, "cycle");
  scheduler_.Inspect(DumpText, [path](std::string text) { WriteCycle(path, text); });
}

}  // namespace bth::cmd
