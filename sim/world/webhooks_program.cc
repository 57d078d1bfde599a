// vc-webhook-manager as cmd/common/webhook_daemon.cc wires it, with its certificate in a Secret and
// with registrations of its own.
#include <utility>
#include <vector>

#include "admission/rules/paths.h"
#include "admission/webhooks/certificate_keeper.h"
#include "admission/webhooks/cluster_feed.h"
#include "admission/webhooks/registration.h"
#include "admission/webhooks/review_handler.h"
#include "admission/webhooks/secret_certificates.h"
#include "base/rng.h"
#include "base/strings.h"
#include "client/background.h"
#include "metrics/admission_metrics.h"
#include "metrics/registry.h"
#include "sim/world/programs.h"
#include "sim/world/service.h"

namespace bth::sim {
namespace {

constexpr absl::Duration kListWarning = absl::Seconds(30);

std::vector<const admission::Webhook*> AllWebhooks() {
  std::vector<const admission::Webhook*> webhooks;
  for (const admission::Webhook& webhook : admission::Webhooks()) webhooks.push_back(&webhook);
  return webhooks;
}

std::vector<std::string> WebhookPaths() {
  std::vector<std::string> paths;
  for (const admission::Webhook* webhook : AllWebhooks()) paths.emplace_back(webhook->path);
  return paths;
}

class WebhooksProgram final : public Program {
 public:
  explicit WebhooksProgram(Site site)
      : site_(std::move(site)),
        rng_(site_.seed),
        metrics_(registry_, WebhookPaths()),
        api_(Connect(site_, "vc-webhook-manager", nullptr)),
        feed_(*api_, rng_, metrics_, {.namespaces = true}),
        handler_({*site_.process, feed_.view(), metrics_, nullptr}, AllWebhooks(), {}),
        source_(*api_, Secret()),
        registration_(*api_, metrics_, Registrations()),
        keeper_({*site_.process, source_, registration_, metrics_},
                [this](const admission::ServingCertificate& certificate) {
                  return Serve(certificate);
                }) {}

  void Start() override { start_.Start(*site_.process, Begin()); }
  bool idle() const override { return handler_.in_flight() == 0; }
  const Door* door() const override { return door_.server == nullptr ? nullptr : &door_; }

 private:
  admission::SecretOptions Secret() {
    admission::SecretOptions secret;
    secret.ns = kWorldNamespace;
    secret.name = "volcano-admission-secret";
    const std::string service = StrCat(kAdmissionService, ".", kWorldNamespace);
    secret.terms.hosts = {StrCat(service, ".svc"), service, std::string(kAdmissionService)};
    secret.terms.seeds = [this] { return StrCat(rng_.Next()); };
    return secret;
  }
  static admission::RegistrationOptions Registrations() {
    admission::RegistrationOptions options;
    options.webhooks = AllWebhooks();
    // Without resource groups no pod is changed.
    std::erase(options.webhooks, admission::FindWebhook("/pods/mutate"));
    options.create = true;
    options.address = {
        .ns = std::string(kWorldNamespace), .service = std::string(kAdmissionService), .url = ""};
    return options;
  }
  absl::Status Serve(const admission::ServingCertificate& certificate) {
    door_.certificate_pem = certificate.certificate_pem;
    if (door_.server == nullptr) {
      door_.server = net::MakeInProcessTransport(*site_.process, handler_.handler());
    }
    return absl::OkStatus();
  }
  net::Awaitable<void> Begin() {
    feed_.Start();
    for (;;) {
      const absl::Status synced = co_await feed_.WaitForSync(kListWarning);
      if (synced.ok()) break;
    }
    absl::Status status = co_await keeper_.Begin(rng_);
    if (status.ok()) status = co_await keeper_.Register();
    if (status.ok()) {
      keeper_.Follow();
    } else {
      site_.exit();
    }
  }

  const Site site_;
  Rng rng_;
  metrics::Registry registry_;
  metrics::AdmissionMetrics metrics_;
  const std::unique_ptr<client::ApiClient> api_;
  admission::ClusterFeed feed_;
  admission::ReviewHandler handler_;
  admission::SecretCertificates source_;
  admission::Registration registration_;
  Door door_;
  admission::CertificateKeeper keeper_;
  client::Background start_;
};

}  // namespace

std::unique_ptr<Program> MakeWebhooksProgram(Site site) {
  return std::make_unique<WebhooksProgram>(std::move(site));
}

}  // namespace bth::sim
