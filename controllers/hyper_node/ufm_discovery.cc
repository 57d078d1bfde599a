#include "controllers/hyper_node/ufm_discovery.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "api/types/json.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::controllers {
namespace {

using types::Json;

constexpr size_t kPortBytesMax = size_t{1} << 20;
constexpr int kPortDepthMax = 16;
constexpr size_t kNameBytesMax = 253;

bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Walks the elements of a JSON array that are objects, without building the whole.
class ArrayWalk {
 public:
  explicit ArrayWalk(std::string_view text) : text_(text) {}

  // False: the text does not begin with an array.
  bool Open() {
    SkipSpace();
    return Take('[');
  }
  // The text of the next object; empty at the end of the array.
  absl::StatusOr<std::string_view> Next() {
    SkipSpace();
    if (is_first_ && Take(']')) return Finish();
    if (!is_first_) {
      if (Take(']')) return Finish();
      if (!Take(',')) return Wrong("`,` or `]` expected");
      SkipSpace();
    }
    is_first_ = false;
    if (at_ == text_.size() || text_[at_] != '{') return Wrong("an object expected");
    return Object();
  }

 private:
  void SkipSpace() {
    while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
  }
  bool Take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  absl::Status Wrong(std::string_view text) const {
    return absl::InvalidArgumentError(StrCat("offset ", at_, ": ", text));
  }
  absl::StatusOr<std::string_view> Finish() {
    SkipSpace();
    if (at_ != text_.size()) return Wrong("text behind the end of the array");
    return std::string_view();
  }
  // Up to the bracket that closes the one at hand; what is between is checked by whoever reads it.
  absl::StatusOr<std::string_view> Object() {
    const size_t begin = at_;
    int depth = 0;
    bool in_string = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (in_string) {
        if (c == '\\') ++at_;
        if (c == '"') in_string = false;
        continue;
      }
      if (c == '"') in_string = true;
      if (c == '{') ++depth;
      if (c != '}' || --depth > 0) continue;
      ++at_;
      return text_.substr(begin, at_ - begin);
    }
    at_ = text_.size();
    return Wrong("the text ends inside of an object");
  }

  const std::string_view text_;
  size_t at_ = 0;
  bool is_first_ = true;
};

// What a Kubernetes node can be called.
bool IsNodeName(std::string_view name) {
  if (name.empty() || name.size() > kNameBytesMax) return false;
  const auto is_alnum = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  char before = '.';  // Each part between dots begins and ends with a letter or digit.
  for (const char c : name) {
    if (!is_alnum(c) && c != '-' && c != '.') return false;
    if (c == '.' && !is_alnum(before)) return false;
    if (c == '-' && before == '.') return false;
    before = c;
  }
  return is_alnum(before);
}

// Disjoint sets of numbers; the least of each set stands for it.
class Sets {
 public:
  explicit Sets(size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0); }
  size_t Find(size_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void Join(size_t a, size_t b) {
    a = Find(a);
    b = Find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<size_t> parent_;
};

types::HyperNode MakeHyperNode(std::string name, int32_t tier, std::string_view member_type,
                               const std::vector<std::string>& members) {
  types::HyperNode made;
  made.meta.name = std::move(name);
  made.tier = tier;
  for (const std::string& member : members) {
    types::HyperNodeMember& added = made.members.emplace_back();
    added.type = member_type;
    added.exact_name = member;
  }
  return made;
}

absl::StatusOr<std::string> SecretValue(const types::Secret& secret, std::string_view key) {
  const std::string* value = secret.data.Find(key);
  std::string plain;
  if (value != nullptr && !absl::Base64Unescape(*value, &plain)) {
    return absl::FailedPreconditionError(
        StrCat("secret ", secret.meta.Key(), ": ", key, " is not base64"));
  }
  if (plain.empty()) {
    return absl::FailedPreconditionError(
        StrCat("secret ", secret.meta.Key(), " has no ", key,
               ": UFM authentication credentials are not configured"));
  }
  return plain;
}

}  // namespace

