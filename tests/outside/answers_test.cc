// What outside servers answer, and what is made of it.
#include "scheduler/extender/answers.h"

#include <cmath>

#include "base/strings.h"
#include "scheduler/node_load/answers.h"
#include "tests/support/catch.h"

namespace bth::scheduler {
namespace {

TEST_CASE("extender answers: names of fields compare without case", "[scheduler][extender]") {
  CHECK(extender::ParseFilter(R"({"STATUS":"no","Code":2})")->status == "no");
  CHECK(extender::ParseFilter(R"({"status":"no","code":2,"more":[1]})")->code == 2);
  CHECK(extender::ParseFilter("{}")->status.empty());
  CHECK(extender::ParseFilter(R"({"status":null})")->status.empty());
  CHECK(*extender::ParseOverused(R"({"Overused":true})"));
  CHECK_FALSE(*extender::ParseOverused("{}"));
  CHECK(*extender::ParseReady(R"({"status":true})"));
  CHECK(*extender::ParseVote(R"({"status":5})") == 1);
  CHECK(*extender::ParseVote(R"({"status":-5})") == -1);
  CHECK(*extender::ParseVote("{}") == 0);
  const auto victims =
      extender::ParseVictims(R"({"status":1,"victims":[{"UID":"b"},{"uid":"a"}]})");
  CHECK(victims->uids == std::vector<std::string>{"b", "a"});
  CHECK(extender::ParseVictims(R"({"status":0,"victims":null})")->uids.empty());
  const auto scores = extender::ParseScores(R"({"nodeScore":{"n2":1,"n1":2.5}})");
  CHECK(scores->scores == std::vector<std::pair<std::string, double>>{{"n1", 2.5}, {"n2", 1}});
  CHECK(extender::ParseEvent(R"({"errorMessage":""})").ok());
}

TEST_CASE("extender answers: an extender's own words are no misunderstanding",
          "[scheduler][extender]") {
  CHECK(extender::ParseEvent(R"({"errorMessage":"no slot"})") == absl::AbortedError("no slot"));
  CHECK(extender::ParseScores(R"({"nodeScore":{"n":1},"errorMessage":"down"})").status() ==
        absl::AbortedError("down"));
}

TEST_CASE("extender answers: what cannot be understood is refused", "[scheduler][extender]") {
  const std::string text = GENERATE(values<std::string>(
      {"", "null", "[]", "7", "{", "{\"status\":true}", "{\"code\":1.5}", "{\"code\":\"2\"}",
       "{\"status\":\"x\"} trailing", "<html>", "\xff\xfe"}));
  CAPTURE(text);
  CHECK(absl::IsInvalidArgument(extender::ParseFilter(text).status()));
  CHECK(absl::IsInvalidArgument(extender::ParseScores(text).status()));
  CHECK_FALSE(extender::ParseVote("{\"status\":\"1\"}").ok());
  CHECK_FALSE(extender::ParseReady("{\"status\":1}").ok());
  CHECK_FALSE(extender::ParseVictims("{\"victims\":[\"u\"]}").ok());
  CHECK_FALSE(extender::ParseVictims("{\"victims\":[{\"Name\":\"a\"}]}").ok());
}

TEST_CASE("extender answers: absurd scores are refused", "[scheduler][extender]") {
  const std::string score =
      GENERATE(values<std::string>({"1e10", "-1e10", "1e308", "\"5\"", "null"}));
  const auto parsed = extender::ParseScores(StrCat(R"({"nodeScore":{"n":)", score, "}}"));
  CAPTURE(score);
  CHECK(absl::IsInvalidArgument(parsed.status()));
  CHECK(extender::ParseScores(R"({"nodeScore":{"n":1e9}})").ok());
}

TEST_CASE("extender answers: long texts are cut", "[scheduler][extender]") {
  const std::string text = StrCat(R"({"status":")", std::string(5000, 'x'), R"("})");
  CHECK(extender::ParseFilter(text)->status.size() == 1024);
}

const absl::Time kNow = absl::UnixEpoch() + absl::Hours(10);

TEST_CASE("prometheus answers: the first sample of each instance counts", "[scheduler][load]") {
  const auto samples = node_load::ParsePrometheusAnswer(
      R"({"status":"success","data":{"resultType":"vector","result":[
        {"metric":{"instance":"n1"},"value":[1,"12.5"]},
        {"metric":{"instance":"n1"},"value":[1,"99"]},
        {"metric":{},"value":[1,"3"]},
        {"metric":{"instance":"n2"},"value":[1,"x"]},
        {"metric":{"instance":"n3"},"value":[1]}]}})");
  REQUIRE(samples.ok());
  REQUIRE(samples->size() == 1);
  CHECK(samples->at("n1").value == 12.5);
  CHECK(node_load::ParsePrometheusAnswer(R"({"status":"error","error":"too many samples"})")
            .status()
            .ToString()
            .find("too many samples") != std::string::npos);
  CHECK_FALSE(node_load::ParsePrometheusAnswer("<html>").ok());
  CHECK_FALSE(node_load::ParsePrometheusAnswer(
                  R"({"status":"success","data":{"resultType":"scalar","result":[1,"2"]}})")
                  .ok());
}

