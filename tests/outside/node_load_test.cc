// Sources of node loads against scripted servers, and the poller, on virtual time.
#include "absl/strings/match.h"
#include "api/types/json.h"
#include "base/strings.h"
#include "metrics/registry.h"
#include "net/http.h"
#include "net/virtual_executor.h"
#include "scheduler/node_load/poller.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace bth::scheduler::node_load {
namespace {

using types::Json;

// One server for everything; the connection options it was asked with are kept.
class LoadBed {
 public:
  using Serve = std::function<net::Response(const net::Request&)>;

  explicit LoadBed(Serve serve) : serve_(std::move(serve)) {
    transports_ =
        [this](net::ClientOptions options) -> absl::StatusOr<std::unique_ptr<net::Transport>> {
      connections.push_back(options);
      return net::MakeInProcessTransport(executor, Handler());
    };
    client::ApiClientOptions options;
    options.qps = 0;
    api_ = std::make_unique<client::ApiClient>(
        executor, std::shared_ptr<net::Transport>(net::MakeInProcessTransport(executor, Handler())),
        options);
    poller = std::make_unique<LoadPoller>(
        SourceContext{executor, *api_, transports_}, &metrics,
        LoadPoller::Hooks{.nodes = [this] { return nodes; },
                          .publish =
                              [this](std::shared_ptr<const model::NodeLoads> loads) {
                                ++published;
                                now = std::move(loads);
                              }});
  }
  ~LoadBed() {
    poller.reset();
    executor.RunUntilIdle();
  }

  // "cpu/memory" of a node; empty when nothing is known.
  std::string Load(const std::string& node) const {
    if (now == nullptr || !now->contains(node)) return "";
    const model::NodeLoad& load = now->find(node)->second;
    return StrCat(load.cpu_percent, "/", load.memory_percent);
  }
  double Age(const std::string& node) const {
    return absl::ToDoubleSeconds(executor.Now() -
                                 absl::FromUnixMicros(now->find(node)->second.measured_at_us));
  }

