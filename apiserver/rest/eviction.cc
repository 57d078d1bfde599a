#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "api/types/time.h"
#include "apiserver/rest/metadata.h"
#include "apiserver/rest/read.h"
#include "apiserver/rest/subresources.h"
#include "apiserver/rest/write_context.h"
#include "apiserver/store/selector.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

bool IsReady(const Json& pod) {
  for (const Json& condition : pod["status"]["conditions"].items()) {
    if (condition["type"].AsString() == "Ready") return condition["status"].AsString() == "True";
  }
  return false;
}

// A count, or a share of `whole` rounded up, as budgets round.
int64_t Scaled(const Json& value, int64_t whole) {
  if (value.is_int()) return value.AsInt();
  std::string_view text = value.AsString();
  int64_t percent = 0;
  if (!text.ends_with('%') || !SimpleAtoi(text.substr(0, text.size() - 1), &percent)) {
    return 0;
  }
  percent = std::clamp<int64_t>(percent, 0, 100'000);
  return (whole * percent + 99) / 100;
}

struct Health {
  int64_t expected = 0;
  int64_t healthy = 0;
  int64_t desired = 0;
};

// What the disruption controller would count, from the pods that are there.
Health HealthOf(Core& core, const std::string& ns, const Json& budget,
                const types::LabelSelector& selector) {
  Health health;
  const ResourceTypePtr pods = core.registry.Find("", "v1", "pods");
  for (const ObjectPtr& stored : core.CollectionOf(*pods).All(ns)) {
    if (!selector.Matches(stored->labels)) continue;
    const Json pod = ParseStored(*stored);
    if (HasEnded(pod)) continue;
    ++health.expected;
    if (IsReady(pod) && !IsDeleting(pod)) ++health.healthy;
  }
  const Json& spec = budget["spec"];
  if (const Json& most = spec["maxUnavailable"]; !most.is_null()) {
    health.desired = std::max<int64_t>(0, health.expected - Scaled(most, health.expected));
  } else if (const Json& least = spec["minAvailable"]; !least.is_null()) {
    health.desired = Scaled(least, health.expected);
  } else {
    health.desired = health.expected;
  }
  return health;
}

// Whether some controller keeps this budget's status up to date.
bool StatusIsKept(const Json& budget) {
  return budget["status"]["observedGeneration"].is_int();
}

absl::Status Refuse(const std::string& name, const Health& health) {
  return TooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 0,
                         {{"DisruptionBudget",
                           StrCat("The disruption budget ", name, " needs ", health.desired,
                                  " healthy pods and has ", health.healthy, " currently"),
                           ""}});
}

// Takes one disruption out of the budget. With a controller the status is the account; without
// one the present pods are.
absl::Status Spend(Core& core, const ResourceType& type, const ObjectPtr& stored,
                   const types::LabelSelector& selector, const ApiRequest& request) {
  Json budget = ParseStored(*stored);
  const Json& given = budget;
  const std::string name = stored->key.name;
  if (!StatusIsKept(given)) {
    const Health health = HealthOf(core, stored->key.ns, given, selector);
    return health.healthy > health.desired ? absl::OkStatus() : Refuse(name, health);
  }
  const Json& status = given["status"];
  if (status["observedGeneration"].AsInt() < given["metadata"]["generation"].AsInt()) {
    return TooManyRequests(
        "Cannot evict pod as it would violate the pod's disruption budget.", 10,
        {{"DisruptionBudget",
          StrCat("The disruption budget ", name, " is still being processed by the server."), ""}});
  }
  const int64_t allowed = status["disruptionsAllowed"].AsInt();
  if (allowed <= 0) {
    return Refuse(name, {status["expectedPods"].AsInt(), status["currentHealthy"].AsInt(),
                         status["desiredHealthy"].AsInt()});
  }
  if (request.dry_run) return absl::OkStatus();
  budget["status"].Set("disruptionsAllowed", allowed - 1);
  budget["status"]["disruptedPods"].Set(request.name, types::FormatTimestamp(core.Now()));
  core.store->Put(core.CollectionOf(type), std::move(budget));
  return absl::OkStatus();
}

// Pods that count in no budget may always go.
bool IgnoresBudgets(const Json& pod) {
  return HasEnded(pod) || pod["status"]["phase"].AsString() == "Pending" || IsDeleting(pod);
}

