#include "admission/webhooks/review.h"

#include <utility>

#include "api/types/text_codec.h"
#include "base/status.h"
#include "base/strings.h"
#include "net/pem.h"

namespace bth::admission {
namespace {

constexpr std::string_view kVersion = "admission.k8s.io/v1";
constexpr std::string_view kKind = "AdmissionReview";
constexpr size_t kQuotedBytesMax = 100;
constexpr size_t kAnswerBytesUsual = 256;  // Beside messages and patches.

absl::Status NoReview(std::string_view why) {
  return absl::InvalidArgumentError(StrCat("the body is not an AdmissionReview: ", why));
}

std::string TextOf(const Json& json) {
  return std::string(json.AsString());
}

// A member that may be absent, and must be text where it is there.
absl::Status ReadText(const Json& object, std::string_view key, std::string* out) {
  const Json& value = object[key];
  if (!value.is_null() && !value.is_string()) {
    return NoReview(StrCat("request.", key, " is no string"));
  }
  *out = TextOf(value);
  return absl::OkStatus();
}

std::vector<std::string> TextsOf(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& item : list.items()) texts.push_back(TextOf(item));
  return texts;
}

UserInfo UserOf(const Json& json) {
  UserInfo user;
  user.name = TextOf(json["username"]);
  user.uid = TextOf(json["uid"]);
  user.groups = TextsOf(json["groups"]);
  for (const auto& [key, values] : json["extra"].members()) user.extra[key] = TextsOf(values);
  return user;
}

const Json* DocumentOf(const Json& json) {
  return json.is_null() ? nullptr : &json;
}

}  // namespace

absl::StatusOr<std::unique_ptr<const AdmissionReview>> AdmissionReview::Decode(
    std::string_view body) {
  absl::StatusOr<Json> document =
      Json::Parse(body, {.bytes_max = kReviewBytesMax, .depth_max = kReviewDepthMax});
  if (!document.ok()) return NoReview(ToStd(document.status().message()));
  std::unique_ptr<AdmissionReview> review(new AdmissionReview(*std::move(document)));
  BTH_RETURN_IF_ERROR(review->Read());
  return review;
}

absl::Status AdmissionReview::Read() {
  if (!document_.is_object()) return NoReview("it is no JSON object");
  const std::string_view kind = std::as_const(document_)["kind"].AsString();
  const std::string_view version = std::as_const(document_)["apiVersion"].AsString();
  if (kind != kKind || version != kVersion) {
    return NoReview(StrCat("kind \"", kind.substr(0, kQuotedBytesMax), "\" of \"",
                           version.substr(0, kQuotedBytesMax), "\", where ", kKind, " of ",
                           kVersion, " is expected"));
  }
  const Json& asked = std::as_const(document_)["request"];
  if (!asked.is_object()) return NoReview("it has no request");
  BTH_RETURN_IF_ERROR(ReadText(asked, "uid", &request_.uid));
  if (request_.uid.empty()) return NoReview("request.uid is empty");
  BTH_RETURN_IF_ERROR(ReadText(asked, "operation", &request_.operation));
  BTH_RETURN_IF_ERROR(ReadText(asked, "subResource", &request_.subresource));
  BTH_RETURN_IF_ERROR(ReadText(asked, "name", &request_.name));
  BTH_RETURN_IF_ERROR(ReadText(asked, "namespace", &request_.ns));
  const Json& resource = asked["resource"];
  request_.resource = {TextOf(resource["group"]), TextOf(resource["version"]),
                       TextOf(resource["resource"])};
  request_.object = DocumentOf(asked["object"]);
  request_.old_object = DocumentOf(asked["oldObject"]);
  if (request_.object != nullptr) request_.spare = &document_["request"]["object"];
  request_.user = UserOf(asked["userInfo"]);
  request_.dry_run = asked["dryRun"].AsBool();
  return absl::OkStatus();
}

std::string EncodeAnswer(std::string_view uid, const Verdict& verdict) {
  std::string patch;
  if (verdict.allowed && verdict.patch.has_value()) {
    patch = net::Base64Encode(ToText(*verdict.patch));
  }
  std::string text;
  text.reserve(kAnswerBytesUsual + verdict.message.size() + patch.size());
  text.append("{\"kind\":\"").append(kKind).append("\",\"apiVersion\":\"").append(kVersion);
  text.append("\",\"response\":{\"uid\":");
  types::AppendJsonString(uid, &text);
  text.append(verdict.allowed ? ",\"allowed\":true" : ",\"allowed\":false");
  if (!verdict.message.empty()) {
    text.append(",\"status\":{\"message\":");
    types::AppendJsonString(verdict.message, &text);
    text.push_back('}');
  }
  if (!patch.empty()) {
    text.append(",\"patch\":\"").append(patch).append("\",\"patchType\":\"JSONPatch\"");
  }
  for (size_t i = 0; i < verdict.warnings.size(); ++i) {
    text.append(i == 0 ? ",\"warnings\":[" : ",");
    types::AppendJsonString(verdict.warnings[i], &text);
  }
  text.append(verdict.warnings.empty() ? "}}" : "]}}");
  return text;
}

}  // namespace bth::admission