  net::VirtualExecutor executor{absl::FromUnixSeconds(1'767'225'600)};
  metrics::Registry registry;
  metrics::SchedulerMetrics metrics{registry};
  std::vector<net::ClientOptions> connections;
  std::vector<net::Request> asked;
  absl::Duration delay;
  std::vector<std::string> nodes = {"n1", "n2"};
  std::shared_ptr<const model::NodeLoads> now;
  int published = 0;
  std::unique_ptr<LoadPoller> poller;

 private:
  net::Handler Handler() {
    return [this](net::Request request) { return Answer(std::move(request)); };
  }
  net::Awaitable<net::Response> Answer(net::Request request) {
    if (delay > absl::ZeroDuration()) co_await net::Sleep(executor, delay);
    net::Response response = serve_(request);
    asked.push_back(std::move(request));
    co_return response;
  }

  Serve serve_;
  client::TransportFactory transports_;
  std::unique_ptr<client::ApiClient> api_;
};

net::Response Text(std::string body, int status = 200) {
  net::Response response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

std::string Query(const net::Request& request) {
  const auto target = net::ParseTarget("/?" + request.body);
  REQUIRE(target.ok());
  return std::string(target->Query("query"));
}

std::string Vector(const std::string& result) {
  return StrCat(R"({"status":"success","data":{"resultType":"vector","result":[)", result, "]}}");
}
std::string Series(const std::string& node, const std::string& value) {
  return StrCat(R"({"metric":{"instance":")", node, R"("},"value":[1,")", value, R"("]})");
}

// n1 has 12.5 and 40 percent, n2 80 and 70.
net::Response GoodPrometheus(const net::Request& request) {
  const bool cpu = absl::StrContains(Query(request), "node_cpu_seconds_total");
  return Text(Vector(StrCat(Series("n1", cpu ? "12.5" : "40"), ",", Series("n2", cpu ? "80" : "70"),
                            ",", Series("other", "1"))));
}

const LoadSettings kPrometheus = {{"type", "prometheus"}, {"address", "http://prometheus:9090/x"}};

TEST_CASE("prometheus: averages over ten minutes of every node", "[scheduler][load]") {
  LoadBed bed(GoodPrometheus);
  bed.nodes = {"n1", "n2", "a.b"};
  bed.poller->Configure(kPrometheus);
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.Load("n1") == "12.5/40");
  CHECK(bed.Load("n2") == "80/70");
  CHECK(bed.Load("other").empty());
  CHECK(bed.Load("a.b").empty());
  REQUIRE(bed.asked.size() == 2);
  CHECK(bed.asked[0].method == "POST");
  CHECK(bed.asked[0].target == "/x/api/v1/query");
  CHECK(bed.asked[0].headers.Get("content-type") == "application/x-www-form-urlencoded");
  CHECK(
      Query(bed.asked[0]) ==
      R"(avg_over_time(clamp_min(100 - (avg by (instance) (rate(node_cpu_seconds_total{mode="idle",instance=~"n1|n2|a\\.b"}[5m])) * 100), 0)[10m:30s]))");
  CHECK(
      Query(bed.asked[1]) ==
      R"(100*avg_over_time(((1-node_memory_MemAvailable_bytes{instance=~"n1|n2|a\\.b"}/node_memory_MemTotal_bytes{instance=~"n1|n2|a\\.b"}))[10m:30s]))");
  REQUIRE(bed.connections.size() == 1);
  CHECK(bed.connections[0].host == "prometheus");
  CHECK(bed.connections[0].port == 9090);
  CHECK_FALSE(bed.connections[0].tls.enabled);
  CHECK(bed.Age("n1") <= 1);
}

TEST_CASE("prometheus: a thousand nodes take ten questions of each kind", "[scheduler][load]") {
  LoadBed bed(GoodPrometheus);
  bed.nodes.clear();
  for (int n = 0; n < 1000; ++n) bed.nodes.push_back(StrCat("node-", n));
  bed.poller->Configure(kPrometheus);
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.asked.size() == 20);
}

TEST_CASE("prometheus: only the text true switches verification off", "[scheduler][load]") {
  const std::string text = GENERATE(values<std::string>({"true", "True", "1", ""}));
  LoadBed bed(GoodPrometheus);
  bed.poller->Configure({{"type", "prometheus"},
                         {"address", "https://prometheus"},
                         {"tls.insecureSkipVerify", text}});
  bed.executor.Advance(absl::Seconds(1));
  REQUIRE(bed.connections.size() == 1);
  CHECK(bed.connections[0].port == 443);
  CHECK(bed.connections[0].tls.enabled);
  CHECK(bed.connections[0].tls.insecure_skip_verify == (text == "true"));
}

TEST_CASE("poller: rounds come in the interval that is set", "[scheduler][load]") {
  struct Case {
    std::string interval;
    int rounds;  // In five minutes, the first one included.
  };
  const Case c =
      GENERATE(values<Case>({{"", 10}, {"1m", 5}, {"10s", 30}, {"soon", 10}, {"0s", 10}}));
  CAPTURE(c.interval);
  LoadBed bed(GoodPrometheus);
  LoadSettings settings = kPrometheus;
  settings["interval"] = c.interval;
  bed.poller->Configure(settings);
  bed.executor.Advance(absl::Minutes(5) - absl::Seconds(1));
  CHECK(static_cast<int>(bed.asked.size()) == 2 * c.rounds);
}

TEST_CASE("poller: what a source says in vain changes nothing", "[scheduler][load]") {
  struct Case {
    std::string name;
    std::function<net::Response()> answer;
  };
  const std::vector<Case> cases = {
      {"an error", [] { return Text("no", 500); }},
      {"no JSON", [] { return Text("<html>"); }},
      {"a failed query", [] { return Text(R"({"status":"error","error":"too many samples"})"); }},
      {"a flood", [] { return Text(std::string(size_t{2} << 20, ' ')); }},
      {"absurd values",
       [] { return Text(Vector(Series("n1", "-50") + "," + Series("n2", "NaN"))); }},
      {"nothing", [] { return Text(Vector("")); }},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    bool bad = false;
    LoadBed bed(
        [&](const net::Request& request) { return bad ? c.answer() : GoodPrometheus(request); });
    bed.poller->Configure(kPrometheus);
    bed.executor.Advance(absl::Seconds(1));
    bad = true;
    const int published = bed.published;
    bed.executor.Advance(absl::Minutes(3));
    CHECK(bed.Load("n1") == "12.5/40");
    CHECK(bed.Age("n1") >= 180);
    CHECK(bed.published > published);  // Jobs that wait may feel that the values have aged.
    const bool counted =
        !absl::StrContains(bed.registry.RenderText(), "limit=\"node_load_round\"} 0\n");
    CHECK(counted == (c.name != "nothing"));
    bad = false;
    bed.executor.Advance(absl::Minutes(1));
    CHECK(bed.Age("n1") <= 31);
  }
}

TEST_CASE("poller: a source that hangs loses its round", "[scheduler][load]") {
  LoadBed bed(GoodPrometheus);
  bed.delay = absl::Minutes(10);
  bed.poller->Configure(kPrometheus);
  bed.executor.Advance(absl::Seconds(61));
  CHECK(bed.Load("n1").empty());
  CHECK(absl::StrContains(bed.registry.RenderText(), "limit=\"node_load_round\"} 1"));
  bed.delay = absl::ZeroDuration();
  bed.executor.Advance(absl::Seconds(31));
  CHECK(bed.Load("n1") == "12.5/40");
}

TEST_CASE("poller: nodes that are gone are forgotten, one that is left out keeps its value",
          "[scheduler][load]") {
  bool short_of_one = false;
  LoadBed bed([&](const net::Request& request) {
    return short_of_one ? Text(Vector(Series("n2", "5"))) : GoodPrometheus(request);
  });
  bed.poller->Configure(kPrometheus);
  bed.executor.Advance(absl::Seconds(1));
  short_of_one = true;
  bed.executor.Advance(absl::Seconds(30));
  CHECK(bed.Load("n1") == "12.5/40");
  CHECK(bed.Load("n2") == "5/5");
  bed.nodes = {"n2"};
  bed.executor.Advance(absl::Seconds(30));
  CHECK(bed.Load("n1").empty());
}

TEST_CASE("poller: it waits for nodes", "[scheduler][load]") {
  LoadBed bed(GoodPrometheus);
  bed.nodes.clear();
  bed.poller->Configure(kPrometheus);
  bed.executor.Advance(absl::Seconds(20));
  CHECK(bed.asked.empty());
  bed.nodes = {"n1"};
  bed.executor.Advance(absl::Seconds(2));
  CHECK(bed.Load("n1") == "12.5/40");
}

TEST_CASE("poller: other settings, other source", "[scheduler][load]") {
  LoadBed bed(GoodPrometheus);
  bed.poller->Configure(kPrometheus);
  bed.executor.Advance(absl::Seconds(1));
  const size_t asked = bed.asked.size();
  bed.poller->Configure(kPrometheus);
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.asked.size() == asked);
  CHECK(bed.Load("n1") == "12.5/40");
  bed.poller->Configure({});
  CHECK(bed.now == nullptr);
  bed.executor.Advance(absl::Minutes(5));
  CHECK(bed.asked.size() == asked);
}

TEST_CASE("poller: settings that name no usable source are told", "[scheduler][load]") {
  const LoadSettings settings =
      GENERATE(values<LoadSettings>({{{"type", "prometeus"}, {"address", "http://x"}},
                                     {{"type", "prometheus"}},
                                     {{"type", "elasticsearch"}, {"address", "ftp://x"}},
                                     {{"type", "local"}, {"address", "not/absolute"}}}));
  LoadBed bed(GoodPrometheus);
  bed.poller->Configure(settings);
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.asked.empty());
  CHECK(bed.now == nullptr);
  CHECK(absl::StrContains(bed.registry.RenderText(), "limit=\"node_load_source\"} 1"));
}

