// Messages of protocol buffers beyond what kubernetes/cases.jsonl has of them: those that come
// encoded, where Kubernetes' words show how Go prints messages, and bounds.
#include <string>
#include <string_view>

#include "base/strings.h"
#include "cel/kubernetes/environment.h"
#include "tests/cel/evaluate.h"
#include "tests/support/catch.h"

namespace {

using bth::StrCat;
using bth::test::EvaluateIn;
using bth::test::ExpressionCase;

std::string Built(std::string_view source) {
  return EvaluateIn(bth::cel::KubernetesEnvironment(), source, bth::cel::Bindings()).text;
}

// An Any of the message `name`, encoded as bytes that are written as in a literal.
std::string Unpacked(std::string_view name, std::string_view bytes) {
  return Built(StrCat("google.protobuf.Any{type_url: 'type.googleapis.com/google.protobuf.", name,
                      "', value: b'", bytes, "'}"));
}

constexpr std::string_view kRefused = "error: unsupported conversion of a google.protobuf.Any";

}  // namespace

TEST_CASE("messages: an Any is what it holds", "[cel][messages]") {
  struct Row {
    std::string_view name, bytes, expected;
  };
  const Row rows[] = {
      {"BoolValue", R"(\x08\x01)", "true"},
      {"BoolValue", R"(\x08\x02)", "true"},
      {"BoolValue", "", "false"},
      {"Int32Value", R"(\x08\x07)", "7"},
      {"Int32Value", R"(\x08\x07\x08\x09)", "9"},
      {"Int32Value", R"(\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01)", "-1"},
      {"Int32Value", R"(\x08\x80\x80\x80\x80\x10)", "0"},
      {"Int64Value", R"(\x08\x80\x80\x80\x80\x10)", "4294967296"},
      {"UInt32Value", R"(\x08\xff\xff\xff\xff\x0f)", "4294967295u"},
      {"UInt64Value", R"(\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01)", "18446744073709551615u"},
      {"FloatValue", R"(\x0d\x00\x00\xc0\x3f)", "1.5"},
      {"DoubleValue", R"(\x09\x00\x00\x00\x00\x00\x00\xf8\xbf)", "-1.5"},
      {"StringValue", R"(\x0a\x02ab)", R"("ab")"},
      {"BytesValue", R"(\x0a\x01\xff)", R"(b"\xff")"},
      {"Duration", R"(\x08\x05\x10\x07)", R"(duration("5.000000007s"))"},
      {"Timestamp", R"(\x08\x05)", R"(timestamp("1970-01-01T00:00:05Z"))"},
      {"Empty", "", "google.protobuf.Empty{}"},
      {"Empty", R"(\x08\x01)", "google.protobuf.Empty{}"},
      {"Value", "", "null"},
      {"Value", R"(\x08\x00)", "null"},
      {"Value", R"(\x11\x00\x00\x00\x00\x00\x00\xf8\x3f)", "1.5"},
      {"Value", R"(\x1a\x01a\x20\x01)", "true"},
      {"Value", R"(\x20\x01\x1a\x01a)", R"("a")"},
      {"ListValue", R"(\x0a\x00\x0a\x02\x20\x01)", "[null, true]"},
      {"Struct", R"(\x0a\x0c\x0a\x01a\x12\x07\x1a\x05hello)", R"({"a": "hello"})"},
      {"Struct", R"(\x0a\x03\x0a\x01a)", R"({"a": null})"},
      {"Struct", R"(\x0a\x00)", R"({"": null})"},
      // Of equal keys the last stands.
      {"Struct", R"(\x0a\x07\x0a\x01a\x12\x02\x20\x01\x0a\x03\x0a\x01a)", R"({"a": null})"},
      // Parts of one message are joined; another field in between begins anew.
      {"Value", R"(\x32\x04\x0a\x02\x20\x01\x32\x04\x0a\x02\x20\x00)", "[true, false]"},
      {"Value", R"(\x32\x04\x0a\x02\x20\x01\x20\x01\x32\x04\x0a\x02\x20\x00)", "[false]"},
      {"Any", R"(\x0a\x1ca/google.protobuf.Int32Value\x12\x02\x08\x07)", "7"},
      // Unknown fields, fields of another form and groups are passed over.
      {"Int32Value", R"(\x12\x01a\x08\x07)", "7"},
      {"Int32Value", R"(\x0a\x01a\x08\x07)", "7"},
      {"Int32Value", R"(\x13\x08\x05\x1b\x1c\x14\x08\x07)", "7"},
      {"Int32Value", R"(\x15abcd\x19abcdefgh\x08\x07)", "7"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name, row.bytes);
    CHECK(Unpacked(row.name, row.bytes) == row.expected);
  }
}

