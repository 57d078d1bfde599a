#include "api/types/selector.h"

#include <string>

#include "tests/support/catch.h"

using namespace bth::types;

TEST_CASE("label selector: query text selects as the API server does", "[types][unit]") {
  const LabelMap labels = {{"app", "web"}, {"tier", "3"}, {"empty", ""}, {"x.io/zone", "a"}};
  struct Case {
    std::string text;
    bool matches;
    std::string canonical;
  };
  const Case c = GENERATE(values<Case>({
      {"", true, ""},
      {"app=web", true, "app=web"},
      {"app==web", true, "app=web"},
      {" app = web , tier ", true, "app=web,tier"},
      {"app!=web", false, "app!=web"},
      {"none!=web", true, "none!=web"},
      {"app in (db,web)", true, "app in (db,web)"},
      {"app in (db)", false, "app=db"},
      {"app notin (db,x)", true, "app notin (db,x)"},
      {"none notin (a,b)", true, "none notin (a,b)"},
      {"app", true, "app"},
      {"!app", false, "!app"},
      {"!none", true, "!none"},
      {"tier>2", true, "tier>2"},
      {"tier>3", false, "tier>3"},
      {"tier<10,tier>1", true, "tier<10,tier>1"},
      {"app>2", false, "app>2"},
      {"none<2", false, "none<2"},
      {"empty=", true, "empty="},
      {"empty in (,a)", true, "empty in (,a)"},
      {"app=", false, "app="},
      {"x.io/zone in (b,a),app", true, "app,x.io/zone in (a,b)"},
      {"in in (notin)", false, "in=notin"},
  }));
  CAPTURE(c.text);
  const auto selector = ParseLabelSelector(c.text);
  REQUIRE(selector.ok());
  CHECK(selector->Matches(labels) == c.matches);
  CHECK(selector->ToString() == c.canonical);
}

TEST_CASE("label selector: bad query text is refused", "[types][unit]") {
  const std::string text = GENERATE(values<std::string>({",",       "a,",
                                                         "a,,b",    "=x",
                                                         "a=b=c",   "a in b",
                                                         "a in (b", "a in (b c)",
                                                         "a in",    "!a=b",
                                                         "!!a",     "a>x",
                                                         "a>",      "a b",
                                                         "-a",      "a/b/c",
                                                         "A_/b",    "/a",
                                                         "a=-x",    "(a)",
                                                         "a=b!c",   std::string(20000, 'a')}));
  CAPTURE(text);
  const auto selector = ParseLabelSelector(text);
  REQUIRE_FALSE(selector.ok());
  CHECK(selector.status().code() == absl::StatusCode::kInvalidArgument);
  CHECK_THAT(std::string(selector.status().message()), Catch::Contains("label selector"));
}

TEST_CASE("label selector: fields and expressions must all match", "[types][unit]") {
  LabelSelector selector;
  CHECK(selector.Matches({}));
  selector.match_labels = {{"a", "1"}};
  selector.match_expressions = {{"b", SelectorOp::kExists, {}}};
  CHECK_FALSE(selector.Matches({{"a", "1"}}));
  CHECK_FALSE(selector.Matches({{"a", "2"}, {"b", ""}}));
  CHECK(selector.Matches({{"a", "1"}, {"b", ""}}));
  CHECK(selector.Check().ok());
  selector.match_expressions = {{"b", SelectorOp::kIn, {}}};
  CHECK_FALSE(selector.Check().ok());
  selector.match_expressions = {{"b", SelectorOp::kExists, {"x"}}};
  CHECK_FALSE(selector.Check().ok());
}

