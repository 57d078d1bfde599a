// Any bytes as the body of a review, for every webhook, with the settings of a bare installation
// and with all that there are: no crash, bounded work, an answer that is an AdmissionReview whose
// patch can be read, and questions about queues that can be asked.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/rules/paths.h"
#include "admission/rules/queue_access.h"
#include "admission/rules/resource_groups.h"
#include "admission/webhooks/cluster_view.h"
#include "admission/webhooks/review.h"
#include "base/check.h"
#include "net/pem.h"

namespace {

using bth::admission::Json;

const bth::admission::ClusterView& FuzzedCluster() {
  static const auto* const view = [] {
    auto* made = new bth::admission::ClusterView;
    for (const char* name : {"root", "default", "a", "b"}) {
      bth::types::Queue queue;
      queue.meta.name = name;
      if (queue.meta.name == "b") queue.spec.parent = "a";
      queue.status.state = "Open";
      made->PutQueue(std::move(queue));
    }
    bth::types::ObjectMeta meta;
    meta.name = "team";
    meta.annotations.Set("scheduling.volcano.sh/queue-name", "b");
    made->PutNamespace(meta);
    meta.ns = "team";
    for (const char* name : {"a", "b", "c"}) {
      meta.name = name;
      made->PutJobTemplate(meta, name);
    }
    return made;
  }();
  return *view;
}

constexpr char kFuzzedGroups[] = R"(resourceGroups:
- resourceGroup: cpu
  object: {key: annotation, value: ["volcano.sh/resource-group: cpu"]}
  schedulerName: volcano
  labels: {volcano.sh/nodetype: cpu}
  tolerations: [{key: cpu, operator: Exists, effect: NoSchedule}]
  affinity: '{"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}}'
- resourceGroup: management
  object: {key: namespace, value: [team]}
  labels: {volcano.sh/nodetype: management}
)";

// As nothing is given, and as everything is.
const std::vector<bth::admission::Settings>& FuzzedSettings() {
  static const auto* const both = [] {
    auto groups = bth::admission::ResourceGroups::Parse(kFuzzedGroups);
    BTH_CHECK(groups.ok());
    bth::admission::Settings full;
    full.scheduler_names = {"volcano", "other"};
    full.max_queue_depth = 1;
    full.protect_root_queue = false;
    full.check_allocated_pods = true;
    full.scheduling_gates_queue_admission = true;
    full.pod_level_resources = false;
    full.check_queue_access = true;
    full.resource_groups =
        std::make_shared<const bth::admission::ResourceGroups>(*std::move(groups));
    return new std::vector<bth::admission::Settings>{{}, std::move(full)};
  }();
  return *both;
}

void CheckSubmissions(const bth::admission::Request& request,
                      const bth::admission::Settings& settings) {
  const auto submissions = bth::admission::SubmissionsOf(request, settings, FuzzedCluster());
  for (const bth::admission::QueueSubmission& submission : submissions) {
    BTH_CHECK(submission.queue.empty() != submission.pod_group.empty());
    const std::string review = bth::admission::SubmitReview(request.user, submission.queue).Dump();
    BTH_CHECK(Json::Parse(review, {.bytes_max = size_t{64} << 20, .depth_max = 64}).ok());
  }
}

void CheckAnswer(std::string_view uid, const bth::admission::Verdict& verdict) {
  const auto answer = Json::Parse(bth::admission::EncodeAnswer(uid, verdict),
                                  {.bytes_max = size_t{64} << 20, .depth_max = 64});
  BTH_CHECK(answer.ok());
  const Json& response = (*answer)["response"];
  BTH_CHECK(response["uid"].AsString() == uid);
  BTH_CHECK(response["allowed"].AsBool() == verdict.allowed);
  BTH_CHECK(verdict.allowed || !response["status"]["message"].AsString().empty());
  if (response["patch"].is_null()) return;
  const auto patch = bth::net::Base64Decode(response["patch"].AsString());
  BTH_CHECK(patch.ok());
  const auto operations = Json::Parse(*patch, {.bytes_max = size_t{64} << 20, .depth_max = 200});
  BTH_CHECK(operations.ok() && (operations->is_null() || operations->is_array()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const auto review = bth::admission::AdmissionReview::Decode(body);
  if (!review.ok()) {
    BTH_CHECK(!review.status().message().empty());
    return 0;
  }
  for (const bth::admission::Settings& settings : FuzzedSettings()) {
    const auto own = bth::admission::AdmissionReview::Decode(body);
    BTH_CHECK(own.ok());
    for (const bth::admission::Webhook& webhook : bth::admission::Webhooks()) {
      bth::admission::Request request = (*own)->request();
      // With one of the settings rules may take the document apart, with the other all see it
      // whole.
      if (!settings.check_queue_access) request.spare = nullptr;
      request.resource = {std::string(webhook.group), std::string(webhook.version),
                          std::string(webhook.resource)};
      CheckSubmissions(request, settings);
      CheckAnswer(request.uid, bth::admission::Review(webhook, request, settings, FuzzedCluster()));
    }
  }
  bth::admission::Request request = (*review)->request();
  request.resource = {"flow.volcano.sh", "v1alpha1", "jobtemplates"};
  CheckSubmissions(request, {});
  return 0;
}