TEST_CASE("custom metrics: values are quantities, with the time of each", "[scheduler][load]") {
  const auto samples = node_load::ParseMetricValues(
      R"({"items":[{"describedObject":{"name":"n1"},"timestamp":"1970-01-01T01:00:00Z",
                    "value":"234m"},
                   {"describedObject":{"name":"n2"},"timestamp":"soon","value":"1"},
                   {"describedObject":{"name":"n3"},"value":"much"}]})");
  REQUIRE(samples.ok());
  REQUIRE(samples->size() == 2);
  CHECK(samples->at("n1").value == 0.234);
  CHECK(samples->at("n1").time == absl::UnixEpoch() + absl::Hours(1));
  CHECK_FALSE(samples->at("n2").time.has_value());
  CHECK_FALSE(node_load::ParseMetricValues("{}").ok());
}

TEST_CASE("elasticsearch answers: averages of each search", "[scheduler][load]") {
  const auto found = node_load::ParseElasticsearchAnswer(
      R"({"responses":[{"aggregations":{"cpu":{"value":0.25},"mem":{"value":0.5}}},
                       {"aggregations":{"cpu":{"value":null},"mem":{"value":0.5}}},
                       {"error":{}}]})",
      3);
  REQUIRE(found.ok());
  CHECK((*found)[0].cpu == 0.25);
  CHECK((*found)[0].memory == 0.5);
  CHECK_FALSE((*found)[1].cpu.has_value());
  CHECK_FALSE((*found)[2].memory.has_value());
  CHECK_FALSE(node_load::ParseElasticsearchAnswer(R"({"responses":[]})", 3).ok());
}

TEST_CASE("load files: every node needs both numbers", "[scheduler][load]") {
  const auto samples = node_load::ParseLoadFile(R"({"n1":{"cpu":12.5,"memory":40}})");
  REQUIRE(samples.ok());
  CHECK(samples->cpu.at("n1").value == 12.5);
  CHECK(samples->memory.at("n1").value == 40);
  for (const char* bad : {R"({"n1":{"cpu":1}})", R"({"n1":{"cpu":"1","memory":2}})", R"({"n1":5})",
                          R"({"n1":{"cpu":1,"memory":2,"time":"noon"}})", "[]"}) {
    CAPTURE(bad);
    CHECK(absl::IsInvalidArgument(node_load::ParseLoadFile(bad).status()));
  }
}

TEST_CASE("node loads: only what a node can have, and nothing from the future",
          "[scheduler][load]") {
  const node_load::Samples cpu = {{"ok", {50, {}}},
                                  {"edge", {100.4, {}}},
                                  {"negative", {-3, {}}},
                                  {"nan", {std::nan(""), {}}},
                                  {"huge", {1e300, {}}},
                                  {"half", {5, {}}},
                                  {"old", {5, kNow - absl::Hours(1)}},
                                  {"future", {5, kNow + absl::Hours(1)}}};
  node_load::Samples memory = cpu;
  memory.erase("half");
  const node_load::Reading reading = node_load::Combine(cpu, memory, 1, kNow);
  CHECK(reading.refused == 3);
  REQUIRE(reading.loads.size() == 4);
  CHECK(reading.loads.at("ok").cpu_percent == 50);
  CHECK(reading.loads.at("edge").memory_percent == 100);
  CHECK(reading.loads.at("old").measured_at_us == absl::ToUnixMicros(kNow - absl::Hours(1)));
  CHECK(reading.loads.at("future").measured_at_us == absl::ToUnixMicros(kNow));
  const node_load::Reading parts =
      node_load::Combine({{"n", {0.25, {}}}}, {{"n", {0.5, {}}}}, 100, kNow);
  CHECK(parts.loads.at("n").cpu_percent == 25);
  CHECK(parts.loads.at("n").memory_percent == 50);
}

}  // namespace
}  // namespace bth::scheduler
