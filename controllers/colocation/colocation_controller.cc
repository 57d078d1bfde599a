#include "controllers/colocation/colocation_controller.h"

#include <optional>
#include <utility>

#include "base/log.h"
#include "base/strings.h"
#include "client/api_error.h"
#include "client/patch.h"
#include "controllers/core/writes.h"

namespace bth::controllers {
namespace {

using types::Json;
using types::Pod;

constexpr absl::Duration kDelay = absl::Seconds(1);

bool IsMarked(const types::ObjectMeta& pod) {
  return pod.annotations.Contains(kColocationName) || pod.annotations.Contains(kColocationSettings);
}

}  // namespace

ColocationController::ColocationController(const ControllerContext& context)
    : context_(context),
      configurations_(context.watches.Of<Configuration>()),
      pods_(context.watches.Of<Pod>()),
      lanes_(context.executor(), DefaultLanes(1),
             {.work = [this](std::string key) { return Work(std::move(key)); }, .give_up = {}}) {
  configurations_.Subscribe(*this);
  pods_.Subscribe(*this);
}

// --- What happens -------------------------------------------------------------------------------

void ColocationController::OnAdd(const Configuration& configuration) {
  QueueSelected(configuration);
}

void ColocationController::OnUpdate(const Configuration& before, const Configuration& after) {
  const bool is_moved = before.selector != after.selector;
  if (is_moved) QueueSelected(before);
  if (is_moved || before.settings != after.settings) QueueSelected(after);
}

void ColocationController::OnDelete(const Configuration& configuration) {
  QueueSelected(configuration);
}

// Of pods that were there before their configuration, that one's own addition takes care.
void ColocationController::OnAdd(const Pod& pod) {
  if (IsMarked(pod.meta) || !configurations_.InNamespace(pod.meta.ns).empty()) Queue(pod);
}

void ColocationController::OnUpdate(const Pod& before, const Pod& after) {
  if (before.meta.labels != after.meta.labels) OnAdd(after);
}

void ColocationController::QueueSelected(const Configuration& configuration) {
  for (const auto& pod : pods_.InNamespace(configuration.meta.ns)) {
    if (Selects(configuration, pod->meta.labels)) Queue(*pod);
  }
}

void ColocationController::Queue(const Pod& pod) {
  lanes_.queue().AddAfter(StoreKey(pod.meta.ns, pod.meta.name), kDelay);
}

// --- What is done -------------------------------------------------------------------------------

net::Awaitable<LaneHooks::Outcome> ColocationController::Work(std::string key) {
  LaneHooks::Outcome outcome;
  const ObjectStore<Pod>::Pointer pod = pods_.FindKey(key);
  if (pod == nullptr) co_return std::move(outcome);
  const ColocationPtr chosen =
      ChooseColocation(pod->meta.labels, configurations_.InNamespace(pod->meta.ns));
  std::optional<PodMark> mark = NeededMark(pod->meta, chosen.get());
  if (mark.has_value()) outcome.status = co_await Mark(pod, *std::move(mark));
  co_return std::move(outcome);
}

net::Awaitable<absl::Status> ColocationController::Mark(ObjectStore<Pod>::Pointer pod,
                                                        PodMark mark) {
  client::MergePatch patch;
  Json name = mark.name.has_value() ? Json(*std::move(mark.name)) : Json();
  patch.Set({"metadata", "annotations", kColocationName}, std::move(name));
  patch.Set({"metadata", "annotations", kColocationSettings}, Json(std::move(mark.settings)));
  patch.RequireUid(pod->meta.uid);
  client::Patch built = patch.Build();
  const Known<Pod> now = co_await PatchAndLearn(context_.api, pods_, *pod, std::move(built));
  if (now.ok() || absl::IsNotFound(now.status())) co_return absl::OkStatus();
  const absl::Status named =
      client::WithContext(now.status(), StrCat("annotate pod ", pod->meta.Key()));
  Log(LogLevel::kWarning, "colocation.write_failed", {{"status", named}});
  co_return named;
}

}  // namespace bth::controllers