TEST_CASE("messages: an Any that holds no message is an error", "[cel][messages]") {
  struct Row {
    std::string_view name, bytes;
  };
  const Row rows[] = {
      {"Foo", ""},
      {"FieldMask", ""},
      {"Int32Value", R"(\x08)"},                                              // No number.
      {"Int32Value", R"(\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02)"},      // More than 64 bits.
      {"Int32Value", R"(\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01)"},  // Too long.
      {"Int32Value", R"(\x00\x01)"},                                          // Field 0.
      {"Int32Value", R"(\x0e\x01)"},                                          // No such form.
      {"Int32Value", R"(\x0c)"},                             // Ends a group that did not begin.
      {"Int32Value", R"(\x13\x1c)"},                         // Ends another group.
      {"Int32Value", R"(\x13)"},                             // A group without end.
      {"DoubleValue", R"(\x09\x00)"},                        // Cut off.
      {"StringValue", R"(\x0a\x05ab)"},                      // Longer than there is.
      {"StringValue", R"(\x0a\x01\xff)"},                    // Not UTF-8.
      {"Struct", R"(\x0a\x03\x0a\x01\xff)"},                 // Nor the key.
      {"ListValue", R"(\x0a\x02\x1a\x05)"},                  // Within.
      {"Value", R"(\x2a\x03\x0a\x01\x0a)"},                  // An entry.
      {"Timestamp", R"(\x08\xff\xff\xff\xff\xff\xff\x7f)"},  // Beyond the range.
  };
  for (const Row& row : rows) {
    CAPTURE(row.name, row.bytes);
    CHECK(Unpacked(row.name, row.bytes).substr(0, kRefused.size()) == kRefused);
  }
  CHECK(Built("google.protobuf.Any{}").substr(0, kRefused.size()) == kRefused);
}

TEST_CASE("messages: messages in messages are bounded", "[cel][messages]") {
  // One more list around it each time, in a Value of its own.
  const auto nested = [](int levels) {
    std::string inner;
    for (int i = 0; i < levels; ++i) {
      std::string list = StrCat("\x0a", std::string(1, static_cast<char>(inner.size())), inner);
      inner = StrCat("\x32", std::string(1, static_cast<char>(list.size())), list);
    }
    return inner;
  };
  const auto unpack = [](std::string_view source, const std::string& content) {
    bth::cel::Bindings bindings;
    bindings.Set("b", bth::cel::Value::Bytes(content));
    const auto environment = bth::cel::KubernetesEnvironment()->Extend();
    environment->Add(bth::cel::Variable{"b", bth::cel::Type::Bytes()});
    return EvaluateIn(environment, source, bindings).text;
  };
  CHECK(unpack("type(google.protobuf.Any{type_url: 'google.protobuf.Value', value: b})",
               nested(30)) == "list");
  // An Any in an Any, each as long as its length has room for.
  std::string any;
  for (int i = 0; i < 200; ++i) {
    std::string length;
    size_t rest = any.size();
    for (; rest > 0x7f; rest >>= 7) length.push_back(static_cast<char>((rest & 0x7f) | 0x80));
    length.push_back(static_cast<char>(rest));
    any = StrCat("\x0a\x13google.protobuf.Any\x12", length, any);
  }
  const std::string got =
      unpack("google.protobuf.Any{type_url: 'google.protobuf.Any', value: b}", any);
  CHECK(got.find("message nested too deeply") != std::string::npos);
}

TEST_CASE("messages: values beyond their range", "[cel][messages]") {
  for (const ExpressionCase& c : std::initializer_list<ExpressionCase>{
           {"google.protobuf.Timestamp{seconds: 253402300799}",
            R"(timestamp("9999-12-31T23:59:59Z"))"},
           {"google.protobuf.Timestamp{seconds: 253402300800}", "error: timestamp overflow"},
           {"google.protobuf.Timestamp{seconds: 253402300799, nanos: 1000000000}",
            "error: timestamp overflow"},
           {"google.protobuf.Timestamp{seconds: -62135596801}", "error: timestamp overflow"},
           {"google.protobuf.Timestamp{seconds: 9223372036854775807, nanos: 2147483647}",
            "error: timestamp overflow"},
           {"google.protobuf.Duration{seconds: 9223372037} == duration('9223372036.854775807s')",
            "true"},
           {"google.protobuf.Duration{seconds: -9223372037} < duration('-9223372036.8547758s')",
            "true"},
           {"google.protobuf.FloatValue{value: 1e300} > 1e308", "true"},
           {"google.protobuf.FloatValue{value: -1e300} < -1e308", "true"},
           {"google.protobuf.FloatValue{value: 3.4028235e38} < 1e39", "true"},
           {"google.protobuf.FloatValue{value: double('NaN')} == 1.0", "false"},
       }) {
    CAPTURE(c.source);
    CHECK(Built(c.source) == c.expected);
  }
}

TEST_CASE("messages: members beyond a few are counted", "[cel][messages]") {
  const auto cost = [](std::string_view range) {
    return EvaluateIn(bth::cel::KubernetesEnvironment(),
                      StrCat("size(google.protobuf.ListValue{values: lists.range(", range, ")})"),
                      bth::cel::Bindings())
        .cost;
  };
  // The range counts its members and 11, the message 40, size() 1.
  CHECK(cost("50") == 102);
  CHECK(cost("99") == 151);
  CHECK(cost("1000") == 1052 + 91);
}
