// Flags that all daemons have in common. The defaults are Volcano's; where its daemons differ, the
// daemon sets its own before AddTo.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "client/kubeconfig.h"
#include "client/leader_election.h"
#include "cmd/common/flags.h"

namespace bth::cmd {

// "--FLAG: why".
absl::Status RefusedFlag(std::string_view flag, std::string_view why);

// A variable of the environment; `fallback` where it is not set, or empty.
std::string Environment(const char* name, std::string_view fallback = "");

// --feature-gates, which may be repeated; an unknown gate is a malformed value.
void AddFeatureGates(FlagSet& flags, std::string* target);

// How to reach the API server.
struct ApiFlags {
  std::string master;
  std::string kubeconfig;
  double qps = 50;
  int64_t burst = 100;
  std::string content_type = "application/vnd.kubernetes.protobuf";

  void AddTo(FlagSet& flags);
  absl::Status Check() const;
  // Core objects are read as protobuf, not as JSON.
  bool protobuf() const { return content_type != "application/json"; }
  // What the sources of a daemon's configuration are: flags, then the pod it runs in.
  client::ConfigSources Sources() const;
};

// Which pages are served where.
struct PageFlags {
  bool healthz = false;
  std::string healthz_address = ":11251";
  bool metrics = false;
  std::string listen_address = ":8080";
  // All three or none: health is served over TLS, or without.
  std::string ca_file;
  std::string certificate_file;
  std::string key_file;

  void AddTo(FlagSet& flags);
  // Addresses that are none, and a part of the three files.
  absl::Status Check() const;
  // Addresses and files of pages that are not served.
  std::vector<std::string> Notes() const;

 private:
  // Defaults, told apart from what was given.
  std::string healthz_default_, listen_default_;
};

struct LeaderFlags {
  bool elect = true;
  client::LeaderElectionOptions options;
  std::string resource_lock = "leases";
  std::string lock_namespace;  // Deprecated; wins over the option's.

  void AddTo(FlagSet& flags);
  absl::Status Check() const;
  // `identity` is unique among candidates.
  client::LeaderElectionOptions Election(const std::string& identity) const;
};

}  // namespace bth::cmd
