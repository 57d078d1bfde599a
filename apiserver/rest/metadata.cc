#include "apiserver/rest/metadata.h"

#include <algorithm>
#include <string>
#include <utility>

#include "api/rules/labels.h"
#include "api/rules/names.h"
#include "api/rules/part.h"
#include "api/types/time.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

// Each change of an owner may rewrite its dependents, so their references are not without limit.
constexpr size_t kOwnersMax = 1000;

void CopyMember(const Json& from, Json& to, std::string_view key) {
  if (const Json* value = from.Find(key)) {
    to.Set(key, *value);
  } else {
    to.Erase(key);
  }
}

// Whether what `generation` counts differs: all but metadata, and all but a split-off status.
bool DesiredStateDiffers(const ResourceType& type, const Json& a, const Json& b) {
  auto counts = [&](const std::string& key) {
    return key != "metadata" && key != "apiVersion" && key != "kind" &&
           !(key == "status" && (type.has_status || !type.custom));
  };
  auto covers = [&](const Json& x, const Json& y) {
    return std::all_of(x.members().begin(), x.members().end(), [&](const Json::Member& member) {
      if (!counts(member.first)) return true;
      const Json* other = y.Find(member.first);
      return other != nullptr && *other == member.second;
    });
  };
  return !covers(a, b) || !covers(b, a);
}

// Metadata that a client cannot change: it is taken over silently, as the real server does, but
// for identity, where a difference shows a client that mistakes the object for another.
absl::Status KeepServerMetadata(const ApiRequest& request, const Json& current, Json& next) {
  const Json& was = current["metadata"];
  Json& meta = next["metadata"];
  const std::string_view uid = std::as_const(meta)["uid"].AsString();
  if (!uid.empty() && uid != was["uid"].AsString() && request.verb == Verb::kPatch) {
    return Invalid(request.subject(), {FieldInvalid("metadata.uid", uid, "field is immutable")});
  }
  if (!uid.empty() && uid != was["uid"].AsString()) {
    return Conflict(request.subject(), StrCat("Precondition failed: UID in precondition: ", uid,
                                              ", UID in object meta: ", was["uid"].AsString()));
  }
  for (const char* key :
       {"uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation",
        "namespace", "name", "generateName", "selfLink"}) {
    CopyMember(was, meta, key);
  }
  return absl::OkStatus();
}

void MoveMember(Json& from, Json& to, std::string_view key) {
  if (Json* value = from.Find(key)) {
    to.Set(key, std::move(*value));
  } else {
    to.Erase(key);
  }
}

// Equal, and with the same text.
bool IsIdentical(const Json& a, const Json& b) {
  if (a.is_object() != b.is_object() || a.is_int() != b.is_int() || a.size() != b.size()) {
    return false;
  }
  if (a.is_object()) {
    return std::equal(a.members().begin(), a.members().end(), b.members().begin(),
                      [](const Json::Member& x, const Json::Member& y) {
                        return x.first == y.first && IsIdentical(x.second, y.second);
                      });
  }
  if (!a.is_array()) return a == b;
  return b.is_array() &&
         std::equal(a.items().begin(), a.items().end(), b.items().begin(), IsIdentical);
}

// `current`, but for the status. What both have alike is moved out of `next`, as most of it is.
Json WithStatusOf(const Json& current, Json& next) {
  Json result = Json::MakeObject();
  Json::Object& members = result.MutableMembers();
  members.reserve(current.members().size() + 1);
  for (const auto& [key, value] : current.members()) {
    Json* other = key == "metadata" ? nullptr : next.Find(key);
    if (key == "status") {
      if (other != nullptr) members.emplace_back(key, std::move(*other));
    } else if (other != nullptr && IsIdentical(*other, value)) {
      members.emplace_back(key, std::move(*other));
    } else {
      members.emplace_back(key, value);
    }
  }
  if (current.Find("status") == nullptr) MoveMember(next, result, "status");
  return result;
}

void SplitStatus(const ApiRequest& request, const Json& current, Json& next) {
  const ResourceType& type = *request.type;
  if (request.subresource != "status") {
    if (type.has_status) CopyMember(current, next, "status");
    return;
  }
  Json result = WithStatusOf(current, next);
  Json& from = next["metadata"];
  Json& meta = result["metadata"];
  MoveMember(from, meta, "managedFields");
  // Status writers of built-in resources may keep notes in labels and annotations.
  if (!type.custom) {
    for (const char* key : {"labels", "annotations"}) MoveMember(from, meta, key);
  }
  MoveMember(from, meta, "resourceVersion");
  next = std::move(result);
}

