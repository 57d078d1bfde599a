#include "apiserver/rest/coerce_body.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "apiserver/patch/apply.h"
#include "apiserver/protobuf/field_types.h"
#include "apiserver/protobuf/known_fields.h"
#include "apiserver/rest/duplicate_keys.h"
#include "apiserver/schema/coerce.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

absl::Status CannotHandle(const ApiRequest& request, std::string_view why) {
  const ResourceType& type = *request.type;
  return BadRequest(StrCat(type.kind, " in version \"", type.version, "\" cannot be handled as a ",
                           type.kind, ": ", why));
}

// An apply is read with the schema at hand, so that it fails in other words.
absl::Status Undeclared(const ApiRequest& request, const std::string& field) {
  const ResourceType& type = *request.type;
  return InternalError(StrCat("failed to create typed patch object (", request.ns, "/",
                              request.name, "; ", type.api_version(), ", Kind=", type.kind, "): .",
                              field, ": field not declared in schema"));
}

// Fields of the body that are given twice; looked for when the request asks about its fields.
std::vector<std::string> GivenTwice(const ApiRequest& request) {
  const bool asked = request.field_validation == FieldValidation::kStrict ||
                     request.field_validation == FieldValidation::kWarn;
  if (!asked || request.verb == Verb::kPatch || !request.body.starts_with('{')) return {};
  return DuplicateKeys(request.body);
}

absl::Status Judge(const ApiRequest& request, const Json& object,
                   const std::vector<std::string>& unknown, std::vector<std::string>& warnings) {
  const std::vector<std::string> twice = GivenTwice(request);
  if (unknown.empty() && twice.empty()) return absl::OkStatus();
  if (request.type->custom && request.verb == Verb::kPatch && IsApply(request)) {
    return Undeclared(request, unknown.front());
  }
  std::vector<std::string> texts;
  for (const std::string& field : twice) {
    texts.push_back(StrCat("duplicate field \"", field, "\""));
  }
  for (const std::string& field : unknown) {
    texts.push_back(StrCat("unknown field \"", field, "\""));
  }
  if (request.field_validation != FieldValidation::kStrict) {
    warnings.insert(warnings.end(), texts.begin(), texts.end());
    return absl::OkStatus();
  }
  const std::string why = StrCat("strict decoding error: ", absl::StrJoin(texts, ", "));
  if (request.verb != Verb::kPatch || IsApply(request)) return CannotHandle(request, why);
  return Invalid({}, {FieldInvalid("patch", object.Dump(), why)});
}

}  // namespace

absl::Status CoerceBody(const ApiRequest& request, Json& object,
                        std::vector<std::string>& warnings) {
  const ResourceType& type = *request.type;
  const bool ignore = request.field_validation == FieldValidation::kIgnore;
  std::vector<std::string> unknown;
  if (type.structural == nullptr) {
    const absl::Status typed = CheckFieldTypes(type.group, type.kind, object);
    if (!typed.ok()) return CannotHandle(request, ToStd(typed.message()));
    // The real server warns by default; here that is left to those who ask.
    if (ignore || request.field_validation == FieldValidation::kUnset) return absl::OkStatus();
    unknown = UnknownFields(type.group, type.kind, object);
    return Judge(request, object, unknown, warnings);
  }
  const bool apply = request.verb == Verb::kPatch && IsApply(request);
  std::vector<std::string>* collected = ignore && !apply ? nullptr : &unknown;
  Json sent;
  if (request.field_validation == FieldValidation::kStrict) sent = object;
  PruneFields(*type.structural, object, collected);
  const absl::Status metadata = CoerceMetadata(*type.structural, object, collected);
  if (!metadata.ok()) return CannotHandle(request, ToStd(metadata.message()));
  std::sort(unknown.begin(), unknown.end());
  if (absl::Status judged = Judge(request, sent, unknown, warnings); !judged.ok()) return judged;
  DefaultFields(type.structural->root(), object);
  return absl::OkStatus();
}

}  // namespace bth::apiserver
