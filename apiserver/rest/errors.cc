#include "apiserver/rest/errors.h"

#include <utility>

#include "absl/strings/cord.h"
#include "api/types/refusal.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

using types::Refusal;

constexpr char kPayload[] = "batholith.api/status";

absl::Status Make(Refusal refusal, std::string_view message, Json details = {}) {
  const types::RefusalRow& row = types::RowOf(refusal);
  Json document = Json::MakeObject({{"kind", "Status"},
                                    {"apiVersion", "v1"},
                                    {"metadata", Json::MakeObject()},
                                    {"status", "Failure"},
                                    {"message", message},
                                    {"reason", row.reason}});
  if (details.is_object()) document.Set("details", std::move(details));
  document.Set("code", row.http_code);
  absl::Status status(row.code, ToAbsl(message));
  status.SetPayload(kPayload, absl::Cord(document.Dump()));
  return status;
}

// Kubernetes writes the lower-case plural in "kind" of most errors, and the kind for Invalid.
Json Details(const Subject& subject, std::string_view kind) {
  Json details = Json::MakeObject();
  if (!subject.name.empty()) details.Set("name", subject.name);
  if (!subject.group.empty()) details.Set("group", subject.group);
  if (!kind.empty()) details.Set("kind", kind);
  return details;
}

Json CausesJson(const std::vector<Cause>& causes) {
  Json::Array list;
  for (const Cause& cause : causes) {
    Json item = Json::MakeObject({{"reason", cause.reason}, {"message", cause.message}});
    if (!cause.field.empty()) item.Set("field", cause.field);
    list.push_back(std::move(item));
  }
  return Json(std::move(list));
}

std::string Qualified(const Subject& subject) {
  return subject.group.empty() ? subject.plural : StrCat(subject.plural, ".", subject.group);
}

Json Payload(const absl::Status& status) {
  if (auto payload = status.GetPayload(kPayload)) {
    absl::StatusOr<Json> parsed = Json::Parse(std::string(*payload));
    if (parsed.ok()) return *std::move(parsed);
  }
  return {};
}

}  // namespace

absl::Status BadRequest(std::string_view message) {
  return Make(Refusal::kBadRequest, message);
}

absl::Status Unauthorized() {
  return Make(Refusal::kUnauthorized, "Unauthorized");
}

absl::Status Forbidden(const Subject& subject, std::string_view why) {
  return Make(Refusal::kForbidden,
              StrCat(Qualified(subject), " \"", subject.name, "\" is forbidden: ", why),
              Details(subject, subject.plural));
}

absl::Status NotFound(const Subject& subject) {
  return Make(Refusal::kNotFound, StrCat(Qualified(subject), " \"", subject.name, "\" not found"),
              Details(subject, subject.plural));
}

absl::Status PathNotFound() {
  return Make(Refusal::kNotFound, "the server could not find the requested resource",
              Json::MakeObject());
}

absl::Status MethodNotAllowed() {
  return Make(Refusal::kMethodNotAllowed,
              "the server does not allow this method on the requested resource",
              Json::MakeObject());
}

absl::Status NotAcceptable(std::string_view offered) {
  return Make(Refusal::kNotAcceptable,
              StrCat("only the following media types are accepted: ", offered));
}

absl::Status AlreadyExists(const Subject& subject) {
  return Make(Refusal::kAlreadyExists,
              StrCat(Qualified(subject), " \"", subject.name, "\" already exists"),
              Details(subject, subject.plural));
}

absl::Status Conflict(const Subject& subject, std::string_view why) {
  return Make(Refusal::kConflict,
              StrCat("Operation cannot be fulfilled on ", Qualified(subject), " \"", subject.name,
                     "\": ", why),
              Details(subject, subject.plural));
}

absl::Status ApplyConflict(const std::vector<Cause>& causes) {
  std::string message = StrCat("Apply failed with ", causes.size(),
                               causes.size() == 1 ? " conflict: " : " conflicts: ");
  if (causes.size() == 1) {
    StrAppend(&message, causes[0].message, ": ", causes[0].field);
  }
  // Causes of one manager stand together: "conflicts with NAME:" and a line per field.
  for (size_t i = 0; causes.size() > 1 && i < causes.size(); ++i) {
    if (i == 0 || causes[i].message != causes[i - 1].message) {
      std::string plural = causes[i].message;
      if (plural.starts_with("conflict ")) plural.insert(8, "s");
      StrAppend(&message, i == 0 ? "" : "\n", plural, ":");
    }
    StrAppend(&message, "\n- ", causes[i].field);
  }
  return Make(Refusal::kConflict, message, Json::MakeObject({{"causes", CausesJson(causes)}}));
}

absl::Status Expired(std::string_view message) {
  return Make(Refusal::kExpired, message);
}

absl::Status TooLarge(size_t limit_bytes) {
  return TooLarge(StrCat("limit is ", limit_bytes));
}

absl::Status TooLarge(std::string_view why) {
  return Make(Refusal::kTooLarge, StrCat("Request entity too large: ", why));
}

