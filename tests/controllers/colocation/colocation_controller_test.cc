#include "controllers/colocation/colocation_controller.h"

#include <memory>
#include <string>
#include <vector>

#include "api/manifests/manifest.h"
#include "base/strings.h"
#include "tests/controllers/controller_bed.h"
#include "tests/controllers/doc_page.h"
#include "tests/support/catch.h"

namespace bth::controllers {
namespace {

using types::ColocationConfiguration;
using types::Json;

ColocationPtr MakeConfiguration(const std::string& name, int64_t created, int32_t high_ratio) {
  ColocationConfiguration made;
  made.meta.name = name;
  made.meta.creation_time = absl::FromUnixSeconds(created);
  made.selector.emplace();
  made.selector->match_labels = {{"app", "batch"}};
  made.settings.memory_qos.emplace();
  made.settings.memory_qos->high_ratio = high_ratio;
  return std::make_shared<const ColocationConfiguration>(std::move(made));
}

TEST_CASE("colocation: the newest configuration that matches counts", "[controllers][colocation]") {
  const types::LabelMap labels = {{"app", "batch"}};
  const ColocationPtr old = MakeConfiguration("config-1", 100, 80);
  const ColocationPtr young = MakeConfiguration("config-2", 200, 90);
  const ColocationPtr twin = MakeConfiguration("config-0", 200, 70);
  CHECK(ChooseColocation(labels, {old, young}) == young);
  CHECK(ChooseColocation(labels, {young, old}) == young);
  CHECK(ChooseColocation(labels, {young, twin}) == twin);
  CHECK(ChooseColocation(labels, {twin, young}) == twin);
  CHECK(ChooseColocation({{"app", "web"}}, {old, young}) == nullptr);
  CHECK(ChooseColocation(labels, {}) == nullptr);
}

TEST_CASE("colocation: which selectors match", "[controllers][colocation]") {
  ColocationConfiguration configuration = *MakeConfiguration("c", 1, 1);
  const types::LabelMap labels = {{"app", "batch"}};
  CHECK(Selects(configuration, labels));
  configuration.selector->match_expressions = {{"app", types::SelectorOp::kIn, {}}};
  CHECK_FALSE(Selects(configuration, labels));
  configuration.selector.emplace();
  CHECK(Selects(configuration, labels));
  CHECK(Selects(configuration, {}));
  configuration.selector.reset();
  CHECK_FALSE(Selects(configuration, labels));
}

TEST_CASE("colocation: what a pod's annotations need", "[controllers][colocation]") {
  const ColocationPtr chosen = MakeConfiguration("c", 1, 100);
  const std::string name(kColocationName), settings(kColocationSettings);
  const std::string json = R"({"memoryQos":{"highRatio":100}})";
  const PodMark full = {"c", json};
  const PodMark reset = {std::nullopt, "{}"};
  struct Case {
    std::string what;
    types::LabelMap annotations;
    bool is_chosen;
    std::optional<PodMark> expect;
  };
  const std::vector<Case> cases = {
      {"none yet", {}, true, full},
      {"another name", {{name, "b"}, {settings, json}}, true, full},
      {"other settings",
       {{name, "c"}, {settings, R"({"memoryQos":{"highRatio":90}})"}},
       true,
       full},
      {"not JSON", {{name, "c"}, {settings, "{"}}, true, full},
      {"settings missing", {{name, "c"}}, true, full},
      {"equal", {{name, "c"}, {settings, json}}, true, std::nullopt},
      {"equal in other words",
       {{name, "c"}, {settings, R"({ "memoryQos": {"highRatio": 100, "x": 1}})"}},
       true,
       std::nullopt},
      {"configured, now without", {{name, "c"}, {settings, json}}, false, reset},
      {"only a name", {{name, "c"}}, false, reset},
      {"only settings", {{settings, json}}, false, reset},
      {"reset already", {{settings, "{}"}}, false, std::nullopt},
      {"never configured", {{"other", "x"}}, false, std::nullopt},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    types::ObjectMeta pod;
    pod.annotations = c.annotations;
    CHECK(NeededMark(pod, c.is_chosen ? chosen.get() : nullptr) == c.expect);
  }
}

constexpr const char* kConfigurations =
    "/apis/config.volcano.sh/v1alpha1/namespaces/default/colocationconfigurations";

class ColocationBed : public test::ControllerBed {
 public:
  ~ColocationBed() { Kill(); }

