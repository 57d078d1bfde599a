#include "apiserver/webhooks/review.h"

#include <algorithm>

#include "apiserver/rest/errors.h"
#include "base/status.h"
#include "base/strings.h"
#include "net/pem.h"

namespace bth::apiserver {
namespace {

constexpr char kCallFailed[] = "failed to call webhook";
constexpr char kInvalidResponse[] = "received invalid webhook response";
constexpr char kUndecodablePatch[] = "received undecodable patch in webhook response";
constexpr int kAnswerDepthMax = 160;

// What the client library of Kubernetes says of an answer that is no success and no Status.
std::string TextOfCode(int code, std::string_view body) {
  switch (code) {
    case 400:
      return "the server rejected our request for an unknown reason";
    case 401:
      return "the server has asked for the client to provide credentials";
    case 403:
      return StrCat("forbidden: ", body);
    case 404:
      return "the server could not find the requested resource";
    case 405:
      return "the server does not allow this method on the requested resource";
    case 409:
      return "the server reported a conflict";
    case 415:
      return "the body of the request was in an unknown format - accepted media types include: ";
    case 422:
      return "the server rejected our request due to an error in our request";
    case 429:
      return "the server has received too many requests and has asked us to try again later";
    case 503:
      return body.empty() ? "the server is currently unable to handle the request"
                          : std::string(body);
    case 504:
      return "the server was unable to return a response in the time allotted, but may still be "
             "processing the request";
    default:
      break;
  }
  if (code >= 500) {
    return StrCat("an error on the server (", Json(body).Dump(),
                  ") has prevented the request from succeeding");
  }
  return StrCat("the server responded with the status code ", code,
                " but did not return more information");
}

std::string FailureText(int code, std::string_view content_type, std::string_view body) {
  const absl::StatusOr<Json> json = Json::Parse(body);
  if (json.ok() && (*json)["kind"].AsString() == "Status") {
    return std::string((*json)["message"].AsString());
  }
  const bool is_text = content_type.empty() || content_type.starts_with("text/");
  std::string_view shown = is_text ? body.substr(0, 2048) : "unknown";
  while (shown.ends_with('\n')) shown.remove_suffix(1);
  return TextOfCode(code, shown.empty() && code >= 500 ? "unknown" : shown);
}

// "admission.k8s.io/v1, Kind=AdmissionReview"
std::string KindText(std::string_view api_version, std::string_view kind) {
  const std::string_view shown = api_version.empty() ? "/" : api_version;
  return StrCat(shown, ", Kind=", kind);
}

absl::StatusOr<Json> ReadPatch(std::string_view base64) {
  BTH_ASSIGN_OR_RETURN(const std::string text, net::Base64Decode(base64));
  BTH_ASSIGN_OR_RETURN(Json patch, Json::Parse(text, {.depth_max = kAnswerDepthMax}));
  if (!patch.is_array() && !patch.is_null()) {
    return absl::InvalidArgumentError("json: the patch is no list of operations");
  }
  return patch;
}

// What v1 asks of an answer; empty: it is well.
std::string FaultOf(const Json& review, const ReviewExpectation& expected) {
  const Json& response = review["response"];
  if (!response.is_object()) return "webhook response was absent";
  if (expected.beta) return "";
  const std::string_view uid = response["uid"].AsString();
  if (uid != expected.uid) {
    return StrCat("expected response.uid=\"", expected.uid, "\", got ", Json(uid).Dump());
  }
  const std::string kind = KindText(review["apiVersion"].AsString(), review["kind"].AsString());
  const std::string wanted = KindText("admission.k8s.io/v1", "AdmissionReview");
  if (kind != wanted) {
    return StrCat("expected webhook response of ", wanted, ", got ", kind);
  }
  const bool has_patch = !response["patch"].AsString().empty();
  const std::string_view type = response["patchType"].AsString();
  const bool has_type = response["patchType"].is_string();
  if (!expected.mutating) {
    if (has_patch) return "validating webhook may not return response.patch";
    return has_type ? "validating webhook may not return response.patchType" : "";
  }
  if (has_patch && type.empty()) {
    return "webhook returned response.patch but not response.patchType";
  }
  if (!has_patch && !type.empty()) {
    return "webhook returned response.patchType but not response.patch";
  }
  if (has_patch && type != "JSONPatch") {
    return StrCat("webhook returned invalid response.patchType of ", Json(type).Dump());
  }
  return "";
}

ReadAnswer Faulty(std::string stage, std::string why) {
  return {std::nullopt, {std::move(stage), std::move(why)}};
}

}  // namespace

std::string AnswerFault::Text() const {
  return StrCat(stage, ": ", why);
}

std::string ReviewBody(const ReviewTexts& texts, std::string_view uid, bool beta) {
  // `texts.request` is an object that is not empty; the objects go into it.
  std::string body = StrCat(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/)",
                            beta ? "v1beta1" : "v1", R"(","request":{"uid":")", uid, R"(",)");
  body.reserve(body.size() + texts.request.size() + texts.object.size() + texts.old_object.size() +
               64);
  body.append(texts.request, 1, texts.request.size() - 2);
  StrAppend(&body, R"(,"object":)", texts.object, R"(,"oldObject":)", texts.old_object, "}}");
  return body;
}

ReadAnswer ReadReview(int http_code, std::string_view body, const ReviewExpectation& expected) {
  if (http_code < 200 || http_code > 206) {
    return Faulty(kCallFailed, FailureText(http_code, expected.content_type, body));
  }
  if (body.empty()) {
    return Faulty(kCallFailed, StrCat("0-length response with status code: ", http_code,
                                      " and content type: application/json"));
  }
  const absl::StatusOr<Json> review = Json::Parse(body, {.depth_max = kAnswerDepthMax});
  if (!review.ok()) {
    return Faulty(kCallFailed, StrCat("couldn't get version/kind; json parse error: ",
                                      ToStd(review.status().message())));
  }
  if (std::string why = FaultOf(*review, expected); !why.empty()) {
    return Faulty(kInvalidResponse, std::move(why));
  }
  const Json& response = (*review)["response"];
  ReviewAnswer answer;
  answer.allowed = response["allowed"].AsBool();
  answer.status = response["status"];
  for (const Json& warning : response["warnings"].items()) {
    if (answer.warnings.size() == kAnswerNotesMax) break;
    answer.warnings.emplace_back(warning.AsString());
  }
  for (const auto& [key, value] : response["auditAnnotations"].members()) {
    if (answer.audit_annotations.size() == kAnswerNotesMax) break;
    answer.audit_annotations.emplace_back(key, value.AsString());
  }
  const std::string_view patch = response["patch"].AsString();
  if (expected.mutating && answer.allowed && !patch.empty()) {
    absl::StatusOr<Json> read = ReadPatch(patch);
    if (!read.ok()) return Faulty(kUndecodablePatch, std::string(ToStd(read.status().message())));
    if (!read->empty()) answer.patch = *std::move(read);
  }
  return {std::move(answer), {}};
}

absl::Status RefusalOf(std::string_view webhook, const ReviewAnswer& answer) {
  Json status = answer.status.is_object() ? answer.status : Json::MakeObject();
  const Json& given = status;
  const std::string denied = StrCat("admission webhook \"", webhook, "\" denied the request");
  const std::string message(given["message"].AsString());
  const std::string reason(given["reason"].AsString());
  status.Set("status", "Failure");
  status.Set("message", !message.empty()  ? StrCat(denied, ": ", message)
                        : !reason.empty() ? StrCat(denied, ": ", reason)
                                          : StrCat(denied, " without explanation"));
  // A refusal is no success, and only what HTTP knows can be answered.
  status.Set("code", std::clamp<int64_t>(given["code"].AsInt(), 400, 599));
  return RefusedWith(std::move(status));
}

}  // namespace bth::apiserver
