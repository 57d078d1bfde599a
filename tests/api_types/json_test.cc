#include "api/types/json.h"

#include <limits>
#include <string>

#include "api/types/json_text.h"
#include "tests/support/catch.h"

using bth::types::Json;
using bth::types::JsonLimits;
using bth::types::JsonText;

TEST_CASE("json: parse and dump keep the text of a document", "[types][unit]") {
  const std::string text = GENERATE(values<std::string>({
      "null",
      "true",
      "false",
      "0",
      "-1",
      "9223372036854775807",
      "-9223372036854775808",
      "0.1",
      "1.0",
      "1e+100",
      "\"\"",
      "[]",
      "{}",
      "[1,[2,[]],{}]",
      R"({"b":1,"a":{"c":[null,"x"]}})",
      R"("a\"\\\n\r\t\b\f\u0000\u001f/")",
      "\"\xC3\xA9\xF0\x9F\x98\x80\"",
  }));
  CAPTURE(text);
  const auto json = Json::Parse(text);
  REQUIRE(json.ok());
  CHECK(json->Dump() == text);
  const auto pretty = Json::Parse(json->Pretty());
  REQUIRE(pretty.ok());
  CHECK(*pretty == *json);
}

TEST_CASE("json: what must be escaped is found wherever it stands", "[types][unit]") {
  struct Case {
    std::string raw, written;
  };
  const std::vector<Case> cases = {
      {"\"", "\\\""},          {"\\", "\\\\"}, {"\n", "\\n"},    {std::string(1, '\0'), "\\u0000"},
      {"\x1f", "\\u001f"},     {" ", " "},     {"\x7f", "\x7f"}, {"\xC3\xA9", "\xC3\xA9"},
      {"\xFF", "\xEF\xBF\xBD"}};
  for (size_t length = 0; length < 20; ++length) {
    for (size_t at = 0; at <= length; ++at) {
      for (const Case& c : cases) {
        const std::string before(at, '!');
        const std::string after(length - at, '~');
        CAPTURE(length, at, c.written);
        CHECK(Json(before + c.raw + after).Dump() == '"' + before + c.written + after + '"');
      }
    }
  }
}

// Texts are read in blocks, from wherever they begin.
TEST_CASE("json: strings are read alike wherever they stand and end", "[types][unit]") {
  struct Case {
    std::string written, raw;
  };
  const std::vector<Case> cases = {
      {"\\\"", "\""},   {"\\u001f", "\x1f"},      {"\\u0000", {'\0'}},     {"\\n", "\n"},
      {"\x7f", "\x7f"}, {"\xC3\xA9", "\xC3\xA9"}, {"\\u00e9", "\xC3\xA9"}, {"", ""}};
  for (size_t before = 0; before < 10; ++before) {
    for (size_t at = 0; at < 18; ++at) {
      for (const Case& c : cases) {
        const std::string start = std::string(at, '!');
        const std::string end = std::string(at % 11, '~');
        const std::string text = std::string(before, ' ') + "[\"" + start + c.written + end +
                                 c.written + "\",\"" + start + "\"]";
        CAPTURE(text);
        const auto json = Json::Parse(text);
        REQUIRE(json.ok());
        CHECK((*json)[size_t{0}].AsString() == start + c.raw + end + c.raw);
        CHECK((*json)[size_t{1}].AsString() == start);
      }
    }
  }
}

TEST_CASE("json: a control character in a string is refused wherever it stands", "[types][unit]") {
  for (size_t at = 0; at < 40; ++at) {
    for (char byte = 0; byte < 0x20; ++byte) {
      const std::string text = '"' + std::string(at, 'a') + byte + std::string(40 - at, 'b') + '"';
      CAPTURE(at, int{byte});
      CHECK(!Json::Parse(text).ok());
      CHECK(!Json::Parse("{" + text + ":1}").ok());
    }
  }
}