TEST_CASE("node selector: terms are alternatives, their parts are not", "[types][unit]") {
  struct Case {
    std::string name;
    NodeSelectorTerm term;
    bool matches;
  };
  const LabelMap labels = {{"gen", "7"}, {"zone", "a"}};
  const Case c = GENERATE(values<Case>({
      {"empty term", {}, false},
      {"in", {{{"zone", SelectorOp::kIn, {"b", "a"}}}, {}}, true},
      {"not in", {{{"zone", SelectorOp::kNotIn, {"a"}}}, {}}, false},
      {"not in, absent", {{{"none", SelectorOp::kNotIn, {"a"}}}, {}}, true},
      {"gt", {{{"gen", SelectorOp::kGt, {"6"}}}, {}}, true},
      {"gt is strict", {{{"gen", SelectorOp::kGt, {"7"}}}, {}}, false},
      {"lt", {{{"gen", SelectorOp::kLt, {"8"}}}, {}}, true},
      {"lt on text", {{{"zone", SelectorOp::kLt, {"8"}}}, {}}, false},
      {"lt with text never matches", {{{"gen", SelectorOp::kLt, {"x"}}}, {}}, false},
      {"field", {{}, {{"metadata.name", SelectorOp::kIn, {"n1"}}}}, true},
      {"field not in", {{}, {{"metadata.name", SelectorOp::kNotIn, {"n1"}}}}, false},
      {"two names", {{}, {{"metadata.name", SelectorOp::kIn, {"n1", "n2"}}}}, false},
      {"other field", {{}, {{"metadata.uid", SelectorOp::kIn, {"n1"}}}}, false},
      {"both parts",
       {{{"zone", SelectorOp::kExists, {}}}, {{"metadata.name", SelectorOp::kIn, {"n2"}}}},
       false},
  }));
  CAPTURE(c.name);
  CHECK(c.term.Matches(labels, "n1") == c.matches);
  NodeSelector selector;
  CHECK_FALSE(selector.Matches(labels, "n1"));
  selector.terms = {NodeSelectorTerm{}, c.term};
  CHECK(selector.Matches(labels, "n1") == c.matches);
}

TEST_CASE("field selector: terms, inequality and escapes", "[types][unit]") {
  const auto value_of = [](std::string_view field) -> std::string_view {
    if (field == "metadata.name") return "a";
    if (field == "odd") return "x,y=z\\";
    return {};
  };
  struct Case {
    std::string text;
    bool matches;
  };
  const Case c = GENERATE(values<Case>({{"", true},
                                        {"spec.nodeName=", true},
                                        {"spec.nodeName!=", false},
                                        {"metadata.name=a", true},
                                        {"metadata.name==a", true},
                                        {"metadata.name!=a", false},
                                        {"spec.nodeName=,metadata.name!=x", true},
                                        {"spec.nodeName=n,metadata.name!=x", false},
                                        {"odd=x\\,y\\=z\\\\", true}}));
  CAPTURE(c.text);
  const auto selector = ParseFieldSelector(c.text);
  REQUIRE(selector.ok());
  CHECK(selector->Matches(value_of) == c.matches);
  const auto again = ParseFieldSelector(selector->ToString());
  REQUIRE(again.ok());
  CHECK(again->terms == selector->terms);
  for (const char* bad : {"a", "=a", "!=a", "a=b=c", "a=\\x", "a=\\"}) {
    CAPTURE(bad);
    CHECK_FALSE(ParseFieldSelector(bad).ok());
  }
}

TEST_CASE("label syntax: keys and values", "[types][unit]") {
  for (const char* key : {"a", "a.b/c_d-e", "volcano.sh/queue-name", "A1"}) {
    CAPTURE(key);
    CHECK(CheckLabelKey(key).ok());
  }
  for (const std::string& key :
       std::vector<std::string>{"", "/a", "a/", "a b", "-a", "a-", "A.b/c", "a..b/c", "a/b/c",
                                std::string(64, 'a'), std::string(254, 'a') + "/b"}) {
    CAPTURE(key);
    CHECK_FALSE(CheckLabelKey(key).ok());
  }
  CHECK(CheckLabelValue("").ok());
  CHECK(CheckLabelValue(std::string(63, 'a')).ok());
  CHECK_FALSE(CheckLabelValue(std::string(64, 'a')).ok());
  CHECK_FALSE(CheckLabelValue("a/b").ok());
}
