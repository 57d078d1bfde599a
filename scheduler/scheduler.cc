#include "scheduler/scheduler.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "api/types/queue.h"
#include "base/log.h"
#include "base/strings.h"
#include "client/typed_client.h"
#include "framework/invariants.h"

namespace bth::scheduler {
namespace {

client::EventRecorderOptions RecorderOptions(const SchedulerOptions& options,
                                             std::function<bool()> gate) {
  client::EventRecorderOptions out;
  out.component = options.scheduler_names.size() == 1 ? options.scheduler_names.front() : "volcano";
  out.gate = std::move(gate);
  return out;
}

cache::Responsibility ResponsibilityOf(const SchedulerOptions& options) {
  cache::Responsibility out;
  out.scheduler_names = {options.scheduler_names.begin(), options.scheduler_names.end()};
  return out;
}

// Two 64-bit numbers in the form of a UUID, from the seeded generator: sessions have the same
// names in every run of a simulation.
std::string SessionUid(Rng& rng) {
  const uint64_t a = rng.Next();
  const uint64_t b = rng.Next();
  const std::string hex =
      absl::StrCat(absl::Hex(a, absl::kZeroPad16), absl::Hex(b, absl::kZeroPad16));
  return absl::StrCat(hex.substr(0, 8), "-", hex.substr(8, 4), "-", hex.substr(12, 4), "-",
                      hex.substr(16, 4), "-", hex.substr(20));
}

}  // namespace

struct Scheduler::Worker {
  Worker(const SchedulerOptions& options, SchedulerContext ctx, framework::EffectSink& effects)
      : context(ctx),
        sink(effects),
        workers(options.workers),
        rng(options.seed),
        check_every(options.check_invariants_every) {}

  absl::Status RunCycle(std::shared_ptr<const model::Snapshot> snapshot) {
    if (next_policy != nullptr) {
      cycle.reset();  // The old session's hooks point into the old policy.
      policy = std::move(next_policy);
    }
    framework::SessionContext session;
    session.snapshot = std::move(snapshot);
    session.sink = &sink;
    session.clock = &context.clock;
    session.workers = &workers;
    session.metrics = context.metrics;
    session.uid = SessionUid(rng);
    cycle = std::make_unique<framework::Cycle>(*policy, std::move(session));
    absl::Status status = cycle->Run();
    if (status.ok() && ++count % static_cast<uint64_t>(check_every) == 0) Check();
    return status;
  }

  void Check() const {
    for (const framework::Violation& violation : framework::CheckInvariants(cycle->session())) {
      Log(LogLevel::kError, "invariant.violated",
          {{"invariant", violation.invariant}, {"detail", violation.detail}});
      if (context.metrics != nullptr) context.metrics->InvariantViolated(violation.invariant);
    }
  }