void CheckOwnerReferences(const Json& owners, std::vector<Cause>& causes) {
  if (!owners.is_null() && !owners.is_array()) {
    causes.push_back(FieldInvalid("metadata.ownerReferences", owners, "must be an array"));
    return;
  }
  if (owners.size() > kOwnersMax) {
    causes.push_back(
        {"FieldValueTooMany",
         StrCat("Too many: ", owners.size(), ": must have at most ", kOwnersMax, " items"),
         "metadata.ownerReferences"});
    return;
  }
  int controllers = 0;
  for (size_t i = 0; i < owners.size(); ++i) {
    const std::string at = StrCat("metadata.ownerReferences[", i, "].");
    for (const char* key : {"apiVersion", "kind", "name", "uid"}) {
      if (owners[i][key].AsString().empty()) {
        causes.push_back(FieldRequired(StrCat(at, key), "must not be empty"));
      }
    }
    if (owners[i]["apiVersion"].AsString() == "v1" && owners[i]["kind"].AsString() == "Event") {
      causes.push_back(FieldInvalid(StrCat("metadata.ownerReferences[", i, "]"), owners[i],
                                    "an Event cannot own other objects"));
    }
    controllers += owners[i]["controller"].AsBool() ? 1 : 0;
  }
  if (controllers > 1) {
    causes.push_back(FieldInvalid("metadata.ownerReferences", owners,
                                  "Only one reference can have Controller set to true"));
  }
}

std::vector<std::string> NameFaults(const ResourceType& type, std::string_view name) {
  if (type.group == "rbac.authorization.k8s.io") {
    return rules::CheckPathSegment(name);
  }
  if (type.collection == "namespaces" || type.collection == "services") {
    return rules::CheckDnsLabel(name);
  }
  return rules::CheckDnsSubdomain(name);
}

void CheckObjectName(const ResourceType& type, const rules::Part& metadata) {
  const std::string_view name = metadata.Text("name");
  if (name.empty()) return metadata.Required("name", "name or generateName is required");
  metadata.Invalid("name", name, NameFaults(type, name));
}

void CheckFinalizers(const rules::Part& metadata) {
  bool orphan = false;
  bool foreground = false;
  for (const std::string_view finalizer : metadata.Texts("finalizers")) {
    orphan |= finalizer == kOrphanFinalizer;
    foreground |= finalizer == kForegroundFinalizer;
    metadata.Invalid("finalizers", finalizer, rules::CheckQualifiedName(finalizer));
  }
  if (orphan && foreground) {
    metadata.Invalid("finalizers", metadata.value()["finalizers"],
                     "orphan and foregroundDeletion cannot both be set");
  }
}

// The depth, and roughly the size as text.
int Measure(const Json& value, size_t* bytes) {
  *bytes += 2 + value.AsString().size();
  int deepest = 0;
  for (const Json& item : value.items()) deepest = std::max(deepest, Measure(item, bytes));
  for (const auto& [key, member] : value.members()) {
    *bytes += key.size() + 3;
    deepest = std::max(deepest, Measure(member, bytes));
  }
  return deepest + 1;
}

}  // namespace

bool HasFinalizers(const Json& object) {
  return !object["metadata"]["finalizers"].empty();
}

bool HasEnded(const Json& pod) {
  const std::string_view phase = pod["status"]["phase"].AsString();
  return phase == "Succeeded" || phase == "Failed";
}

bool IsDeleting(const Json& object) {
  return object["metadata"]["deletionTimestamp"].is_string();
}

absl::Status MatchRequest(const ApiRequest& request, Json& object) {
  const ResourceType& type = *request.type;
  const Json& given = object;
  const std::string version(given["apiVersion"].AsString());
  if (!version.empty() && version != type.api_version()) {
    return BadRequest(StrCat("the API version in the data (", version,
                             ") does not match the expected API version (", type.api_version(),
                             ")"));
  }
  const std::string kind(given["kind"].AsString());
  if (!kind.empty() && kind != type.kind) {
    return BadRequest(StrCat("the kind in the data (", kind, ") does not match the expected kind (",
                             type.kind, ")"));
  }
  object.Set("apiVersion", type.api_version());
  object.Set("kind", type.kind);
  Json& meta = object["metadata"];
  if (meta.is_null()) meta = Json::MakeObject();
  if (!meta.is_object()) return BadRequest("metadata must be an object");
  const std::string ns(std::as_const(meta)["namespace"].AsString());
  if (!type.namespaced) {
    meta.Erase("namespace");
  } else if (!ns.empty() && ns != request.ns) {
    return BadRequest(
        StrCat("the namespace of the provided object does not match the "
               "namespace sent on the request: ",
               ns, " and ", request.ns));
  } else {
    meta.Set("namespace", request.ns);
  }
  return absl::OkStatus();
}

