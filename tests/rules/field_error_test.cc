#include "api/rules/field_error.h"

#include <limits>
#include <string>

#include "api/rules/go_quote.h"
#include "tests/support/catch.h"

namespace bth::rules {
namespace {

using types::Json;

TEST_CASE("field errors: text by kind and value", "[rules]") {
  struct Case {
    FieldError error;
    std::string text;
  };
  const Case c = GENERATE(values<Case>({
      {Invalid("spec.a", "x", "must be better"), "spec.a: Invalid value: \"x\": must be better"},
      {Invalid("spec.a", 5, "must be less"), "spec.a: Invalid value: 5: must be less"},
      {Invalid("spec.a", true, ""), "spec.a: Invalid value: true"},
      {Invalid("spec.a", nullptr, "no"), "spec.a: Invalid value: null: no"},
      {Invalid("spec.a", Json::MakeObject({{"b", Json::MakeArray({1, "c"})}}), "no"),
       "spec.a: Invalid value: {\"b\":[1,\"c\"]}: no"},
      {Invalid("spec.a", "say \"a\\b\"\n\x01", "no"),
       "spec.a: Invalid value: \"say \\\"a\\\\b\\\"\\n\\x01\": no"},
      {Required("spec.a"), "spec.a: Required value"},
      {Required("spec.a", "can not be empty"), "spec.a: Required value: can not be empty"},
      {Duplicate("spec.a", "n"), "spec.a: Duplicate value: \"n\""},
      {NotSupported("spec.a", "v", {"A", "B"}),
       "spec.a: Unsupported value: \"v\": supported values: \"A\", \"B\""},
      {NotSupported("spec.a", "v", {}), "spec.a: Unsupported value: \"v\""},
      {Forbidden("spec.a", "never"), "spec.a: Forbidden: never"},
      {NotFound("spec.a", "v"), "spec.a: Not found: \"v\""},
      {TooLong("spec.a", 63), "spec.a: Too long: may not be more than 63 bytes"},
      {TooLong("spec.a", 1), "spec.a: Too long: may not be more than 1 byte"},
      {{FieldFault::kTooMany, "spec.a", 5, "must have at most 3 items"},
       "spec.a: Too many: 5: must have at most 3 items"},
      {{FieldFault::kTypeInvalid, "spec.a", 5, "must be a string"},
       "spec.a: Invalid value: 5: must be a string"},
      {{FieldFault::kInternal, "spec.a", 5, "broken"}, "spec.a: Internal error: broken"},
  }));
  CHECK(c.error.ToString() == c.text);
  CHECK("spec.a: " + c.error.Body() == c.text);
}

TEST_CASE("field errors: several are aggregated without duplicates", "[rules]") {
  CHECK(Aggregate({}).empty());
  CHECK(Aggregate({Required("a")}) == "a: Required value");
  CHECK(Aggregate({Required("a"), Required("a")}) == "a: Required value");
  CHECK(Aggregate({Required("b"), Required("a"), Required("b")}) ==
        "[b: Required value, a: Required value]");
}

TEST_CASE("field errors: reasons of causes", "[rules]") {
  CHECK(CauseReason(FieldFault::kInvalid) == "FieldValueInvalid");
  CHECK(CauseReason(FieldFault::kRequired) == "FieldValueRequired");
  CHECK(CauseReason(FieldFault::kDuplicate) == "FieldValueDuplicate");
  CHECK(CauseReason(FieldFault::kNotSupported) == "FieldValueNotSupported");
  CHECK(CauseReason(FieldFault::kForbidden) == "FieldValueForbidden");
  CHECK(CauseReason(FieldFault::kNotFound) == "FieldValueNotFound");
  CHECK(CauseReason(FieldFault::kTooLong) == "FieldValueTooLong");
  CHECK(CauseReason(FieldFault::kTooMany) == "FieldValueTooMany");
  CHECK(CauseReason(FieldFault::kTypeInvalid) == "FieldValueTypeInvalid");
  CHECK(CauseReason(FieldFault::kInternal) == "InternalError");
}

TEST_CASE("go quotes: what cannot be printed is escaped", "[rules]") {
  struct Case {
    std::string text, quoted;
  };
  const Case c = GENERATE(values<Case>({
      {"", "\"\""},
      {"plain text", "\"plain text\""},
      {"\a\b\f\n\r\t\v", "\"\\a\\b\\f\\n\\r\\t\\v\""},
      {"\x7f", "\"\\x7f\""},
      {"'", "\"'\""},
      {"größe 世界 \xF0\x9F\x98\x80", "\"größe 世界 \xF0\x9F\x98\x80\""},
      {"\xC2\xA0", "\"\\u00a0\""},      // A blank that does not break.
      {"\xE2\x80\x8B", "\"\\u200b\""},  // A blank of no width.
      {"\xF3\xB0\x80\x80", "\"\\U000f0000\""},
      {"a\xFF", "\"a\\xff\""},
      {"\xC3", "\"\\xc3\""},                    // Cut off.
      {"\xED\xA0\x80", "\"\\xed\\xa0\\x80\""},  // A surrogate.
      {"\xC0\x80", "\"\\xc0\\x80\""},           // Longer than it need be.
  }));
  CHECK(GoQuote(c.text) == c.quoted);
}

}  // namespace
}  // namespace bth::rules
