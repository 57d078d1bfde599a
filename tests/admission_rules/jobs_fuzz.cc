// Any JSON as a review of a job or a pod: no crash, an answer each, and what is completed once is
// complete. The input is {"operation", "object", "oldObject"}.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/rules/resource_groups.h"
#include "admission/rules/rules.h"
#include "api/types/json.h"
#include "base/check.h"

namespace {

using bth::admission::Json;
using bth::admission::PatchOperation;
using bth::admission::Request;
using bth::admission::Settings;
using bth::admission::Verdict;

// Queues "default" and "root", of which the latter has children.
class TwoQueues final : public bth::admission::Known {
 public:
  TwoQueues() {
    for (bth::types::Queue* queue : {&default_, &root_}) queue->status.state = "Open";
    default_.spec.parent = "root";
  }
  const bth::types::Queue* FindQueue(std::string_view name) const override {
    return name == "default" ? &default_ : name == "root" ? &root_ : nullptr;
  }
  std::vector<const bth::types::Queue*> ChildrenOf(std::string_view parent) const override {
    if (parent != "root") return {};
    return {&default_};
  }
  void ForEachQueue(const std::function<bool(const bth::types::Queue&)>& visit) const override {
    if (visit(default_)) visit(root_);
  }
  std::optional<std::string> NamespaceAnnotation(std::string_view,
                                                 std::string_view) const override {
    return std::nullopt;
  }

 private:
  bth::types::Queue default_, root_;
};

const Settings& FuzzSettings() {
  static const Settings* const settings = [] {
    auto groups = bth::admission::ResourceGroups::Parse(
        "resourceGroups:\n- labels: {a: b}\n  tolerations: [{key: k}]\n  affinity: '{}'\n");
    auto* made = new Settings();
    made->resource_groups = std::make_shared<bth::admission::ResourceGroups>(*std::move(groups));
    made->scheduling_gates_queue_admission = true;
    return made;
  }();
  return *settings;
}

void CheckVerdict(const Verdict& verdict) {
  BTH_CHECK(verdict.allowed == verdict.message.empty());
  BTH_CHECK(verdict.allowed == verdict.reason.empty());
  BTH_CHECK(verdict.message.size() < (size_t{1} << 22));
  if (verdict.patch.has_value()) BTH_CHECK(verdict.allowed);
}

// Sets the members that a patch of a job names: "/spec/name".
void ApplyToSpec(const std::vector<PatchOperation>& patch, Json* object) {
  for (const PatchOperation& operation : patch) {
    BTH_CHECK(operation.path.starts_with("/spec/"));
    (*object)["spec"].Set(operation.path.substr(6), operation.value);
  }
}

void CheckJobs(const Request& request, const bth::admission::Known& known) {
  CheckVerdict(ValidateJob(request, FuzzSettings(), known));
  const Verdict first = MutateJob(request, FuzzSettings(), known);
  CheckVerdict(first);
  if (!first.allowed) return;
  Json completed = *request.object;
  ApplyToSpec(*first.patch, &completed);
  Request again = request;
  again.object = &completed;
  const Verdict second = MutateJob(again, FuzzSettings(), known);
  BTH_CHECK(second.allowed);
  for (const PatchOperation& operation : *second.patch) {
    const std::string_view path = operation.path;
    // A sum may be zero, which counts as not given.
    BTH_CHECK(path == "/spec/plugins" || path == "/spec/minAvailable");
    BTH_CHECK(operation.value == std::as_const(completed)["spec"][path.substr(6)]);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<Json> review = Json::Parse(text);
  if (!review.ok()) return 0;
  const TwoQueues known;
  Request request;
  request.operation = std::string((*review)["operation"].AsString("CREATE"));
  request.ns = "ns";
  request.object = &(*review)["object"];
  request.old_object = &(*review)["oldObject"];
  CheckJobs(request, known);
  CheckVerdict(ValidatePod(request, FuzzSettings(), known));
  CheckVerdict(MutatePod(request, FuzzSettings(), known));
  return 0;
}