absl::Status WrongName(const ApiRequest& request, std::string_view name) {
  return BadRequest(StrCat("the name of the object (", name,
                           ") does not match the name on the URL (", request.name, ")"));
}

absl::Status PrepareCreate(Core& core, const ApiRequest& request, Json& object) {
  const ResourceType& type = *request.type;
  Json& meta = object["metadata"];
  const Json& given = meta;
  if (!given["resourceVersion"].AsString().empty() && given["resourceVersion"].AsString() != "0") {
    return BadRequest("resourceVersion should not be set on objects to be created");
  }
  if (given["name"].AsString().empty()) {
    const std::string prefix(given["generateName"].AsString());
    if (prefix.empty()) {
      return Invalid(type.Named(""),
                     {FieldRequired("metadata.name", "name or generateName is required")});
    }
    // The suffix must fit into the longest name.
    meta.Set("name", prefix.substr(0, 253 - 5) + core.NewSuffix());
  }
  for (const char* key : {"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink",
                          "resourceVersion", "generation"}) {
    meta.Erase(key);
  }
  // Only an apply that creates brings managers of its own making.
  if (request.verb != Verb::kPatch) meta.Erase("managedFields");
  meta.Set("uid", core.NewUid());
  meta.Set("creationTimestamp", types::FormatTimestamp(core.Now()));
  if (type.has_generation) meta.Set("generation", 1);
  // Status is written through its subresource; nodes and the like register with theirs.
  const bool keeps_status = type.collection == "nodes" || type.collection == "namespaces" ||
                            type.collection == "customresourcedefinitions.apiextensions.k8s.io";
  if (type.has_status && !keeps_status) object.Erase("status");
  return absl::OkStatus();
}

absl::Status PrepareUpdate(const ApiRequest& request, const Json& current, Json& next) {
  const ResourceType& type = *request.type;
  const std::string name(std::as_const(next)["metadata"]["name"].AsString());
  if (!name.empty() && name != request.name) {
    return WrongName(request, name);
  }
  const std::string revision(std::as_const(next)["metadata"]["resourceVersion"].AsString());
  if (!revision.empty() && revision != "0" &&
      revision != current["metadata"]["resourceVersion"].AsString()) {
    return Conflict(request.subject(),
                    "the object has been modified; please apply your changes to the latest version "
                    "and try again");
  }
  BTH_RETURN_IF_ERROR(KeepServerMetadata(request, current, next));
  SplitStatus(request, current, next);
  CopyMember(current["metadata"], next["metadata"], "resourceVersion");
  if (IsDeleting(current) && request.subresource.empty()) {
    // New finalizers could keep a dying object alive for ever.
    for (const Json& added : std::as_const(next)["metadata"]["finalizers"].items()) {
      const Json::Array& had = current["metadata"]["finalizers"].items();
      if (std::find(had.begin(), had.end(), added) == had.end()) {
        return Invalid(
            request.subject(),
            {FieldForbidden("metadata.finalizers",
                            "no new finalizers can be added if the object is being deleted")});
      }
    }
  }
  if (type.has_generation && request.subresource != "status" &&
      DesiredStateDiffers(type, current, next)) {
    next["metadata"].Set("generation", current["metadata"]["generation"].AsInt() + 1);
  }
  return absl::OkStatus();
}

absl::Status CheckShape(const Json& object) {
  size_t bytes = 0;
  const int depth = Measure(object, &bytes);
  if (depth > kJsonDepthMax) return BadRequest("the object is nested too deeply");
  if (bytes > kBodyBytesMax) return TooLarge(kBodyBytesMax);
  return absl::OkStatus();
}

std::vector<Cause> CheckMetadata(const ResourceType& type, const Json& metadata) {
  rules::FieldErrors errors;
  const rules::Place at("metadata");
  const rules::Part part(metadata, at, errors);
  CheckObjectName(type, part);
  rules::CheckLabels(part, "labels");
  rules::CheckAnnotations(part, "annotations");
  CheckFinalizers(part);
  std::vector<Cause> causes = CausesOf(errors);
  CheckOwnerReferences(metadata["ownerReferences"], causes);
  return causes;
}

}  // namespace bth::apiserver
