// How to reach an API server and who we are: the outcome of reading kubeconfig files, flags and the
// environment. Plain values, no I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace bth::client {

// A text given inline or by file. A file is read again when it changes; it wins over the text.
struct TextSource {
  std::string text;
  std::string file;
  bool empty() const { return text.empty() && file.empty(); }
};

// A program that prints an ExecCredential (client.authentication.k8s.io).
struct ExecCommand {
  std::string api_version;
  std::string command;  // Absolute, or a name looked up in PATH.
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  // Added to ours.
  std::string install_hint;
  std::string cluster_json;  // spec.cluster for the program; empty: not wanted.
  absl::Duration timeout = absl::Seconds(60);
  bool shows_errors = false;  // Its stderr is ours, and so are the signals of our terminal.
};

// At most one of token, basic and exec is used, in the order exec, token, basic.
struct Credentials {
  TextSource token;
  std::string username;
  std::string password;
  std::optional<ExecCommand> exec;
  std::string impersonate_user;
  std::string impersonate_uid;
  std::vector<std::string> impersonate_groups;
  std::vector<std::pair<std::string, std::string>> impersonate_extra;  // Keys may repeat.
};

// "https://host:6443/prefix" taken apart.
struct ServerUrl {
  bool tls = false;
  std::string host;  // IPv6 without brackets.
  uint16_t port = 0;
  std::string path_prefix;  // "" or "/x/y", no slash at the end.
};
// `scheme_default` is used for a text without "://". Errors (kInvalidArgument) name the remedy.
absl::StatusOr<ServerUrl> ParseServerUrl(std::string_view url,
                                         std::string_view scheme_default = "http");
std::string ToText(const ServerUrl& url);

struct ClientConfig {
  ServerUrl server;
  bool insecure_skip_verify = false;
  std::string tls_server_name;
  TextSource ca;
  TextSource certificate;
  TextSource key;
  Credentials credentials;  // Empty over plain HTTP: secrets are never sent in clear.
  std::string default_namespace = "default";
  // For messages: what chose this server, and which file and context it came from.
  std::string origin;
};

}  // namespace bth::client
