#include "api/rules/field_error.h"

#include <set>
#include <utility>

#include "api/rules/go_quote.h"
#include "base/strings.h"

namespace bth::rules {
namespace {

using types::Json;

std::string_view FaultText(FieldFault fault) {
  switch (fault) {
    case FieldFault::kInvalid:
    case FieldFault::kTypeInvalid:
      return "Invalid value";
    case FieldFault::kRequired:
      return "Required value";
    case FieldFault::kDuplicate:
      return "Duplicate value";
    case FieldFault::kNotSupported:
      return "Unsupported value";
    case FieldFault::kForbidden:
      return "Forbidden";
    case FieldFault::kNotFound:
      return "Not found";
    case FieldFault::kTooLong:
      return "Too long";
    case FieldFault::kTooMany:
      return "Too many";
    case FieldFault::kInternal:
      return "Internal error";
  }
  return "";
}

bool ShowsValue(FieldFault fault) {
  return fault != FieldFault::kRequired && fault != FieldFault::kForbidden &&
         fault != FieldFault::kTooLong && fault != FieldFault::kInternal;
}

}  // namespace

std::string FieldError::Body() const {
  std::string text(FaultText(fault));
  if (ShowsValue(fault)) {
    StrAppend(&text, ": ", value.is_string() ? GoQuote(value.AsString()) : value.Dump());
  }
  if (!detail.empty()) StrAppend(&text, ": ", detail);
  return text;
}

std::string FieldError::ToString() const {
  return StrCat(field, ": ", Body());
}

FieldError Invalid(std::string field, Json value, std::string detail) {
  return {FieldFault::kInvalid, std::move(field), std::move(value), std::move(detail)};
}

FieldError Required(std::string field, std::string detail) {
  return {FieldFault::kRequired, std::move(field), nullptr, std::move(detail)};
}

FieldError Duplicate(std::string field, Json value) {
  return {FieldFault::kDuplicate, std::move(field), std::move(value), ""};
}

FieldError NotSupported(std::string field, Json value,
                        const std::vector<std::string_view>& supported) {
  std::string detail;
  for (const std::string_view name : supported) {
    StrAppend(&detail, detail.empty() ? "supported values: " : ", ", GoQuote(name));
  }
  return {FieldFault::kNotSupported, std::move(field), std::move(value), std::move(detail)};
}

FieldError Forbidden(std::string field, std::string detail) {
  return {FieldFault::kForbidden, std::move(field), nullptr, std::move(detail)};
}

FieldError NotFound(std::string field, Json value) {
  return {FieldFault::kNotFound, std::move(field), std::move(value), ""};
}

FieldError TooLong(std::string field, int64_t length_max) {
  return {FieldFault::kTooLong, std::move(field), nullptr,
          StrCat("may not be more than ", length_max, length_max == 1 ? " byte" : " bytes")};
}

std::string_view CauseReason(FieldFault fault) {
  switch (fault) {
    case FieldFault::kInvalid:
      return "FieldValueInvalid";
    case FieldFault::kRequired:
      return "FieldValueRequired";
    case FieldFault::kDuplicate:
      return "FieldValueDuplicate";
    case FieldFault::kNotSupported:
      return "FieldValueNotSupported";
    case FieldFault::kForbidden:
      return "FieldValueForbidden";
    case FieldFault::kNotFound:
      return "FieldValueNotFound";
    case FieldFault::kTooLong:
      return "FieldValueTooLong";
    case FieldFault::kTooMany:
      return "FieldValueTooMany";
    case FieldFault::kTypeInvalid:
      return "FieldValueTypeInvalid";
    case FieldFault::kInternal:
      return "InternalError";
  }
  return "";
}

std::string Aggregate(const FieldErrors& errors) {
  std::set<std::string> seen;
  std::string joined;
  for (const FieldError& error : errors) {
    std::string text = error.ToString();
    if (!seen.insert(text).second) continue;
    StrAppend(&joined, joined.empty() ? "" : ", ", text);
  }
  return seen.size() > 1 ? StrCat("[", joined, "]") : joined;
}

}  // namespace bth::rules
