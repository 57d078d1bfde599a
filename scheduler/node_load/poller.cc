#include "scheduler/node_load/poller.h"

#include <utility>

#include "base/log.h"
#include "base/strings.h"
#include "conf/arguments.h"

namespace bth::scheduler::node_load {
namespace {

constexpr absl::Duration kDefaultInterval = absl::Seconds(30);
constexpr absl::Duration kRoundMax = absl::Seconds(60);
constexpr absl::Duration kNoNodesWait = absl::Seconds(1);

absl::Duration IntervalOf(const LoadSettings& settings) {
  const auto interval = conf::ParseGoDuration(Setting(settings, "interval"));
  if (!interval.ok() || *interval <= absl::ZeroDuration()) return kDefaultInterval;
  return *interval;
}

}  // namespace

LoadPoller::LoadPoller(SourceContext context, metrics::SchedulerMetrics* metrics, Hooks hooks)
    : context_(context), metrics_(metrics), hooks_(std::move(hooks)) {}

LoadPoller::~LoadPoller() = default;

void LoadPoller::Configure(const LoadSettings& settings) {
  if (settings == settings_) return;
  polling_.Stop();
  settings_ = settings;
  interval_ = IntervalOf(settings);
  source_.reset();
  loads_.reset();
  complaint_.clear();
  SetError(absl::OkStatus());
  auto source = MakeLoadSource(context_, settings);
  if (!source.ok()) {
    Log(LogLevel::kError, "node_load.no_source",
        {{"status", StrCat("Error creating client: ", source.status().message())}});
    if (metrics_ != nullptr) metrics_->LimitReached("node_load_source");
    SetError(source.status());
  } else {
    source_ = *std::move(source);
  }
  hooks_.publish(nullptr);
  if (source_ == nullptr) return;
  if (Setting(settings, "tls.insecureSkipVerify") == "true") {
    Log(LogLevel::kWarning, "node_load.insecure", {{"remedy", "leave out tls.insecureSkipVerify"}});
  }
  polling_.Keep(context_.executor, "node_load", [this] { return Poll(); });
}

net::Awaitable<void> LoadPoller::Poll() {
  for (;;) {
    std::vector<std::string> nodes = hooks_.nodes();
    if (nodes.empty()) {
      co_await net::Sleep(context_.executor, std::min(interval_, kNoNodesWait));
      continue;
    }
    const absl::Duration deadline = context_.executor.Monotonic() + kRoundMax;
    absl::StatusOr<Reading> reading = co_await source_->Read(nodes, deadline);
    if (reading.ok()) {
      Take(*std::move(reading), nodes);
    } else {
      Complain(reading.status());
    }
    co_await net::Sleep(context_.executor, interval_);
  }
}

void LoadPoller::Take(Reading reading, const std::vector<std::string>& nodes) {
  if (reading.refused > 0) {
    Complain(absl::DataLossError(
        StrCat("the loads of ", reading.refused, " nodes are outside 0 to 100 percent")));
  } else {
    complaint_.clear();
    SetError(absl::OkStatus());
  }
  model::NodeLoads next;
  for (const std::string& node : nodes) {
    if (auto fresh = reading.loads.extract(node)) {
      next.insert(std::move(fresh));
    } else if (loads_ != nullptr) {
      if (const auto old = loads_->find(node); old != loads_->end()) next.insert(*old);
    }
  }
  loads_ = std::make_shared<const model::NodeLoads>(std::move(next));
  hooks_.publish(loads_);
}

void LoadPoller::SetError(const absl::Status& status) {
  if (failing_ == !status.ok()) return;
  failing_ = !status.ok();
  if (hooks_.error != nullptr) hooks_.error(status);
}

void LoadPoller::Complain(const absl::Status& status) {
  if (metrics_ != nullptr) metrics_->LimitReached("node_load_round");
  // They are older now, which waiting jobs may feel.
  if (loads_ != nullptr) hooks_.publish(loads_);
  SetError(status);
  if (complaint_ == ToStd(status.message())) return;
  complaint_ = ToStd(status.message());
  Log(LogLevel::kWarning, "node_load.round_failed",
      {{"source", Setting(settings_, "type")},
       {"status", status},
       {"effect", "the former values stay and age"}});
}

}  // namespace bth::scheduler::node_load
