// URLs as Kubernetes reads them in expressions: absolute ones, or absolute paths. Plain value.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace bth::cel {

class Url {
 public:
  // Errors (kInvalidArgument) in Kubernetes' words.
  static absl::StatusOr<Url> Parse(std::string_view text);
  // Whether the text is one that Parse takes; the fault without Parse's introduction.
  static absl::Status CheckRequest(std::string_view text);

  const std::string& scheme() const { return scheme_; }  // In lower case.
  const std::string& host() const { return host_; }      // With its port.
  std::string Hostname() const;                          // Without port and brackets.
  std::string Port() const;
  std::string EscapedPath() const;
  // Values by name, in their order. What cannot be read is left out.
  std::map<std::string, std::vector<std::string>> Query() const;
  std::string ToString() const;

  friend bool operator==(const Url& a, const Url& b) { return a.ToString() == b.ToString(); }

 private:
  // `as_request`: only absolute ones, and a # is a part of them.
  static absl::StatusOr<Url> ParseParts(std::string_view text, bool as_request);
  absl::Status ReadAuthority(std::string_view authority);
  absl::Status ReadHost(std::string_view host);

  std::string scheme_;
  std::string opaque_;  // Of scheme:opaque, which has no host and path.
  std::string user_;    // As written, with its @.
  std::string host_;
  std::string path_;          // Unescaped.
  std::string written_path_;  // As written.
  std::string query_;
  std::string fragment_;  // As written.
  bool has_authority_ = false;
  bool has_query_ = false;
};

}  // namespace bth::cel
