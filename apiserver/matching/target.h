// What admission is asked about one write, as Kubernetes puts it in an AdmissionRequest.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "apiserver/admission/stage.h"

namespace bth::apiserver {

struct Core;

// What rules and selectors look at. Views into the write, which outlives it.
struct Target {
  const WriteContext& write;
  std::string_view operation;  // "CREATE", "UPDATE", "DELETE", "CONNECT".
  std::string_view subresource;
  std::string_view ns;  // Of a namespace: its own name.
  std::string_view name;
};
// Before `mutated` a name that the server makes up is not there yet.
Target TargetOf(const WriteContext& write, bool mutated = true);

// Webhook configurations and policies: nobody is asked about them, so that a broken one can always
// be mended. Neither is anybody about what the server does by itself.
bool IsExempt(const WriteContext& write);

struct KindName {
  std::string group;
  std::string version;
  std::string kind;
};

// The objects of a write in one version of its resource.
struct Shown {
  KindName kind;    // Of the object: Binding for pods/binding, Scale for deployments/scale.
  Json object;      // Null for deletions.
  Json old_object;  // Null for creations.
};

// Before `mutated` a creation has no uid, no stamps and no name that the server made up.
Shown Show(const WriteContext& write, const ResourceType& as, bool mutated);

// The write with `object`, which somebody made of what was shown in the version of `as`; what is
// the server's to set stays, and defaults are filled in. Errors: the object is no longer of its
// kind, or another one's.
absl::Status TakeBack(const Core& core, const ResourceType& as, Json object, WriteContext& write);

// An AdmissionRequest without uid and objects, of a target that was matched as `as`.
Json RequestJson(const Target& target, const ResourceType& as);

}  // namespace bth::apiserver