TEST_CASE("json: numbers are integers only when they are written as such", "[types][unit]") {
  struct Case {
    std::string text;
    bool whole;
    double value;
  };
  const Case c = GENERATE(values<Case>({{"1", true, 1},
                                        {"-0", true, 0},
                                        {"1.0", false, 1},
                                        {"1e2", false, 100},
                                        {"9223372036854775808", false, 9223372036854775808.0},
                                        {"-9223372036854775808", true, -0x1p63},
                                        {"-9223372036854775809", false, -0x1p63},
                                        {"0e100", false, 0},
                                        {"0E-98", false, 0},
                                        {"0.0e300", false, 0},
                                        {"-0e308", false, 0},
                                        {"1e-400", false, 0},
                                        {"0.1", false, 0.1},
                                        {"8.41e21", false, 8.41e21},
                                        {"9007199254740993.0", false, 9007199254740992.0},
                                        {"1.7976931348623157e308", false, 1.7976931348623157e308},
                                        {"4.9e-324", false, 4.9e-324}}));
  CAPTURE(c.text);
  const auto json = Json::Parse(c.text);
  REQUIRE(json.ok());
  CHECK(json->is_int() == c.whole);
  CHECK(json->is_double() == !c.whole);
  CHECK(json->AsDouble() == c.value);
}

TEST_CASE("json: doubles are dumped in the shortest form that reads back", "[types][unit]") {
  CHECK(Json(0.1).Dump() == "0.1");
  CHECK(Json(1.0 / 3).Dump() == "0.3333333333333333");
  CHECK(Json(100.0).Dump() == "100.0");
  CHECK(Json(std::numeric_limits<double>::infinity()).Dump() == "null");
}

TEST_CASE("json: bad documents are refused with the offset", "[types][unit]") {
  struct Case {
    std::string text, error;
  };
  const Case c = GENERATE(values<Case>({
      {"", "byte 0: "},
      {"[1,2", "byte 4: "},
      {"[1,]", "byte 3: "},
      {"{\"a\":1,}", "byte 7: "},
      {"{a:1}", "byte 1: "},
      {"1 2", "byte 2: "},
      {"[01]", "byte 2: "},
      {"// x\n1", "byte 0: "},
      {"\"\xFF\"", "not valid UTF-8"},
      {"\"\xED\xA0\x80\"", "not valid UTF-8"},
      {"\"\xC0\x80\"", "not valid UTF-8"},
      {"\"\\udc00\"", "not valid UTF-8"},
      {"\"\\ud800x\"", "byte 1: "},
      {"1e999", "byte 0: "},
      {"1.7976931348623159e308", "a number is too large"},
      {std::string("{}\0{}", 5), "byte 2: unexpected NUL"},
      {std::string(65, '['), "deeper than 64"},
  }));
  CAPTURE(c.text);
  const auto json = Json::Parse(c.text);
  REQUIRE_FALSE(json.ok());
  CHECK(json.status().code() == absl::StatusCode::kInvalidArgument);
  CHECK_THAT(std::string(json.status().message()), Catch::Contains(c.error));
}

TEST_CASE("json: a text of nothing is refused, wherever it is", "[types][unit]") {
  CHECK(Json::Parse(std::string_view()).status() == Json::Parse("").status());
  CHECK_FALSE(Json::Parse(std::string_view()).ok());
}

TEST_CASE("json: limits are exact", "[types][unit]") {
  const std::string deep = std::string(64, '[') + std::string(64, ']');
  CHECK(Json::Parse(deep).ok());
  CHECK(Json::Parse("[[1]]", JsonLimits{16, 2}).ok());
  CHECK_FALSE(Json::Parse("[[1]]", JsonLimits{16, 1}).ok());
  CHECK(Json::Parse("[1]", JsonLimits{3, 2}).ok());
  CHECK_FALSE(Json::Parse("[1] ", JsonLimits{3, 2}).ok());
}

TEST_CASE("json: of equal keys the last value stays", "[types][unit]") {
  const auto small = Json::Parse(R"({"a":1,"b":2,"a":3})");
  REQUIRE(small.ok());
  CHECK(small->Dump() == R"({"b":2,"a":3})");
  std::string text = "{";
  for (int i = 0; i < 100; ++i)
    text += "\"k" + std::to_string(i % 50) + "\":" + std::to_string(i) + ",";
  text.back() = '}';
  const auto large = Json::Parse(text);
  REQUIRE(large.ok());
  CHECK(large->size() == 50);
  CHECK((*large)["k7"].AsInt() == 57);
}

