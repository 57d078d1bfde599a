// Errors of the API as absl::Status values that carry a Kubernetes Status document.
//
// Inside the server every failure is an absl::Status, so that the usual macros serve; the code,
// reason and details that a client sees travel in a payload and are read back at the very end.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "api/rules/field_error.h"
#include "api/types/json.h"

namespace bth::apiserver {

using types::Json;

// The resource and object an error is about; empty fields are left out.
struct Subject {
  std::string group;
  std::string plural;
  std::string kind;
  std::string name;
};

// One broken rule of an object.
struct Cause {
  std::string reason;  // "FieldValueInvalid", "FieldValueRequired" ...
  std::string message;
  std::string field;
};

absl::Status BadRequest(std::string_view message);                               // 400
absl::Status Unauthorized();                                                     // 401
absl::Status Forbidden(const Subject& subject, std::string_view why);            // 403
absl::Status NotFound(const Subject& subject);                                   // 404
absl::Status PathNotFound();                                                     // 404
absl::Status MethodNotAllowed();                                                 // 405
absl::Status NotAcceptable(std::string_view offered);                            // 406
absl::Status AlreadyExists(const Subject& subject);                              // 409
absl::Status Conflict(const Subject& subject, std::string_view why);             // 409
absl::Status ApplyConflict(const std::vector<Cause>& causes);                    // 409
absl::Status Expired(std::string_view message);                                  // 410
absl::Status TooLarge(size_t limit_bytes);                                       // 413
absl::Status TooLarge(std::string_view why);                                     // 413
absl::Status UnsupportedMediaType(std::string_view message);                     // 415
absl::Status Invalid(const Subject& subject, const std::vector<Cause>& causes);  // 422
absl::Status TooManyRequests(std::string_view message, int retry_after_s,
                             std::vector<Cause> causes = {});
absl::Status RevisionTooLarge(int64_t asked, int64_t current);  // 504
absl::Status InternalError(std::string_view message);           // 500
absl::Status NotImplemented(std::string_view message);          // 501
absl::Status ServiceUnavailable(std::string_view message);      // 503

// A refusal that was put together elsewhere: `document` is a Status with a code.
absl::Status RefusedWith(Json document);
absl::Status TimedOut(std::string_view message);  // 504

// Causes in the words of Kubernetes' field errors.
Cause FieldInvalid(std::string field, const Json& value, std::string_view why);
Cause FieldRequired(std::string field, std::string_view why = {});
Cause FieldForbidden(std::string field, std::string_view why);
Cause FieldNotSupported(std::string field, const Json& value, std::string_view supported);
// What api/rules found, as causes of an answer.
std::vector<Cause> CausesOf(const rules::FieldErrors& errors);

// The Status document of a failure. A failure without one is an InternalError with its text.
Json StatusDocument(const absl::Status& status);
// Its HTTP code, and the seconds for Retry-After or 0.
int HttpCode(const absl::Status& status);
int RetryAfterSeconds(const absl::Status& status);
// {"kind":"Status","status":"Success"} with the object that was acted upon.
Json SuccessDocument(const Subject& subject, std::string_view uid);

}  // namespace bth::apiserver
