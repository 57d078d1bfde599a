// Failures of requests in the words of Go's Kubernetes client. Pure functions, but for one that
// asks the system's resolver.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace bth::cli {

// What was asked.
struct CallText {
  std::string method;     // "GET"
  std::string server;     // "https://host:6443/prefix"
  std::string path;       // "/api/v1/..."
  std::string query;      // "?labelSelector=a" or empty.
  std::string resource;   // "jobs.batch.volcano.sh"
  std::string name;       // Of the object; empty for lists and creations.
  std::string hint = {};  // Told when nobody could be dialled.
};

// "?a=b&c=d", escaped, without what only divides a list into pages.
std::string QueryText(const std::vector<std::pair<std::string, std::string>>& query);

// A refusal with the server's message as it is; where the server said nothing that can be read, and
// where no answer came, Go's words. Keeps code and payloads.
absl::Status AsGoTells(const absl::Status& status, const CallText& call);

// Names that cannot be part of a path are refused before anything is sent.
absl::Status CheckTarget(std::string_view ns, std::string_view name);

}  // namespace bth::cli
