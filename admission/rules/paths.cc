#include "admission/rules/paths.h"

#include <string>
#include <vector>

#include "admission/rules/rules.h"
#include "base/strings.h"

namespace bth::admission {
namespace {

constexpr std::string_view kBatch = "batch.volcano.sh";
constexpr std::string_view kScheduling = "scheduling.volcano.sh";

const std::vector<Webhook>& WebhookTable() {
  static const std::vector<Webhook>* const table = new std::vector<Webhook>{
      {"/jobs/mutate",
       true,
       "mutatejob.volcano.sh",
       kBatch,
       "v1alpha1",
       "jobs",
       {"CREATE"},
       &MutateJob},
      {"/jobs/validate",
       false,
       "validatejob.volcano.sh",
       kBatch,
       "v1alpha1",
       "jobs",
       {"CREATE", "UPDATE"},
       &ValidateJob},
      {"/pods/mutate", true, "mutatepod.volcano.sh", "", "v1", "pods", {"CREATE"}, &MutatePod},
      {"/pods/validate",
       false,
       "validatepod.volcano.sh",
       "",
       "v1",
       "pods",
       {"CREATE"},
       &ValidatePod},
      {"/podgroups/mutate",
       true,
       "mutatepodgroup.volcano.sh",
       kScheduling,
       "v1beta1",
       "podgroups",
       {"CREATE"},
       &MutatePodGroup},
      {"/podgroups/validate",
       false,
       "validatepodgroup.volcano.sh",
       kScheduling,
       "v1beta1",
       "podgroups",
       {"CREATE"},
       &ValidatePodGroup,
       true},
      {"/queues/mutate",
       true,
       "mutatequeue.volcano.sh",
       kScheduling,
       "v1beta1",
       "queues",
       {"CREATE"},
       &MutateQueue},
      {"/queues/validate",
       false,
       "validatequeue.volcano.sh",
       kScheduling,
       "v1beta1",
       "queues",
       {"CREATE", "UPDATE", "DELETE"},
       &ValidateQueue},
      {"/jobflows/validate",
       false,
       "validatejobflow.volcano.sh",
       "flow.volcano.sh",
       "v1alpha1",
       "jobflows",
       {"CREATE", "UPDATE"},
       &ValidateJobFlow},
      {"/cronjobs/validate",
       false,
       "validatecronjob.volcano.sh",
       kBatch,
       "v1alpha1",
       "cronjobs",
       {"CREATE", "UPDATE"},
       &ValidateCronJob},
      {"/hypernodes/validate",
       false,
       "validatehypernodes.volcano.sh",
       "topology.volcano.sh",
       "v1alpha1",
       "hypernodes",
       {"CREATE", "UPDATE"},
       &ValidateHyperNode},
  };
  return *table;
}

// Findings over a hostile object may be many, each with long names; nobody reads further.
constexpr size_t kMessageBytesMax = size_t{64} << 10;

void ShortenMessage(std::string* message) {
  if (message->size() <= kMessageBytesMax) return;
  size_t kept = kMessageBytesMax;
  // Not inside of a character: 10xxxxxx goes on with one.
  while (kept > 0 && (static_cast<unsigned char>((*message)[kept]) & 0xC0) == 0x80) --kept;
  message->resize(kept);
  message->append(" ...");
}

}  // namespace

std::span<const Webhook> Webhooks() {
  return WebhookTable();
}

const Webhook* FindWebhook(std::string_view path) {
  for (const Webhook& webhook : Webhooks()) {
    if (webhook.path == path) return &webhook;
  }
  return nullptr;
}

Verdict Review(const Webhook& webhook, const Request& request, const Settings& settings,
               const Known& known) {
  const ResourceName& asked = request.resource;
  if (asked.group != webhook.group || asked.version != webhook.version ||
      asked.resource != webhook.resource) {
    return Verdict::Refuse("wrong_resource", StrCat("expect resource to be {", webhook.group, " ",
                                                    webhook.version, " ", webhook.resource, "}"));
  }
  Verdict verdict = webhook.rule(request, settings, known);
  ShortenMessage(&verdict.message);
  return verdict;
}

}  // namespace bth::admission
