// Sorting where kubectl's own order is none: it sorts without keeping ties, and compares wrongly
// what is not there.
#include "cli/print/sorting.h"

#include <string>
#include <vector>

#include "api/types/json.h"
#include "cli/print/printer.h"
#include "tests/support/catch.h"

namespace {

using bth::types::Json;

// The values of `.v` in order, or `!` and the error.
std::string Sorted(const std::vector<Json>& values, const std::string& path = ".v") {
  std::vector<Json> items;
  for (const Json& value : values) items.push_back(Json::MakeObject({{"v", value}}));
  items.push_back(Json::MakeObject());
  const auto order = bth::cli::OrderBy(path, items);
  if (!order.ok()) return "!" + std::string(order.status().message());
  std::string text;
  for (const size_t place : *order) text += items[place]["v"].Dump() + " ";
  return text;
}

TEST_CASE("sorting: what is not there comes first, then nulls", "[cli][unit]") {
  CHECK(Sorted({2, Json(), 1}) == "null null 1 2 ");
  const std::vector<Json> items = {Json::MakeObject({{"n", 1}, {"v", 5}}),
                                   Json::MakeObject({{"n", 2}}), Json::MakeObject({{"n", 3}}),
                                   Json::MakeObject({{"n", 4}, {"v", 1}})};
  const auto order = bth::cli::OrderBy("v", items);
  REQUIRE(order.ok());
  CHECK(*order == std::vector<size_t>{1, 2, 3, 0});
}

TEST_CASE("sorting: numbers, quantities and texts", "[cli][unit]") {
  CHECK(Sorted({10, 9, 1.5, -3}) == "null -3 1.5 9 10 ");
  CHECK(Sorted({"2", "500m", "1500m", "1Ki"}) == "null \"500m\" \"1500m\" \"2\" \"1Ki\" ");
  CHECK(Sorted({"b", "a", "B"}) == "null \"B\" \"a\" \"b\" ");
  CHECK(Sorted({INT64_MAX, INT64_MAX - 1}) == "null 9223372036854775806 9223372036854775807 ");
}

TEST_CASE("sorting: ties keep their order", "[cli][unit]") {
  std::vector<Json> items;
  for (int i = 0; i < 50; ++i) items.push_back(Json::MakeObject({{"v", i % 3}, {"i", i}}));
  const auto order = bth::cli::OrderBy("{.v}", items);
  REQUIRE(order.ok());
  for (size_t i = 1; i < order->size(); ++i) {
    const Json& a = items[(*order)[i - 1]];
    const Json& b = items[(*order)[i]];
    CHECK((a["v"].AsInt() < b["v"].AsInt() ||
           (a["v"].AsInt() == b["v"].AsInt() && a["i"].AsInt() < b["i"].AsInt())));
  }
}

TEST_CASE("sorting: values without an order are refused", "[cli][unit]") {
  CHECK(Sorted({true, false}) ==
        "!Field {.v} in *unstructured.Unstructured is an unsortable type: interface, err: "
        "unsortable type: bool");
  CHECK(Sorted({Json::MakeObject(), 1}).find("unsortable type: map[string]interface {}") !=
        std::string::npos);
  CHECK(Sorted({"a", 1}).find("unsortable interface: interface") != std::string::npos);
  CHECK(Sorted({true}) == "null true ");
  CHECK(Sorted({1}, ".w") == "!couldn't find any field with path \"{.w}\" in the list of objects");
}

TEST_CASE("custom columns: a bad path is told before anything is printed", "[cli][unit]") {
  const auto printer = bth::cli::MakePrinter("custom-columns=A:.x[", {});
  CHECK(printer.status().message() == "unterminated array");
  std::string many = "custom-columns=A:.a";
  for (int i = 0; i < 300; ++i) many += ",A:.a";
  CHECK(bth::cli::MakePrinter(many, {}).status().message() ==
        "301 columns; at most 256 are printed");
}

TEST_CASE("printers: formats that need files say so where there are none", "[cli][unit]") {
  CHECK(bth::cli::MakePrinter("jsonpath-file=x", {}).status().message() ==
        "error reading --template x, open x: files cannot be read here");
}

}  // namespace
