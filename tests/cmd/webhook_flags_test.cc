#include "cmd/common/webhook_flags.h"

#include <string>

#include "tests/cmd/known_flags.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"

namespace bth::cmd {
namespace {

TEST_CASE("webhook flags: the manual has them all", "[cmd][unit]") {
  FlagSet set("vc-webhook-manager", "");
  WebhookFlags flags;
  flags.AddTo(set);
  const std::string manual = test::ReadFile(test::SourceRoot() / "docs/operations.md");
  CHECK(set.Values().size() > 20);
  for (const auto& [name, value] : set.Values()) {
    INFO(name);
    CHECK((manual.find("`--" + name + "`") != manual.npos ||
           manual.find("`-" + name + "`") != manual.npos));
  }
}

const KnownFlag kOfWebhooks[] = {
    {"version", "true", Fate::kWorks},
    {"tls-cert-file", "/a", Fate::kWorks},
    {"tls-private-key-file", "/b", Fate::kWorks},
    {"ca-cert-file", "/c", Fate::kWorks},
    {"listen-address", "127.0.0.1", Fate::kWorks},
    {"port", "7", Fate::kWorks},
    {"webhook-namespace", "n", Fate::kWorks},
    {"webhook-service-name", "s", Fate::kWorks},
    {"webhook-url", "https://h:1", Fate::kWorks},
    {"enabled-admission", "/jobs/validate", Fate::kWorks},
    {"scheduler-name", "x", Fate::kWorks},
    {"admission-conf", "/f", Fate::kWorks},
    {"enable-healthz", "true", Fate::kWorks},
    {"healthz-address", ":1", Fate::kNoted},  // With --enable-healthz it works.
    {"graceful-shutdown-time", "3s", Fate::kWorks},
    {"enable-queue-allocated-pods-check", "true", Fate::kWorks},
    {"max-queue-depth", "2", Fate::kWorks},
    {"enable-root-queue-protection", "false", Fate::kWorks},
    {"feature-gates", "SchedulingGatesQueueAdmission=true", Fate::kWorks},
    {"enable-metrics", "true", Fate::kWorks},
    {"metrics-address", ":2", Fate::kNoted},       // With --enable-metrics it works.
    {"certificate-secret", "s", Fate::kRefused},   // Needs to know where the webhooks are.
    {"self-register", "true", Fate::kRefused},     // Likewise.
    {"check-queue-access", "true", Fate::kNoted},  // With more of --enabled-admission it works.
    {"enable-page", "true", Fate::kWorks},
};

// What the daemon takes from its flags.
std::string TraceOfWebhooks(const WebhookFlags& flags) {
  const admission::Settings settings =
      flags.Settings(*conf::FeatureGates::Parse(flags.feature_gates));
  const PageFlags pages = flags.Pages();
  const absl::StatusOr<Endpoint> address = flags.Address();
  return StrCat(
      TraceOf(flags.api), TraceOf(pages), TraceOf(flags.log), flags.version,
      address.ok() ? ToText(*address) : "", "|", pages.ca_file, "|", pages.certificate_file, "|",
      pages.key_file, "|", flags.webhook_namespace, "|", absl::StrJoin(flags.Hosts(), ","), "|",
      flags.enabled_admission, "|", absl::StrJoin(settings.scheduler_names, ","), "|",
      flags.admission_conf, "|", absl::FormatDuration(flags.graceful_shutdown_time), "|",
      settings.check_allocated_pods, settings.max_queue_depth, settings.protect_root_queue,
      settings.scheduling_gates_queue_admission, flags.check_queue_access, flags.page);
}

TEST_CASE("webhook flags: each one works, or says why not, and there are no others",
          "[cmd][unit]") {
  std::vector<KnownFlag> all(std::begin(kOfWebhooks), std::end(kOfWebhooks));
  all.insert(all.end(), std::begin(kApiFlags), std::end(kApiFlags));
  all.insert(all.end(), std::begin(kLogFlags), std::end(kLogFlags));
  CheckEachFlag<WebhookFlags>(all, TraceOfWebhooks);
}

TEST_CASE("webhook flags: the defaults are Volcano's", "[cmd][unit]") {
  const ParsedFlags<WebhookFlags> parsed({"--master=127.0.0.1", "--kube_api_burst=200", "2>&1"});
  REQUIRE(parsed.outcome.run);
  CHECK(parsed.status.ok());
  const WebhookFlags& flags = parsed.flags;
  CHECK(flags.api.qps == 50);
  CHECK(flags.api.burst == 200);
  CHECK(flags.port == 8443);
  CHECK(flags.listen_address.empty());
  CHECK(flags.enabled_admission ==
        "/jobs/mutate,/jobs/validate,/podgroups/mutate,/pods/validate,/pods/mutate,/queues/mutate,"
        "/queues/validate");
  CHECK(flags.scheduler_names == std::vector<std::string>{"volcano"});
  CHECK_FALSE(flags.healthz);
  CHECK(flags.healthz_address == ":11251");
  CHECK(flags.graceful_shutdown_time == absl::Seconds(30));
  CHECK_FALSE(flags.check_allocated_pods);
  CHECK(flags.max_queue_depth == 5);
  CHECK(flags.protect_root_queue);
}

TEST_CASE("webhook flags: mistakes are told in Volcano's words", "[cmd][unit]") {
  WebhookFlags flags;
  CHECK(flags.CheckTarget().message() ==
        "failed to start webhooks as both 'url' and 'namespace/name' of webhook are empty");
  flags.webhook_namespace = "volcano-system";
  CHECK(flags.CheckTarget().ok());
  CHECK_THAT(std::string(flags.CheckFatal().message()),
             Catch::StartsWith("Failed to parse CA file: failed to read cacert file (): "));
  flags.port = 0;
  CHECK(flags.CheckFatal().message() ==
        "Configured port is invalid: the port should be in the range of 1 and 65535");
  flags.port = 65536;
  CHECK_FALSE(flags.CheckFatal().ok());
  flags.enabled_admission = "/jobs/mutat";
  CHECK(flags.Check().message() ==
        "enabled admission /jobs/mutat not found on the admission registered map");
}

TEST_CASE("webhook flags: an unknown feature gate is malformed", "[cmd][unit]") {
  const ParsedFlags<WebhookFlags> parsed({"--feature-gates=Nothing=true"});
  CHECK_FALSE(parsed.outcome.run);
  CHECK(parsed.outcome.exit_code == 2);
  CHECK_THAT(parsed.err,
             Catch::EndsWith("invalid argument \"Nothing=true\" for \"--feature-gates\" "
                             "flag: unrecognized feature gate: Nothing\n"));
}

TEST_CASE("webhook flags: certificates of our own need a name, and no files", "[cmd][unit]") {
  WebhookFlags flags;
  flags.certificate_secret = "s";
  flags.webhook_namespace = "ns";
  CHECK_FALSE(flags.Check().ok());
  flags.webhook_service_name = "svc";
  CHECK(flags.Check().ok());
  CHECK(flags.CheckFatal().ok());
  CHECK(flags.Hosts() == std::vector<std::string>{"svc.ns.svc", "svc.ns", "svc"});
  flags.webhook_url = "https://10.0.0.7:8443/";
  CHECK(flags.Hosts().back() == "10.0.0.7");
  flags.certificate_files.key = "/k";
  CHECK_THAT(std::string(flags.Check().message()), Catch::StartsWith("--certificate-secret: "));
  flags.certificate_files.key = "";
  flags.webhook_url = "http://10.0.0.7:8443";
  CHECK(flags.Check().message() == "--webhook-url: must begin with https://");
}

TEST_CASE("webhook flags: whose queues are not checked is told, path by path", "[cmd][unit]") {
  WebhookFlags flags;
  CHECK(flags.Notes().empty());
  flags.check_queue_access = true;
  CHECK(flags.Settings({}).check_queue_access);
  const auto note = [](const std::string& kind, const std::string& path) {
    return StrCat("--check-queue-access: ", kind, " are not checked: add ", path,
                  " to --enabled-admission");
  };
  const std::string flows = note("job flows and their templates", "/jobflows/validate");
  CHECK(flags.Notes() == std::vector<std::string>{note("pod groups", "/podgroups/validate"),
                                                  note("cron jobs", "/cronjobs/validate"), flows});
  flags.enabled_admission = "/jobflows/validate, /cronjobs/validate,/podgroups/validate";
  CHECK(flags.Notes() ==
        std::vector<std::string>{note("jobs", "/jobs/validate"), note("pods", "/pods/validate")});
  flags.enabled_admission += ",/jobs/validate,/pods/validate";
  CHECK(flags.Notes().empty());
}

TEST_CASE("webhook flags: addresses of both families are understood", "[cmd][unit]") {
  WebhookFlags flags;
  const auto address = [&](const std::string& text) {
    flags.listen_address = text;
    const absl::StatusOr<Endpoint> parsed = flags.Address();
    return parsed.ok() ? ToText(*parsed) : std::string(parsed.status().message());
  };
  CHECK(address("") == "[::]:8443");
  CHECK(address("127.0.0.1") == "127.0.0.1:8443");
  CHECK(address("::1") == "[::1]:8443");
  CHECK(address("[::1]") == "[::1]:8443");
}

}  // namespace
}  // namespace bth::cmd