absl::Status UnsupportedMediaType(std::string_view message) {
  return Make(Refusal::kUnsupportedMediaType, message);
}

absl::Status Invalid(const Subject& subject, const std::vector<Cause>& causes) {
  std::string text;
  for (size_t i = 0; i < causes.size(); ++i) {
    StrAppend(&text, i == 0 ? "" : ", ", causes[i].field, causes[i].field.empty() ? "" : ": ",
              causes[i].message);
  }
  if (causes.size() > 1) text = StrCat("[", text, "]");
  const std::string kind =
      subject.group.empty() ? subject.kind : StrCat(subject.kind, ".", subject.group);
  Json details = Details(subject, subject.kind);
  details.Set("causes", CausesJson(causes));
  return Make(Refusal::kInvalid, StrCat(kind, " \"", subject.name, "\" is invalid: ", text),
              std::move(details));
}

absl::Status TooManyRequests(std::string_view message, int retry_after_s,
                             std::vector<Cause> causes) {
  Json details = Json::MakeObject();
  if (!causes.empty()) details.Set("causes", CausesJson(causes));
  if (retry_after_s > 0) details.Set("retryAfterSeconds", retry_after_s);
  return Make(Refusal::kTooManyRequests, message, std::move(details));
}

absl::Status RevisionTooLarge(int64_t asked, int64_t current) {
  Json details = Json::MakeObject();
  details.Set("causes",
              CausesJson({{"ResourceVersionTooLarge", "Too large resource version", ""}}));
  details.Set("retryAfterSeconds", 1);
  return Make(Refusal::kTimeout,
              StrCat("Timeout: Too large resource version: ", asked, ", current: ", current),
              std::move(details));
}

absl::Status InternalError(std::string_view message) {
  return Make(
      Refusal::kInternalError, StrCat("Internal error occurred: ", message),
      Json::MakeObject({{"causes", Json::MakeArray({Json::MakeObject({{"message", message}})})}}));
}

absl::Status RefusedWith(Json document) {
  document.Set("kind", "Status");
  document.Set("apiVersion", "v1");
  if (!std::as_const(document)["metadata"].is_object()) {
    document.Set("metadata", Json::MakeObject());
  }
  const Json& given = document;
  const std::string message(given["message"].AsString());
  absl::Status status(
      types::StatusCodeOf(static_cast<int>(given["code"].AsInt(500)), given["reason"].AsString()),
      message);
  status.SetPayload(kPayload, absl::Cord(document.Dump()));
  return status;
}

absl::Status TimedOut(std::string_view message) {
  return Make(Refusal::kTimeout, StrCat("Timeout: ", message), Json::MakeObject());
}

absl::Status ServiceUnavailable(std::string_view message) {
  return Make(Refusal::kServiceUnavailable, message);
}

absl::Status NotImplemented(std::string_view message) {
  return Make(Refusal::kNotImplemented, message);
}

Cause FieldInvalid(std::string field, const Json& value, std::string_view why) {
  return {"FieldValueInvalid", StrCat("Invalid value: ", value.Dump(), ": ", why),
          std::move(field)};
}

Cause FieldRequired(std::string field, std::string_view why) {
  std::string message = "Required value";
  if (!why.empty()) StrAppend(&message, ": ", why);
  return {"FieldValueRequired", std::move(message), std::move(field)};
}

Cause FieldForbidden(std::string field, std::string_view why) {
  return {"FieldValueForbidden", StrCat("Forbidden: ", why), std::move(field)};
}

Cause FieldNotSupported(std::string field, const Json& value, std::string_view supported) {
  return {"FieldValueNotSupported",
          StrCat("Unsupported value: ", value.Dump(), ": supported values: ", supported),
          std::move(field)};
}

std::vector<Cause> CausesOf(const rules::FieldErrors& errors) {
  std::vector<Cause> causes;
  causes.reserve(errors.size());
  for (const rules::FieldError& error : errors) {
    causes.push_back({std::string(rules::CauseReason(error.fault)), error.Body(), error.field});
  }
  return causes;
}

Json StatusDocument(const absl::Status& status) {
  Json document = Payload(status);
  if (document.is_object()) return document;
  return Payload(InternalError(ToStd(status.message())));
}

int HttpCode(const absl::Status& status) {
  return static_cast<int>(StatusDocument(status)["code"].AsInt(500));
}

int RetryAfterSeconds(const absl::Status& status) {
  return static_cast<int>(StatusDocument(status).At({"details", "retryAfterSeconds"}).AsInt());
}

Json SuccessDocument(const Subject& subject, std::string_view uid) {
  Json details = Details(subject, subject.plural);
  if (!uid.empty()) details.Set("uid", uid);
  return Json::MakeObject({{"kind", "Status"},
                           {"apiVersion", "v1"},
                           {"metadata", Json::MakeObject()},
                           {"status", "Success"},
                           {"details", std::move(details)}});
}

}  // namespace bth::apiserver