TEST_CASE("sources: an unknown type is refused with the nearest name", "[scheduler][load]") {
  net::VirtualExecutor executor{absl::UnixEpoch()};
  client::ApiClient api(executor, std::shared_ptr<net::Transport>(), {});
  const client::TransportFactory none;
  const auto made =
      MakeLoadSource({executor, api, none}, {{"type", "prometeus"}, {"address", "http://x"}});
  CHECK(made.status().message() ==
        "data cannot be collected from the prometeus monitoring system. The supported monitoring "
        "systems are elasticsearch, prometheus, and prometheus_adaptor (did you mean "
        "\"prometheus\"?)");
  CHECK(MakeLoadSource({executor, api, none}, {{"type", "prometheus"}}).status().message() ==
        "metrics address is empty");
}

TEST_CASE("elasticsearch: one search per node, many in one request", "[scheduler][load]") {
  struct Case {
    std::string name;
    LoadSettings more;
    std::string target, field, authorization;
  };
  const Case c = GENERATE(values<Case>({
      {"by default", {}, "/metricbeat-%2A/_msearch", "host.hostname", ""},
      {"as set",
       {{"elasticsearch.index", "load"},
        {"elasticsearch.hostnameFieldName", "host.name"},
        {"elasticsearch.username", "user"},
        {"elasticsearch.password", "pass"}},
       "/load/_msearch",
       "host.name",
       "Basic dXNlcjpwYXNz"},
  }));
  CAPTURE(c.name);
  LoadBed bed([](const net::Request&) {
    return Text(R"({"responses":[{"aggregations":{"cpu":{"value":0.25},"mem":{"value":0.5}}},
                                 {"aggregations":{"cpu":{"value":null},"mem":{"value":null}}}]})");
  });
  LoadSettings settings = c.more;
  settings["type"] = "elasticsearch";
  settings["address"] = "https://elastic:9200";
  bed.poller->Configure(settings);
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.Load("n1") == "25/50");
  CHECK(bed.Load("n2").empty());
  REQUIRE(bed.asked.size() == 1);
  CHECK(bed.asked[0].target == c.target);
  CHECK(bed.asked[0].headers.Get("authorization") == c.authorization);
  std::vector<std::string> lines;
  for (size_t at = 0; at < bed.asked[0].body.size();) {
    const size_t end = bed.asked[0].body.find('\n', at);
    lines.push_back(bed.asked[0].body.substr(at, end - at));
    at = end + 1;
  }
  REQUIRE(lines.size() == 4);
  CHECK(lines[0] == "{}");
  const Json search = *Json::Parse(lines[3]);
  CHECK(search["size"].AsInt(-1) == 0);
  const Json& must = search["query"]["bool"]["must"];
  CHECK(must[0]["range"]["@timestamp"]["gte"].AsString() == "now-10m");
  CHECK(must[0]["range"]["@timestamp"]["lt"].AsString() == "now");
  CHECK(must[1]["term"][c.field].AsString() == "n2");
  CHECK(search["aggs"]["cpu"]["avg"]["field"].AsString() == "host.cpu.usage");
  CHECK(search["aggs"]["mem"]["avg"]["field"].AsString() == "system.memory.actual.used.pct");
}