TEST_CASE("json: equality ignores the order of members, not of items", "[types][unit]") {
  const auto parse = [](const char* text) { return *Json::Parse(text); };
  CHECK(parse(R"({"a":1,"b":[1,2]})") == parse(R"({"b":[1,2],"a":1})"));
  CHECK_FALSE(parse("[1,2]") == parse("[2,1]"));
  CHECK_FALSE(parse(R"({"a":1})") == parse(R"({"b":1})"));
  CHECK_FALSE(parse(R"({"a":1})") == parse(R"({"a":1,"b":null})"));
  CHECK(parse("1") == parse("1.0"));
  CHECK_FALSE(Json(int64_t{9007199254740993}) == Json(9007199254740992.0));
  CHECK_FALSE(parse("0") == parse("false"));
}

TEST_CASE("json: members are reached, created and erased", "[types][unit]") {
  Json json;
  json["metadata"]["name"] = "a";
  json.MutableAt({"metadata", "labels", "app"}) = "x";
  CHECK(json.Dump() == R"({"metadata":{"name":"a","labels":{"app":"x"}}})");
  const Json& view = json;
  CHECK(view.At({"metadata", "labels", "app"}).AsString() == "x");
  CHECK(view["none"]["deeper"][size_t{3}].is_null());
  CHECK(view.Find("none") == nullptr);
  CHECK(json["metadata"].Erase("labels"));
  CHECK_FALSE(json["metadata"].Erase("labels"));
  json.MutableMembers().clear();
  CHECK(json.empty());
}

TEST_CASE("json: what is dumped is valid even if a string is not", "[types][unit]") {
  CHECK(Json(std::string("a\xFF"
                         "b\xE2\x82"))
            .Dump() ==
        "\"a\xEF\xBF\xBD"
        "b\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST_CASE("json: pretty text is sorted and indented", "[types][unit]") {
  CHECK(Json::Parse(R"({"b":[1,{}],"a":[]})")->Pretty() ==
        "{\n  \"a\": [],\n  \"b\": [\n    1,\n    {}\n  ]\n}");
}

TEST_CASE("json text: what is written straight away reads back as the same members",
          "[types][unit]") {
  JsonText out(64);
  out.Add("name", "a \"quoted\"\nb").Open("empty").Close().Open("inner").Add("count", -7);
  out.AddIfAny("none", "").AddIfAny("some", "x").Close().Add("last", "");
  const std::string text = out.Take();
  CHECK(text ==
        R"({"name":"a \"quoted\"\nb","empty":{},"inner":{"count":-7,"some":"x"},"last":""})");
  CHECK(Json::Parse(text)->Dump() == text);
}

TEST_CASE("json: documents are the same by the short way and by the long one", "[types][unit]") {
  // One escape in hexadecimal digits is enough to send a document the long way.
  const std::string text = GENERATE(values<std::string>({
      R"({"a":[1,-2,{"b":null}],"c":true,"d":{},"e":[],"":""})",
      R"({"a":"\"\\\/\b\f\n\r\t","b":"x\ny","\"":"\\"})",
      "  [ 999999999999999999 , 1000000000000000000 , -0 ]\n",
      R"({"a":1,"b":2,"a":3})",
      "[\"\xC3\xA9\",\"1234567\",\"12345678\",\"123456789\"]",
  }));
  CAPTURE(text);
  const auto shorter = Json::Parse("[" + text + R"(,"A"])");
  const auto longer = Json::Parse("[" + text + R"(,"\u0041"])");
  REQUIRE(shorter.ok());
  REQUIRE(longer.ok());
  CHECK(shorter->Dump() == longer->Dump());
}

TEST_CASE("json: a dump is appended to what is there, however long its pieces are",
          "[types][unit]") {
  const std::string large(1000, 'x');
  const Json json = Json::MakeObject({{"a", large}, {"b\n", "\"" + large}, {"c", 7}});
  std::string out = "before ";
  json.DumpTo(&out);
  CHECK(out == "before {\"a\":\"" + large + "\",\"b\\n\":\"\\\"" + large + "\",\"c\":7}");
}