absl::StatusOr<UfmLinks> ParseUfmPorts(std::string_view text) {
  if (text.size() > kUfmAnswerBytesMax) {
    return absl::InvalidArgumentError(
        StrCat("the answer has more than ", kUfmAnswerBytesMax, " bytes"));
  }
  UfmLinks result;
  ArrayWalk walk(text);
  if (!walk.Open()) return absl::InvalidArgumentError("the answer is not a JSON array of ports");
  for (size_t port = 0;; ++port) {
    BTH_ASSIGN_OR_RETURN(const std::string_view object, walk.Next());
    if (object.empty()) return result;
    if (port == kUfmPortsMax) {
      return absl::InvalidArgumentError(StrCat("more than ", kUfmPortsMax, " ports"));
    }
    const absl::StatusOr<Json> json = Json::Parse(object, {kPortBytesMax, kPortDepthMax});
    if (!json.ok()) return Annotate(json.status(), StrCat("port ", port));
    if (!StrContains((*json)["description"].AsString(), "Computer")) continue;
    UfmLink link = {std::string((*json)["peer_node_name"].AsString()),
                    std::string((*json)["system_name"].AsString())};
    if (link.leaf.empty() || !IsNodeName(link.node)) {
      ++result.skipped;
    } else {
      result.links.push_back(std::move(link));
    }
  }
}

std::vector<types::HyperNode> HyperNodesOfLinks(const std::vector<UfmLink>& links) {
  std::map<std::string_view, size_t> leaf_numbers;
  for (const UfmLink& link : links) leaf_numbers.emplace(link.leaf, 0);
  size_t next = 0;
  for (auto& [leaf, number] : leaf_numbers) number = next++;
  Sets leaves(leaf_numbers.size());
  std::map<std::string_view, size_t> leaf_of_node;  // One of its leaves.
  for (const UfmLink& link : links) {
    const size_t leaf = leaf_numbers[link.leaf];
    leaves.Join(leaf, leaf_of_node.emplace(link.node, leaf).first->second);
  }
  std::map<size_t, std::vector<std::string>> groups;  // By first leaf; nodes in order of name.
  for (const auto& [node, leaf] : leaf_of_node) groups[leaves.Find(leaf)].emplace_back(node);
  std::vector<types::HyperNode> made;
  std::vector<std::string> names;
  for (const auto& [first_leaf, nodes] : groups) {
    names.push_back(StrCat("leaf-hn-", names.size()));
    made.push_back(MakeHyperNode(names.back(), 1, "Node", nodes));
  }
  if (!made.empty()) made.push_back(MakeHyperNode("spine-hn", 2, "HyperNode", names));
  return made;
}

absl::Status CheckUfmSource(const conf::TopologySource& source) {
  if (source.endpoint.empty()) {
    return absl::FailedPreconditionError(
        "UFM endpoint is not configured: set config.endpoint of the source ufm");
  }
  if (source.endpoint.find('@') != std::string::npos) {
    return absl::FailedPreconditionError(
        "config.endpoint of the source ufm must not hold a password: put it into the Secret");
  }
  if (source.secret_name.empty()) {
    return absl::FailedPreconditionError(
        "UFM authentication credentials are not configured: set credentials.secretRef of the "
        "source ufm to a Secret with username and password");
  }
  return absl::OkStatus();
}

std::string UfmUrl(std::string_view endpoint) {
  while (!endpoint.empty() && endpoint.back() == '/') endpoint.remove_suffix(1);
  const bool has_scheme = endpoint.find("://") != std::string_view::npos;
  return StrCat(has_scheme ? "" : "https://", endpoint, "/ufmRest/resources/ports");
}

absl::StatusOr<UfmLogin> UfmLoginOf(const types::Secret& secret) {
  UfmLogin login;
  BTH_ASSIGN_OR_RETURN(login.username, SecretValue(secret, "username"));
  BTH_ASSIGN_OR_RETURN(login.password, SecretValue(secret, "password"));
  return login;
}

}  // namespace bth::controllers