  SchedulerContext context;
  framework::EffectSink& sink;
  WorkerPool workers;
  Rng rng;
  const int check_every;
  uint64_t count = 0;
  std::unique_ptr<framework::PolicyInstance> next_policy;
  std::unique_ptr<framework::PolicyInstance> policy;
  std::unique_ptr<framework::Cycle> cycle;
};

Scheduler::Scheduler(SchedulerContext context, SchedulerOptions options)
    : context_(context),
      options_(std::move(options)),
      rng_(options_.seed),
      mirror_(context.clock, {.default_queue = options_.default_queue}),
      events_(context.api, rng_,
              RecorderOptions(options_, [this] { return writer_.urgent_idle(); })),
      writer_(context.api, mirror_, events_, context.metrics, {}),
      effects_(context.executor, writer_),
      policy_file_(context.executor, context.registry, context.metrics, options_.policy),
      worker_(std::make_shared<Worker>(options_, context, effects_)),
      feed_(context.api, mirror_, ResponsibilityOf(options_), context.metrics, rng_,
            [this] { OnBatch(); }) {}

Scheduler::~Scheduler() {
  if (timer_ != 0) context_.executor.CancelTimer(timer_);
}

absl::Status Scheduler::LoadPolicy() {
  auto policy = policy_file_.Load();
  if (!policy.ok()) return policy.status();
  worker_->next_policy = *std::move(policy);
  policy_file_.Watch([this](std::unique_ptr<framework::PolicyInstance> next) {
    auto shared = std::make_shared<std::unique_ptr<framework::PolicyInstance>>(std::move(next));
    context_.runner.Run([worker = worker_, shared] { worker->next_policy = std::move(*shared); });
    policy_changed_ = true;
    Kick();
  });
  return absl::OkStatus();
}

void Scheduler::StartCache() {
  feed_.Start();
  sync_.Start(context_.executor, AwaitSync());
}

// No decision before every first list is in; who is late is named, again and again.
net::Awaitable<void> Scheduler::AwaitSync() {
  while (!feed_.AllSynced()) {
    const absl::Status status = co_await feed_.WaitForSync(options_.sync_timeout);
    if (!status.ok()) Log(LogLevel::kWarning, "cache.not_synced", {{"status", status}});
  }
  Kick();
}

void Scheduler::Lead() {
  if (leading_) return;
  leading_ = true;
  const std::pair<std::string, bool> queues[] = {{"root", false}, {options_.default_queue, true}};
  for (const auto& [name, reclaimable] : queues) {
    queue_makers_.push_back(std::make_unique<client::Background>());
    queue_makers_.back()->Start(context_.executor, EnsureQueue(name, reclaimable));
  }
  Kick();
}

net::Awaitable<void> Scheduler::EnsureQueue(std::string name, bool reclaimable) {
  absl::Duration wait = absl::Milliseconds(200);
  for (;;) {
    const client::ApiPath path = client::PathOf<types::Queue>("", name);
    const absl::StatusOr<std::string> found = co_await context_.api.Get(path);
    if (found.ok()) co_return;
    absl::Status status = found.status();
    if (absl::IsNotFound(status)) {
      types::Queue queue;
      queue.meta.name = name;
      queue.spec.weight = 1;
      queue.spec.reclaimable = reclaimable;
      const auto made = co_await client::CreateObject(context_.api, std::move(queue));
      if (made.ok() || absl::IsAlreadyExists(made.status())) co_return;
      status = made.status();
    }
    Log(LogLevel::kWarning, "queue.not_created", {{"queue", name}, {"status", status}});
    co_await net::Sleep(context_.executor, wait);
    wait = std::min(2 * wait, absl::Seconds(30));
  }
}

bool Scheduler::idle() const {
  return !running_ && timer_ == 0 && !mirror_.changed() && writer_.idle() && events_.idle();
}

void Scheduler::OnBatch() {
  Kick();
}

void Scheduler::Kick() {
  if (!leading_ || running_ || !feed_.AllSynced()) return;
  const absl::Duration now = context_.executor.Monotonic();
  absl::Duration at = absl::InfiniteDuration();
  if (mirror_.changed() || policy_changed_ || cycles_ == 0) {
    at = std::max(now + options_.debounce, not_before_);
  } else if (mirror_.statuses_changed()) {
    at = std::max(now + options_.status_delay, not_before_);
  }
  if (const absl::Time hold = mirror_.NextHoldEnd(); hold != absl::InfiniteFuture()) {
    at = std::min(at, now + std::max(hold - context_.clock.Now(), absl::ZeroDuration()));
  }
  if (at == absl::InfiniteDuration()) return;
  if (timer_ != 0) {
    if (timer_at_ <= at) return;
    context_.executor.CancelTimer(timer_);
  }
  timer_at_ = at;
  timer_ = context_.executor.RunAfter(std::max(at - now, absl::ZeroDuration()), [this] {
    timer_ = 0;
    StartCycle();
  });
}

void Scheduler::StartCycle() {
  if (!leading_ || running_) return;
  running_ = true;
  policy_changed_ = false;
  const absl::Duration start = context_.clock.Monotonic();
  std::shared_ptr<const model::Snapshot> snapshot = mirror_.Publish();
  if (context_.metrics != nullptr) {
    context_.metrics->PhaseDone(metrics::Phase::kSnapshot, context_.clock.Monotonic() - start);
  }
  auto work = [this, worker = worker_, snapshot = std::move(snapshot)]() mutable {
    const absl::Duration begin = context_.clock.Monotonic();
    absl::Status status = worker->RunCycle(std::move(snapshot));
    const absl::Duration took = context_.clock.Monotonic() - begin;
    context_.executor.Post([this, took, status] { CycleEnded(took, status); });
  };
  context_.runner.Run(std::move(work));
}

void Scheduler::CycleEnded(absl::Duration took, absl::Status status) {
  running_ = false;
  ++cycles_;
  if (!status.ok()) Log(LogLevel::kError, "cycle.failed", {{"status", status}});
  ExplainGroupless();
  const absl::Duration pause = std::min(options_.pause_factor * took, options_.pause_max);
  not_before_ = context_.executor.Monotonic() + pause;
  Kick();
}

// Pods without a PodGroup are in no job, so no cycle speaks of them.
void Scheduler::ExplainGroupless() {
  constexpr size_t kPodsMax = 10'000;
  for (const cache::Mirror::Groupless& pod : mirror_.PodsWithoutGroup(kPodsMax)) {
    writer_.statuses().WantPodCondition(pod.key, pod.uid, "Unschedulable",
                                        GrouplessMessage(pod.group), false);
  }
}

std::string GrouplessMessage(std::string_view group) {
  if (group.empty()) {
    return "pod waits for a PodGroup: it has no annotation scheduling.k8s.io/group-name";
  }
  return absl::StrCat("pod waits for a PodGroup: ", ToAbsl(group), " does not exist");
}

void Scheduler::Inspect(ReadCycle read, std::function<void(std::string)> done) {
  context_.runner.Run([this, worker = worker_, read = std::move(read), done = std::move(done)] {
    std::string text = read(worker->cycle.get());
    context_.executor.Post([done, text = std::move(text)]() mutable { done(std::move(text)); });
  });
}

}  // namespace bth::scheduler
