#include "client/list_splitter.h"

#include "base/strings.h"
#include "tests/support/catch.h"

namespace bth::client {
namespace {

// Feeds `text` in pieces of `step` bytes; the lists that came out, then what was around them.
std::string Split(std::string_view text, size_t step) {
  ListSplitter splitter(1000);
  std::string out;
  for (size_t at = 0; at < text.size(); at += step) {
    const absl::Status fed = splitter.Feed(text.substr(at, step));
    if (!fed.ok()) return StrCat(out, fed.message());
    const std::string items = splitter.TakeItems();
    if (!items.empty()) StrAppend(&out, items, "\n");
  }
  std::string around;
  const absl::Status end = splitter.End(&around);
  return StrCat(out, end.ok() ? around : std::string(end.message()));
}

TEST_CASE("list splitter: items come apart, the rest comes last", "[client]") {
  struct Case {
    const char* text;
    const char* out;
  };
  const Case c = GENERATE(values<Case>({
      {R"({"kind":"items","metadata":{"continue":"x","items":[1]},"items":[{"a":1},{"b":[2,3]}]})",
       "{\"items\":[{\"a\":1},{\"b\":[2,3]}]}\n"
       R"({"kind":"items","metadata":{"continue":"x","items":[1]},"items":[]})"},
      {R"({"items":[],"metadata":{}})", R"({"items":[],"metadata":{}})"},
      {R"({"items":null,"metadata":{}})", R"({"items":null,"metadata":{}})"},
      {R"({"a":["items",{"items":[7]}]})", R"({"a":["items",{"items":[7]}]})"},
      {R"({"items":[{"a":"]},\"{"} , {"b":"\\"}],"x":"\"]"})",
       "{\"items\":[{\"a\":\"]},\\\"{\"},{\"b\":\"\\\\\"}]}\n"
       R"({"items":[],"x":"\"]"})"},
      {R"({"items":[1,"x",null , [2]]})",
       "{\"items\":[1,\"x\",null ,[2]]}\n"
       R"({"items":[]})"},
      {"{\n \"items\": [\n {} ,\n {}\n ]\n}\n", "{\"items\":[{},{}]}\n{\n \"items\": []\n}\n"},
  }));
  CHECK(Split(c.text, 100000) == c.out);
}

TEST_CASE("list splitter: where the pieces end makes no difference", "[client]") {
  const std::string text =
      R"({"kind":"L","items":[{"a":"x\"y\\"},{"b":{"c":[1,{}]}},{"d":"é,]}"}],"metadata":{}})";
  for (size_t step = 1; step < text.size(); ++step) {
    const std::string out = Split(text, step);
    std::string items;
    std::string around;
    // Whatever the grouping, the items in order and the rest are the same.
    for (size_t at = 0; at < out.size();) {
      const size_t end = std::min(out.find('\n', at), out.size());
      const std::string line = out.substr(at, end - at);
      if (end == out.size()) {
        around = line;
      } else {
        REQUIRE(line.substr(0, 10) == "{\"items\":[");
        StrAppend(&items, items.empty() ? "" : ",", line.substr(10, line.size() - 12));
      }
      at = end + 1;
    }
    CAPTURE(step);
    CHECK(items == R"({"a":"x\"y\\"},{"b":{"c":[1,{}]}},{"d":"é,]}"})");
    CHECK(around == R"({"kind":"L","items":[],"metadata":{}})");
  }
}

TEST_CASE("list splitter: what is no list is told apart", "[client]") {
  struct Case {
    std::string text;
    const char* message;
  };
  const Case c = GENERATE(values<Case>({
      {"", "ended in the middle"},
      {R"({"items":[{"a":1})", "ended in the middle"},
      {R"({"items":[])", "ended in the middle"},
      {R"({"items":[{}{}]})", "a comma is missing"},
      {R"({"items":[,{}]})", "an item is missing"},
      {R"({"items":[{},]})", "an item is missing"},
      {R"({"items":[{}}]})", "a comma is missing"},
      {R"({"items":[],"items":[]})", "items twice"},
      {R"({}})", "a bracket too many"},
      {R"({"items":[")" + std::string(2000, 'x') + R"("]})", "larger than the limit"},
      {R"({"x":")" + std::string(2000, 'x') + R"("})", "larger than the limit"},
  }));
  CAPTURE(c.text);
  CHECK_THAT(Split(c.text, 64), Catch::Contains(c.message));
}

}  // namespace
}  // namespace bth::client
