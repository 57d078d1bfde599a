// The command line of vc-webhook-manager: Volcano's flags with its defaults.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "admission/rules/known.h"
#include "admission/webhooks/certificate_source.h"
#include "cmd/common/daemon_flags.h"
#include "cmd/common/endpoint.h"
#include "cmd/common/flags.h"
#include "cmd/common/log_flags.h"
#include "conf/features.h"

namespace bth::cmd {

// Lives as long as the FlagSet it was added to.
struct WebhookFlags {
  ApiFlags api;
  LogFlags log;
  bool version = false;
  admission::CertificatePaths certificate_files;
  std::string listen_address;  // Without port; empty: every one.
  int64_t port = 8443;
  std::string webhook_namespace;
  std::string webhook_service_name;
  std::string webhook_url;
  std::string enabled_admission =
      "/jobs/mutate,/jobs/validate,/podgroups/mutate,/pods/validate,/pods/mutate,/queues/mutate,"
      "/queues/validate";
  std::vector<std::string> scheduler_names = {"volcano"};
  std::string admission_conf;
  bool healthz = false;
  std::string healthz_address = ":11251";
  absl::Duration graceful_shutdown_time = absl::Seconds(30);
  bool check_allocated_pods = false;
  int64_t max_queue_depth = 5;
  bool protect_root_queue = true;
  std::string feature_gates;
  // Those below are ours.
  bool metrics = false;
  std::string metrics_address = ":8082";
  std::string certificate_secret;  // Not empty: certificates of our own, instead of the files.
  bool self_register = false;
  bool check_queue_access = false;
  bool page = false;

  void AddTo(FlagSet& flags);
  absl::Status Check() const;
  // What Volcano's ends with 255 for: the port, and files that cannot be read.
  absl::Status CheckFatal() const;
  // Whether the API server can be told where the webhooks are.
  absl::Status CheckTarget() const;
  // What is accepted but passed over, or acts on less than one may think; one line each.
  std::vector<std::string> Notes() const;

  PageFlags Pages() const;
  absl::StatusOr<Endpoint> Address() const;
  admission::Settings Settings(const conf::FeatureGates& gates) const;
  // The names that a certificate of our own must stand for.
  std::vector<std::string> Hosts() const;

 private:
  void AddServing(FlagSet& flags);
  absl::Status CheckOurs() const;

  std::string healthz_default_, metrics_default_;
};

}  // namespace bth::cmd
