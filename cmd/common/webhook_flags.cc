#include "cmd/common/webhook_flags.h"

#include <algorithm>
#include <utility>

#include "admission/webhooks/review_handler.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/client_config.h"

namespace bth::cmd {
namespace {

constexpr conf::Gate kWebhookGates[] = {conf::Gate::kSchedulingGatesQueueAdmission,
                                        conf::Gate::kPodLevelResources};
constexpr int64_t kQueueDepthMax = 1000;

// Who names queues, and by which webhook's path that is checked.
constexpr std::pair<std::string_view, std::string_view> kNamesQueues[] = {
    {"jobs", "/jobs/validate"},
    {"pod groups", "/podgroups/validate"},
    {"pods", "/pods/validate"},
    {"cron jobs", "/cronjobs/validate"},
    {"job flows and their templates", "/jobflows/validate"},
};

// One line for each kind that --check-queue-access cannot see.
void NoteUnchecked(std::string_view enabled_admission, std::vector<std::string>* notes) {
  const auto enabled = admission::ReadEnabledPaths(enabled_admission);
  if (!enabled.ok()) return;
  for (const auto& [kind, path] : kNamesQueues) {
    const bool is_checked = std::any_of(
        enabled->begin(), enabled->end(),
        [path = path](const admission::Webhook* webhook) { return webhook->path == path; });
    if (is_checked) continue;
    notes->push_back(StrCat("--check-queue-access: ", kind, " are not checked: add ", path,
                            " to --enabled-admission"));
  }
}

}  // namespace

void WebhookFlags::AddTo(FlagSet& flags) {
  api.AddTo(flags);
  flags.Add("version", &version, "Print the version and exit");
  AddServing(flags);
  flags.Add("enabled-admission", &enabled_admission, "Webhooks to serve, by path");
  flags.AddRepeated(
      "scheduler-name", &scheduler_names,
      "Pods with this schedulerName are Volcano's; jobs that name none get the first");
  flags.Add("admission-conf", &admission_conf, "File with the resource groups of pods");
  flags.Add("enable-queue-allocated-pods-check", &check_allocated_pods,
            "Queues with allocated pods cannot be deleted");
  flags.Add("max-queue-depth", &max_queue_depth, "How deep queues may be nested below root");
  flags.Add("enable-root-queue-protection", &protect_root_queue,
            "Capability, deserved and guarantee of queue root cannot be changed");
  AddFeatureGates(flags, &feature_gates);
  flags.Add("check-queue-access", &check_queue_access,
            "Whoever creates a job or pod group, or moves it, must be allowed to use its queue");
  flags.Add("enable-page", &page, "Serve the web page at /ui/, beside the webhooks");
  log.AddTo(flags);
}

void WebhookFlags::AddServing(FlagSet& flags) {
  healthz_default_ = healthz_address;
  metrics_default_ = metrics_address;
  flags.Add("tls-cert-file", &certificate_files.certificate, "Certificate of the server");
  flags.Add("tls-private-key-file", &certificate_files.key, "Its key");
  flags.Add("ca-cert-file", &certificate_files.authorities,
            "Authorities that the API server shall trust when it calls");
  flags.Add("certificate-secret", &certificate_secret,
            "Make and renew certificates, and keep them in this Secret of --webhook-namespace");
  flags.Add("listen-address", &listen_address, "Address to serve webhooks on; empty: every one");
  flags.Add("port", &port, "Port to serve webhooks on");
  flags.Add("webhook-namespace", &webhook_namespace, "Namespace of the webhooks' Service");
  flags.Add("webhook-service-name", &webhook_service_name, "Name of the webhooks' Service");
  flags.Add("webhook-url", &webhook_url, "Where the webhooks are found, without a Service");
  flags.Add("self-register", &self_register,
            "Create the webhook configurations, and keep them up to date");
  flags.Add("enable-healthz", &healthz, "Serve /healthz and /readyz");
  flags.Add("healthz-address", &healthz_address, "Where to");
  flags.Add("enable-metrics", &metrics, "Serve /metrics");
  flags.Add("metrics-address", &metrics_address, "Where to");
  flags.Add("graceful-shutdown-time", &graceful_shutdown_time,
            "At the end, how long requests under way are waited for");
}

absl::Status WebhookFlags::Check() const {
  BTH_RETURN_IF_ERROR(api.Check());
  BTH_RETURN_IF_ERROR(log.Check());
  const std::pair<std::string_view, const std::string*> addresses[] = {
      {"healthz-address", &healthz_address}, {"metrics-address", &metrics_address}};
  for (const auto& [flag, address] : addresses) {
    const absl::StatusOr<Endpoint> endpoint = ParseEndpoint(*address);
    if (!endpoint.ok()) return RefusedFlag(flag, ToStd(endpoint.status().message()));
  }
  for (const std::string& name : scheduler_names) {
    if (name.empty()) return RefusedFlag("scheduler-name", "must not be empty");
  }
  if (max_queue_depth < 0 || max_queue_depth > kQueueDepthMax) {
    return RefusedFlag("max-queue-depth", StrCat("must be between 0 and ", kQueueDepthMax));
  }
  if (graceful_shutdown_time < absl::ZeroDuration()) {
    return RefusedFlag("graceful-shutdown-time", "must not be negative");
  }
  BTH_RETURN_IF_ERROR(conf::FeatureGates::Parse(feature_gates));
  BTH_RETURN_IF_ERROR(admission::ReadEnabledPaths(enabled_admission));
  return CheckOurs();
}

absl::Status WebhookFlags::CheckOurs() const {
  if (!webhook_url.empty()) {
    const auto url = client::ParseServerUrl(webhook_url, "https");
    if (!url.ok()) return RefusedFlag("webhook-url", ToStd(url.status().message()));
    if (!url->tls) return RefusedFlag("webhook-url", "must begin with https://");
  }
  const bool has_service = !webhook_namespace.empty() && !webhook_service_name.empty();
  const bool has_target = has_service || !webhook_url.empty();
  if (self_register && !has_target) {
    return RefusedFlag("self-register",
                       "give --webhook-url, or --webhook-namespace and --webhook-service-name");
  }
  if (certificate_secret.empty()) return absl::OkStatus();
  if (webhook_namespace.empty() || !has_target) {
    return RefusedFlag("certificate-secret",
                       "give --webhook-namespace, and --webhook-service-name or --webhook-url");
  }
  if (!certificate_files.certificate.empty() || !certificate_files.key.empty() ||
      !certificate_files.authorities.empty()) {
    return RefusedFlag("certificate-secret",
                       "leave out --tls-cert-file, --tls-private-key-file and --ca-cert-file");
  }
  return absl::OkStatus();
}

absl::Status WebhookFlags::CheckFatal() const {
  if (port < 1 || port > 65535) {
    return absl::InvalidArgumentError(
        "Configured port is invalid: the port should be in the range of 1 and 65535");
  }
  if (!certificate_secret.empty()) return absl::OkStatus();
  return Annotate(admission::ReadCertificateFiles(certificate_files).status(),
                  "Failed to parse CA file");
}

absl::Status WebhookFlags::CheckTarget() const {
  if (!webhook_namespace.empty() || !webhook_service_name.empty() || !webhook_url.empty()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "failed to start webhooks as both 'url' and 'namespace/name' of webhook are empty");
}

std::vector<std::string> WebhookFlags::Notes() const {
  std::vector<std::string> notes = log.Notes();
  if (!healthz && !healthz_default_.empty() && healthz_address != healthz_default_) {
    notes.push_back("--healthz-address: no health pages are served: add --enable-healthz");
  }
  if (!metrics && !metrics_default_.empty() && metrics_address != metrics_default_) {
    notes.push_back("--metrics-address: no metrics are served: add --enable-metrics");
  }
  if (check_queue_access) NoteUnchecked(enabled_admission, &notes);
  const absl::StatusOr<conf::FeatureGates> gates = conf::FeatureGates::Parse(feature_gates);
  if (!gates.ok()) return notes;
  for (std::string& note : gates->WithoutEffect(kWebhookGates)) notes.push_back(std::move(note));
  return notes;
}

PageFlags WebhookFlags::Pages() const {
  PageFlags pages;
  pages.healthz = healthz;
  pages.healthz_address = healthz_address;
  pages.metrics = metrics;
  pages.listen_address = metrics_address;
  if (!certificate_secret.empty()) return pages;  // There may be no certificate yet.
  pages.ca_file = certificate_files.authorities;
  pages.certificate_file = certificate_files.certificate;
  pages.key_file = certificate_files.key;
  return pages;
}

absl::StatusOr<Endpoint> WebhookFlags::Address() const {
  const bool bare_ipv6 = StrContains(listen_address, ":") && !listen_address.starts_with("[");
  const std::string host = bare_ipv6 ? StrCat("[", listen_address, "]") : listen_address;
  auto endpoint = ParseEndpoint(StrCat(host, ":", port));
  if (!endpoint.ok()) return RefusedFlag("listen-address", ToStd(endpoint.status().message()));
  return endpoint;
}

admission::Settings WebhookFlags::Settings(const conf::FeatureGates& gates) const {
  admission::Settings settings;
  settings.scheduler_names = scheduler_names;
  settings.max_queue_depth = static_cast<int>(max_queue_depth);
  settings.protect_root_queue = protect_root_queue;
  settings.check_allocated_pods = check_allocated_pods;
  settings.check_queue_access = check_queue_access;
  settings.scheduling_gates_queue_admission =
      gates.Enabled(conf::Gate::kSchedulingGatesQueueAdmission);
  settings.pod_level_resources = gates.Enabled(conf::Gate::kPodLevelResources);
  return settings;
}

std::vector<std::string> WebhookFlags::Hosts() const {
  std::vector<std::string> hosts;
  if (!webhook_service_name.empty()) {
    const std::string service = StrCat(webhook_service_name, ".", webhook_namespace);
    hosts = {StrCat(service, ".svc"), service, webhook_service_name};
  }
  if (webhook_url.empty()) return hosts;
  const auto url = client::ParseServerUrl(webhook_url, "https");
  if (url.ok()) hosts.push_back(url->host);
  return hosts;
}

}  // namespace bth::cmd
