#include "cmd/common/webhook_daemon.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <utility>

#include "absl/strings/str_join.h"
#include "admission/webhooks/configurations.h"
#include "admission/webhooks/secret_certificates.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "cmd/common/program.h"
#include "net/text_response.h"
#include "page/page.h"

namespace bth::cmd {
namespace {

constexpr char kWebhookProgram[] = "vc-webhook-manager";
constexpr int kFatalExitCode = 255;
constexpr absl::Duration kListWarning = absl::Seconds(30);
constexpr absl::Duration kVersionPause = absl::Seconds(1);

std::vector<const admission::Webhook*> EnabledWebhooks(const WebhookFlags& flags) {
  return admission::ReadEnabledPaths(flags.enabled_admission)
      .value_or(std::vector<const admission::Webhook*>());  // Checked with the flags.
}

std::vector<std::string> PathsOf(const std::vector<const admission::Webhook*>& webhooks) {
  std::vector<std::string> paths;
  for (const admission::Webhook* webhook : webhooks) paths.emplace_back(webhook->path);
  return paths;
}

// Only this rule asks for namespaces, and who may submit to which queue; elsewhere the role of
// Volcano's manifests forbids to list them.
bool AsksForNamespaces(const std::vector<const admission::Webhook*>& webhooks, bool access) {
  return access ||
         std::any_of(webhooks.begin(), webhooks.end(), [](const admission::Webhook* webhook) {
           return webhook->path == "/podgroups/mutate";
         });
}

// Job flows make jobs of templates, in whose queues.
bool AsksForTemplates(const std::vector<const admission::Webhook*>& webhooks, bool access) {
  return access &&
         std::any_of(webhooks.begin(), webhooks.end(), [](const admission::Webhook* webhook) {
           return !admission::CheckedResource(*webhook).empty();
         });
}

// "36+" is 36.
int LeadingNumber(std::string_view text) {
  int number = 0;
  for (const char c : text.substr(0, 6)) {
    if (c < '0' || c > '9') break;
    number = 10 * number + (c - '0');
  }
  return number;
}

}  // namespace

WebhookDaemon::WebhookDaemon(net::IoContext& io, const WebhookFlags& flags,
                             std::vector<const admission::Webhook*> webhooks)
    : io_(io),
      flags_(flags),
      webhooks_(std::move(webhooks)),
      gates_(conf::FeatureGates::Parse(flags.feature_gates).value_or(conf::FeatureGates())),
      rng_(RandomSeed()),
      metrics_(registry_, PathsOf(webhooks_)),
      gauges_(registry_, kWebhookProgram),
      file_(io, metrics_, {.path = flags.admission_conf}) {
  escapes_ = io_.barrier().Listen(
      [this](const net::Escape& escape) { metrics_.client().ExceptionCaught(escape.place); });
}

absl::StatusOr<std::unique_ptr<WebhookDaemon>> WebhookDaemon::Create(net::IoContext& io,
                                                                     const WebhookFlags& flags) {
  std::unique_ptr<WebhookDaemon> daemon(new WebhookDaemon(io, flags, EnabledWebhooks(flags)));
  BTH_RETURN_IF_ERROR(daemon->Wire());
  return daemon;
}

int WebhookDaemon::Fatal(const absl::Status& why) {
  std::cerr << kWebhookProgram << ": " << why.message() << "\n";
  return kFatalExitCode;
}

absl::Status WebhookDaemon::Connect() {
  absl::StatusOr<client::ClientConfig> config = ChooseServer(flags_.api);
  if (!config.ok()) return Annotate(config.status(), "unable to build k8s config");
  contact_ = MakeContact(io_, *config, [this](const absl::Status& why) { GiveUp(why); });
  const DaemonLine line{io_, *config, kWebhookProgram, metrics_.client(), contact_.get()};
  BTH_ASSIGN_OR_RETURN(api_, ConnectForWork(line, flags_.api, nullptr));
  if (!flags_.check_queue_access) return absl::OkStatus();
  ApiFlags unlimited = flags_.api;
  unlimited.qps = 0;  // Reviews that wait are limited by their number.
  BTH_ASSIGN_OR_RETURN(access_api_, ConnectForWork(line, unlimited, nullptr));
  access_ = std::make_unique<admission::QueueAccess>(*access_api_, metrics_);
  return absl::OkStatus();
}

void WebhookDaemon::MakeCertificates() {
  if (flags_.certificate_secret.empty()) {
    source_ = std::make_unique<admission::FileCertificates>(flags_.certificate_files);
  } else {
    admission::SecretOptions secret;
    secret.ns = flags_.webhook_namespace;
    secret.name = flags_.certificate_secret;
    secret.terms.hosts = flags_.Hosts();
    source_ = std::make_unique<admission::SecretCertificates>(*api_, std::move(secret));
  }
  admission::RegistrationOptions registration;
  registration.webhooks = webhooks_;
  registration.create = flags_.self_register;
  if (registration.create && flags_.admission_conf.empty()) {
    // Without resource groups no pod is changed: nobody needs to wait for that answer.
    std::erase(registration.webhooks, admission::FindWebhook("/pods/mutate"));
  }
  if (flags_.check_queue_access) registration.queue_check = admission::QueueCheck::kOn;
  registration.address = {.ns = flags_.webhook_namespace,
                          .service = flags_.webhook_service_name,
                          .url = flags_.webhook_url};
  while (registration.address.url.ends_with("/")) registration.address.url.pop_back();
  registration_ =
      std::make_unique<admission::Registration>(*api_, metrics_, std::move(registration));
  const admission::CertificateKeeper::Parts parts{io_, *source_, *registration_, metrics_};
  keeper_ = std::make_unique<admission::CertificateKeeper>(
      parts,
      [this](const admission::ServingCertificate& certificate) { return Install(certificate); });
}

absl::Status WebhookDaemon::Wire() {
  BTH_RETURN_IF_ERROR(Connect());
  admission::ClusterFeed::Options feed;
  feed.namespaces = AsksForNamespaces(webhooks_, flags_.check_queue_access);
  feed.job_templates = AsksForTemplates(webhooks_, flags_.check_queue_access);
  if (flags_.check_queue_access) StrAppend(&feed.role, " (with deploy/optional/queue_access.yaml)");
  feed_ = std::make_unique<admission::ClusterFeed>(*api_, rng_, metrics_, std::move(feed));
  const admission::ReviewHandler::Parts parts{io_, feed_->view(), metrics_, access_.get()};
  handler_ = std::make_unique<admission::ReviewHandler>(parts, webhooks_, flags_.Settings(gates_));
  MakeCertificates();
  const net::Handler pages = [this](net::Request request) { return Page(std::move(request)); };
  BTH_ASSIGN_OR_RETURN(pages_, PageServers::Start(io_, flags_.Pages(), pages));
  return absl::OkStatus();
}

absl::StatusOr<int> WebhookDaemon::Run() {
  io_.OnSignals({SIGTERM, SIGINT}, [this](int) { OnStopSignal(); });
  start_.Start(io_, Start());
  io_.Run();
  pages_.reset();
  if (given_up_.ok()) return exit_code_;
  if (cannot_listen_) return Fatal(given_up_);
  return given_up_;
}

net::Awaitable<void> WebhookDaemon::Start() {
  const absl::Status status = co_await Begin();
  if (!status.ok()) GiveUp(status);
}

net::Awaitable<absl::Status> WebhookDaemon::Begin() {
  co_await AlignGates();
  admission::Settings settings = flags_.Settings(gates_);
  settings.resource_groups = file_.Load();
  handler_->SetSettings(std::move(settings));
  FollowFile();
  feed_->Start();
  co_await AwaitLists();
  const absl::Status served = co_await keeper_->Begin(rng_);
  if (!served.ok()) co_return served;
  gauges_.SetLeading(true);
  const absl::Status registered = co_await keeper_->Register();
  if (!registered.ok()) co_return registered;
  keeper_->Follow();
  co_return absl::OkStatus();
}

net::Awaitable<void> WebhookDaemon::AlignGates() {
  for (;;) {
    client::ApiRequest request;
    request.verb = "get";
    request.path = {"version", "/version"};
    const client::ApiClient::Text text = co_await api_->Call(std::move(request));
    const absl::StatusOr<types::Json> version =
        text.ok() ? types::Json::Parse(*text) : absl::StatusOr<types::Json>(text.status());
    if (version.ok()) {
      const conf::KubeVersion found{.major = LeadingNumber((*version)["major"].AsString()),
                                    .minor = LeadingNumber((*version)["minor"].AsString())};
      if (found.major > 0) gates_.AlignWith(found);
      co_return;
    }
    if (!admission::IsTransient(version.status())) co_return;  // The defaults of our own version.
    co_await net::Sleep(io_, kVersionPause);
  }
}

void WebhookDaemon::FollowFile() {
  file_.Watch([this](admission::AdmissionFile::Groups groups) {
    admission::Settings settings = handler_->settings();
    settings.resource_groups = std::move(groups);
    handler_->SetSettings(std::move(settings));
  });
}

net::Awaitable<void> WebhookDaemon::AwaitLists() {
  for (;;) {
    const absl::Status synced = co_await feed_->WaitForSync(kListWarning);
    if (synced.ok()) break;
    Log(LogLevel::kWarning, "cache.not_synced", {{"status", synced}});
  }
  Log(LogLevel::kInfo, "cache.synced",
      {{"queues", feed_->view().queues()}, {"namespaces", feed_->view().namespaces()}});
}

absl::Status WebhookDaemon::Install(const admission::ServingCertificate& certificate) {
  net::ServerTls tls;
  tls.certificate_pem = certificate.certificate_pem;
  tls.key_pem = certificate.key_pem;
  if (server_ != nullptr) return server_->ReplaceCertificates(tls);
  const absl::Status listening = Listen(tls);
  cannot_listen_ = !listening.ok();
  return Annotate(listening, "ListenAndServeTLS for admission webhook failed");
}

absl::Status WebhookDaemon::Listen(const net::ServerTls& tls) {
  BTH_ASSIGN_OR_RETURN(const Endpoint endpoint, flags_.Address());
  net::ServerOptions options;
  options.address = endpoint.host;
  options.port = endpoint.port;
  options.tls = true;
  options.certificates = tls;
  options.body_bytes_max = 2 * admission::kReviewBytesMax;  // The handler says what is too large.
  options.body_too_large = "request body too large";
  const net::Handler reviews = handler_->handler();
  BTH_ASSIGN_OR_RETURN(
      server_, ListenOn(io_, std::move(options), flags_.page ? page::WithPage(reviews) : reviews));
  LogServed("webhooks.served", ToText(endpoint), *server_, true);
  return absl::OkStatus();
}

void WebhookDaemon::GiveUp(const absl::Status& why) {
  if (stopping_) return;
  given_up_ = why;
  exit_code_ = 1;
  io_.Stop();
}

void WebhookDaemon::OnStopSignal() {
  if (stopping_) _exit(1);  // Asked twice: whoever waits has lost patience.
  stopping_ = true;
  gauges_.SetLeading(false);
  Log(LogLevel::kInfo, "webhooks.stopping", {{"drain_max", flags_.graceful_shutdown_time}});
  stop_.Start(io_, Stop());
}

net::Awaitable<void> WebhookDaemon::Stop() {
  start_.Stop();
  if (server_ != nullptr) {
    const bool drained = co_await server_->Drain(flags_.graceful_shutdown_time);
    if (!drained) {
      std::cerr << kWebhookProgram << ": close admission server failed: " << handler_->in_flight()
                << " reviews were under way after "
                << absl::FormatDuration(flags_.graceful_shutdown_time) << "\n";
      exit_code_ = 1;
    }
  }
  io_.Stop();
}

std::string WebhookDaemon::Lacking() const {
  if (stopping_) return "it is about to end";
  if (!contact_->ever_answered()) return "the API server has not answered yet";
  if (!feed_->AllSynced()) {
    return StrCat("not yet listed: ", absl::StrJoin(feed_->Unsynced(), ", "));
  }
  if (const std::vector<std::string> missing = feed_->Missing(); !missing.empty()) {
    return StrCat("the API server does not know ", absl::StrJoin(missing, ", "),
                  ": install the definitions with kubectl apply -f deploy/crds");
  }
  if (server_ == nullptr) return "there is no certificate yet";
  return "";
}

net::Awaitable<net::Response> WebhookDaemon::Page(net::Request request) {
  const absl::StatusOr<net::Target> target = net::ParseTarget(request.target);
  const std::string path = target.ok() ? target->path : "";
  if (path == "/metrics") co_return net::TextResponse(200, registry_.RenderText());
  if (path == "/healthz" || path == "/healthz/ping" || path == "/livez") {
    const bool verbose = target->HasQuery("verbose");
    co_return net::TextResponse(200, verbose ? "[+]ping ok\nhealthz check passed\n" : "ok");
  }
  if (path == "/readyz") {
    const std::string lacking = Lacking();
    if (lacking.empty()) co_return net::TextResponse(200, "ok\n");
    const std::string last_error = contact_->LastError();
    co_return net::TextResponse(503,
                                StrCat(lacking, "\n", last_error, last_error.empty() ? "" : "\n"));
  }
  co_return net::TextResponse(404, "pages: /healthz /livez /readyz /metrics\n");
}

}  // namespace bth::cmd