TEST_CASE("custom metrics: one question for all nodes, of either version", "[scheduler][load]") {
  const bool old = GENERATE(false, true);
  LoadBed bed([old](const net::Request& request) {
    if (old && absl::StrContains(request.target, "v1beta2")) {
      return Text(R"({"kind":"Status","code":404,"reason":"NotFound"})", 404);
    }
    const bool cpu = absl::StrContains(request.target, "node_cpu_usage_avg");
    return Text(StrCat(
        R"({"items":[{"describedObject":{"name":"n1"},"timestamp":"2025-12-31T23:59:00Z","value":")",
        cpu ? "250m" : "1", R"("},{"describedObject":{"name":"other"},"value":"1"}]})"));
  });
  bed.poller->Configure({{"type", "prometheus_adaptor"}});
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.Load("n1") == "25/100");
  CHECK(bed.Load("other").empty());
  CHECK(bed.Age("n1") >= 60);
  CHECK(bed.asked.size() == (old ? 4 : 2));
  CHECK(bed.asked.back().target == StrCat("/apis/custom.metrics.k8s.io/v1beta", old ? 1 : 2,
                                          "/nodes/*/node_memory_usage_avg"));
}

TEST_CASE("local: a file of percentages", "[scheduler][load]") {
  const test::TempFolder folder;
  const std::string path =
      folder.Write("loads.json", R"({"n1":{"cpu":10,"memory":20},"gone":{"cpu":1,"memory":1}})");
  LoadBed bed(GoodPrometheus);
  bed.poller->Configure({{"type", "local"}, {"address", path}});
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.Load("n1") == "10/20");
  CHECK(bed.Load("gone").empty());
  folder.Write("loads.json", R"({"n1":{"cpu":)");
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.Load("n1") == "10/20");
  folder.Write("loads.json", R"({"n1":{"cpu":30,"memory":20}})");
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.Load("n1") == "30/20");
  CHECK(bed.asked.empty());
}

}  // namespace
}  // namespace bth::scheduler::node_load