bool MayGoUnready(const Json& budget, const Health& health) {
  // AlwaysAllow always; the default lets unready pods go while the budget is met.
  return budget["spec"]["unhealthyPodEvictionPolicy"].AsString() == "AlwaysAllow" ||
         (health.healthy >= health.desired && health.desired > 0);
}

absl::Status CheckBudgets(Core& core, const ApiRequest& request, const StoredObject& stored,
                          const Json& pod) {
  if (IgnoresBudgets(pod)) return absl::OkStatus();
  const ResourceTypePtr type = core.registry.Find("policy", "v1", "poddisruptionbudgets");
  std::vector<std::pair<ObjectPtr, types::LabelSelector>> matching;
  for (const ObjectPtr& budget : core.CollectionOf(*type).All(request.ns)) {
    const Json json = ParseStored(*budget);
    absl::StatusOr<types::LabelSelector> selector = SelectorFromJson(json["spec"]["selector"]);
    if (!selector.ok() || !json["spec"]["selector"].is_object()) continue;
    if (selector->Matches(stored.labels)) matching.emplace_back(budget, *std::move(selector));
  }
  if (matching.empty()) return absl::OkStatus();
  if (matching.size() > 1) {
    return InternalError(
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not "
        "support.");
  }
  const auto& [budget, selector] = matching.front();
  if (!IsReady(pod)) {
    const Json json = ParseStored(*budget);
    if (MayGoUnready(json, HealthOf(core, request.ns, json, selector))) return absl::OkStatus();
  }
  return Spend(core, *type, budget, selector, request);
}

absl::Status CheckUid(const ApiRequest& request, const StoredObject& stored,
                      const std::string& uid) {
  if (uid == stored.uid) return absl::OkStatus();
  return Conflict(request.subject(), StrCat("Precondition failed: UID in precondition: ", uid,
                                            ", UID in object meta: ", stored.uid));
}

}  // namespace

net::Awaitable<WriteResult> Evict(std::shared_ptr<Core> core, const ApiRequest& request) {
  absl::StatusOr<Json> body = ReadJsonBody(request);
  if (!body.ok()) co_return body.status();
  const std::string_view name = std::as_const(*body)["metadata"]["name"].AsString();
  if (!name.empty() && name != request.name) {
    co_return BadRequest("name in URL does not match name in Eviction object");
  }
  absl::StatusOr<ObjectPtr> stored = Require(*core, request);
  if (!stored.ok()) co_return stored.status();
  ApiRequest deletion = request;
  deletion.verb = Verb::kDelete;
  deletion.subresource.clear();
  deletion.headers = {};
  const Json* options = body->Find("deleteOptions");
  deletion.body = options != nullptr && options->is_object() ? options->Dump() : "";
  absl::StatusOr<DeleteOptions> read = ReadDeleteOptions(deletion);
  if (!read.ok()) co_return read.status();
  // What the budget is asked for must be the pod that is meant.
  if (!read->uid.empty()) BTH_CO_RETURN_IF_ERROR(CheckUid(request, **stored, read->uid));
  if (read->uid.empty()) read->uid = (*stored)->uid;
  // An eviction is the creation of one, and no deletion to those who admit writes.
  WriteContext write = ContextOf(*core, request, Operation::kCreate);
  write.name = request.name;
  write.object = *std::move(body);
  if (core->stages.MayWait(write)) {
    absl::Status admitted = co_await core->stages.Run(write);
    BTH_CO_RETURN_IF_ERROR(admitted);
    stored = Require(*core, request);
    if (!stored.ok()) co_return stored.status();
  } else {
    BTH_CO_RETURN_IF_ERROR(core->stages.RunNow(write));
  }
  // Budget and deletion in one turn: what is taken out of a budget is used.
  const Json pod = ParseStored(**stored);
  BTH_CO_RETURN_IF_ERROR(CheckUid(request, **stored, read->uid));
  BTH_CO_RETURN_IF_ERROR(CheckBudgets(*core, request, **stored, pod));
  WriteResult result = DeleteNow(*core, *request.type, *stored, *read, request.dry_run);
  if (!result.ok()) co_return result;
  result->warnings = std::move(write.warnings);
  result->object = Json::MakeObject({{"kind", "Status"},
                                     {"apiVersion", "v1"},
                                     {"metadata", Json::MakeObject()},
                                     {"status", "Success"},
                                     {"code", 201}});
  result->created = true;
  result->as_status = false;
  co_return result;
}

}  // namespace bth::apiserver
