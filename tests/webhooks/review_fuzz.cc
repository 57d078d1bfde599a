// Any bytes as the body of a review, for every webhook: no crash, bounded work, and an answer that
// is an AdmissionReview whose patch can be read.
#include <cstdint>
#include <string_view>

#include "admission/rules/paths.h"
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
    return made;
  }();
  return *view;
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
  const bth::admission::Settings settings;
  for (const bth::admission::Webhook& webhook : bth::admission::Webhooks()) {
    bth::admission::Request request = (*review)->request();
    request.resource = {std::string(webhook.group), std::string(webhook.version),
                        std::string(webhook.resource)};
    CheckAnswer(request.uid, bth::admission::Review(webhook, request, settings, FuzzedCluster()));
  }
  return 0;
}