  void StartColocation() {
    Start({[](const ControllerContext& context) {
      return std::make_unique<ColocationController>(context);
    }});
    Wait(absl::Seconds(2));
  }
  void MakePod(const std::string& name, const std::string& app,
               const std::string& annotations = "{}") {
    Create("/api/v1/namespaces/default/pods",
           StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")", name,
                  R"(","labels":{"app":")", app, R"("},"annotations":)", annotations,
                  R"(},"spec":{"containers":[{"name":"c","image":"i"}]}})"));
    Wait(absl::Seconds(2));
  }
  void MakeConfiguration(const std::string& name, const std::string& selector, int high_ratio) {
    Create(kConfigurations, StrCat(R"({"apiVersion":"config.volcano.sh/v1alpha1",)",
                                   R"("kind":"ColocationConfiguration","metadata":{"name":")", name,
                                   R"("},"spec":{"selector":)", selector,
                                   R"(,"memoryQos":{"highRatio":)", high_ratio, "}}}"));
    Wait(absl::Seconds(2));
  }
  // "NAME SETTINGS"; "- -" without.
  std::string Mark(const std::string& pod) {
    const Json object = Get(PodPath(pod));
    const Json& annotations = object.At({"metadata", "annotations"});
    return StrCat(std::string(annotations[kColocationName].AsString("-")), " ",
                  std::string(annotations[kColocationSettings].AsString("-")));
  }
};

constexpr const char* kBatch = R"({"matchLabels":{"app":"batch"}})";
constexpr const char* kHundred = R"({"memoryQos":{"highRatio":100,"lowRatio":0,"minRatio":0}})";
constexpr const char* kNinety = R"({"memoryQos":{"highRatio":90,"lowRatio":0,"minRatio":0}})";

TEST_CASE("colocation: pods follow configurations", "[controllers][colocation]") {
  ColocationBed bed;
  bed.MakePod("early", "batch");
  bed.MakePod("web", "web");
  bed.StartColocation();
  CHECK(bed.Mark("early") == "- -");
  bed.MakeConfiguration("c", kBatch, 100);
  CHECK(bed.Mark("early") == StrCat("c ", kHundred));
  CHECK(bed.Mark("web") == "- -");
  bed.MakePod("late", "batch");
  CHECK(bed.Mark("late") == StrCat("c ", kHundred));
  // Other settings, another selector, no configuration.
  const std::string path = StrCat(kConfigurations, "/c");
  bed.Patch(path, R"({"spec":{"memoryQos":{"highRatio":90}}})");
  bed.Wait(absl::Seconds(2));
  CHECK(bed.Mark("late") == StrCat("c ", kNinety));
  bed.Patch(path, R"({"spec":{"selector":{"matchLabels":{"app":"web"}}}})");
  bed.Wait(absl::Seconds(2));
  CHECK(bed.Mark("late") == "- {}");
  CHECK(bed.Mark("web") == StrCat("c ", kNinety));
  bed.Call("DELETE", path);
  bed.Wait(absl::Seconds(2));
  CHECK(bed.Mark("web") == "- {}");
}

TEST_CASE("colocation: a pod that is labelled anew gets other settings",
          "[controllers][colocation]") {
  ColocationBed bed;
  bed.MakeConfiguration("c", kBatch, 100);
  bed.MakePod("p", "web");
  bed.StartColocation();
  CHECK(bed.Mark("p") == "- -");
  bed.Patch(ColocationBed::PodPath("p"), R"({"metadata":{"labels":{"app":"batch"}}})");
  bed.Wait(absl::Seconds(2));
  CHECK(bed.Mark("p") == StrCat("c ", kHundred));
  bed.Patch(ColocationBed::PodPath("p"), R"({"metadata":{"labels":{"app":null}}})");
  bed.Wait(absl::Seconds(2));
  CHECK(bed.Mark("p") == "- {}");
}

