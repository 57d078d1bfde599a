// Any JSON as the object, the old object and the cluster of a review: the first line says which
// webhook and operation, the rest is the document {object, oldObject, queues}. No crash, bounded
// work, and a verdict that is whole.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "admission/rules/paths.h"
#include "admission/rules/queue_access.h"
#include "base/check.h"
#include "tests/admission_rules/review_bed.h"

namespace {

using bth::types::Json;

void AddKnownQueues(const Json& queues, bth::test::PlainKnown* known) {
  for (const Json& queue : queues.items()) {
    if (queue.is_object() && bth::types::FragmentFromJson<bth::types::Queue>(queue).ok()) {
      known->Add(queue.Dump());
    }
  }
}

void CheckKindVerdict(const bth::admission::Verdict& verdict) {
  BTH_CHECK(verdict.allowed == verdict.message.empty());
  BTH_CHECK(verdict.allowed == verdict.reason.empty());
  BTH_CHECK(verdict.message.size() < 100'000);
  if (!verdict.patch.has_value()) return;
  BTH_CHECK(verdict.allowed);
  const Json patch = bth::admission::ToJson(*verdict.patch);
  BTH_CHECK(patch.is_null() || !patch.items().empty());
  BTH_CHECK(Json::Parse(patch.Dump()).ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = text.find('\n');
  const size_t space = text.find(' ');
  if (line == std::string_view::npos || space > line) return 0;
  const auto document = Json::Parse(text.substr(line + 1), {.bytes_max = 1 << 20});
  if (!document.ok()) return 0;
  bth::test::PlainKnown known;
  AddKnownQueues((*document)["queues"], &known);
  bth::admission::Request request;
  request.operation = std::string(text.substr(space + 1, line - space - 1));
  request.name = std::string(document->At({"object", "metadata", "name"}).AsString());
  request.object = &(*document)["object"];
  request.old_object = &(*document)["oldObject"];
  const bth::admission::Webhook* webhook = bth::admission::FindWebhook(text.substr(0, space));
  if (webhook == nullptr) return 0;
  request.resource = {std::string(webhook->group), std::string(webhook->version),
                      std::string(webhook->resource)};
  CheckKindVerdict(bth::admission::Review(*webhook, request, {}, known));
  (void)bth::admission::SubmissionsOf(request, {}, known);
  return 0;
}
