// What an admission rule is asked, and what it answers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/json.h"

namespace bth::admission {

using types::Json;

struct ResourceName {  // "batch.volcano.sh", "v1alpha1", "jobs"; the core group is "".
  std::string group, version, resource;
  friend bool operator==(const ResourceName&, const ResourceName&) = default;
};

struct UserInfo {
  std::string name, uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
};

// One AdmissionRequest. The documents are the caller's and live while a rule runs.
struct Request {
  std::string uid;
  std::string operation;  // "CREATE", "UPDATE", "DELETE", "CONNECT"
  ResourceName resource;
  std::string subresource;
  std::string name;
  std::string ns;
  const Json* object = nullptr;  // Null pointer or null: absent.
  const Json* old_object = nullptr;
  // `object` itself, when nobody needs it as it is after the rule: it may then fill in, or take
  // away, what it would have to copy. Null: the document stays as it is.
  Json* spare = nullptr;
  UserInfo user;
  bool dry_run = false;
};

struct PatchOperation {
  std::string op;  // "add", "replace"
  std::string path;
  Json value;
};

struct Verdict {
  bool allowed = true;
  // Why not: exactly the text that status.message carries.
  std::string message;
  // A short word for the metric of refusals: "task_min_available", "queue_not_open" ... Of a fixed
  // set.
  std::string_view reason;
  // Absent: no patch and no patchType. Empty: the four bytes `null` with patchType, as Volcano has
  // it.
  std::optional<std::vector<PatchOperation>> patch;
  std::vector<std::string> warnings;

  static Verdict Allow() { return {}; }
  static Verdict Refuse(std::string_view reason, std::string message) {
    return {.allowed = false, .message = std::move(message), .reason = reason};
  }
};

// The patch as JSON: an array of operations in the order given; null for an empty list.
Json ToJson(std::vector<PatchOperation> patch);
// Its text, without a tree that is made for it.
std::string ToText(const std::vector<PatchOperation>& patch);

}  // namespace bth::admission