TEST_CASE("colocation: the newer of two configurations wins", "[controllers][colocation]") {
  ColocationBed bed;
  bed.MakePod("p", "batch");
  bed.StartColocation();
  bed.MakeConfiguration("config-1", kBatch, 100);
  bed.MakeConfiguration("config-2", "{}", 90);
  CHECK(bed.Mark("p") == StrCat("config-2 ", kNinety));
  bed.Call("DELETE", StrCat(kConfigurations, "/config-2"));
  bed.Wait(absl::Seconds(2));
  CHECK(bed.Mark("p") == StrCat("config-1 ", kHundred));
}

TEST_CASE("colocation: nothing is written when nothing changed", "[controllers][colocation]") {
  ColocationBed bed;
  bed.MakeConfiguration("c", kBatch, 100);
  bed.MakePod("p", "batch");
  bed.MakePod("q", "web", R"({"volcano.sh/colocation-config":"{}"})");
  bed.StartColocation();
  REQUIRE(bed.Mark("p") == StrCat("c ", kHundred));
  CHECK(bed.writes == 1);
  bed.Kill();
  bed.StartColocation();
  bed.SetPodPhase("p", "Running");
  bed.Wait(absl::Hours(1));
  CHECK(bed.writes == 1);
}

TEST_CASE("colocation: a pod whose configuration went while nobody looked is reset",
          "[controllers][colocation]") {
  ColocationBed bed;
  bed.MakePod("p", "batch",
              R"({"volcano.sh/colocation-config-name":"gone","volcano.sh/colocation-config":"x"})");
  bed.StartColocation();
  CHECK(bed.Mark("p") == "- {}");
}

TEST_CASE("colocation: a write that fails is tried again", "[controllers][colocation]") {
  ColocationBed bed;
  bed.MakeConfiguration("c", kBatch, 100);
  bed.MakePod("p", "batch");
  int failures = 2;
  bed.line->script = [&failures](const net::Request& request) -> std::optional<test::Fault> {
    if (request.method != "PATCH" || failures == 0) return std::nullopt;
    test::Fault fault;
    fault.answer_lost = failures == 1;
    if (!fault.answer_lost) fault.code = 500;
    --failures;
    return fault;
  };
  bed.StartColocation();
  bed.Wait(absl::Minutes(1));
  CHECK(failures == 0);
  CHECK(bed.Mark("p") == StrCat("c ", kHundred));
}

TEST_CASE("colocation: a pod that may not be written for a while is not given up",
          "[controllers][colocation]") {
  ColocationBed bed;
  bed.MakeConfiguration("c", kBatch, 100);
  bed.MakePod("p", "batch");
  bool is_forbidden = true;
  int refusals = 0;
  bed.line->script = [&](const net::Request& request) -> std::optional<test::Fault> {
    if (request.method != "PATCH" || !is_forbidden) return std::nullopt;
    ++refusals;
    test::Fault fault;
    fault.code = 403;
    fault.reason = "Forbidden";
    return fault;
  };
  bed.StartColocation();
  bed.Wait(absl::Minutes(10));
  CHECK(refusals > bed.options.max_requeue_num + 1);
  CHECK(refusals < 30);
  CHECK(bed.Mark("p") == "- -");
  is_forbidden = false;
  bed.Wait(absl::Minutes(10));
  CHECK(bed.Mark("p") == StrCat("c ", kHundred));
}

TEST_CASE("colocation page: its example does what the page says", "[controllers][docs]") {
  const auto objects =
      manifests::ObjectsFromYaml(test::ExampleOf("colocation.md"), "colocation.md");
  REQUIRE(objects.ok());
  ColocationBed bed;
  bed.MakePod("p", "batch");
  bed.Create(kConfigurations, (*objects)[0].Dump());
  bed.StartColocation();
  CHECK(bed.Mark("p") == StrCat("batch ", kNinety));
}

}  // namespace
}  // namespace bth::controllers
