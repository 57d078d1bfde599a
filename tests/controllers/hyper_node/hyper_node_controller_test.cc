#include "controllers/hyper_node/hyper_node_controller.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_join.h"
#include "api/types/json.h"
#include "base/strings.h"
#include "tests/controllers/controller_bed.h"
#include "tests/support/catch.h"

namespace bth::controllers {
namespace {

using types::Json;

constexpr const char* kHyperNodes = "/apis/topology.volcano.sh/v1alpha1/hypernodes";
constexpr const char* kTopologyConfigMap =
    "/api/v1/namespaces/volcano-system/configmaps/volcano-controller-configmap";
constexpr const char* kSecrets = "/api/v1/namespaces/volcano-system/secrets";

constexpr const char* kLabelConfig = R"(networkTopologyDiscovery:
- source: label
  enabled: true
  config:
    networkTopologyTypes:
      fabric:
      - nodeLabel: spine
      - nodeLabel: rack
      - nodeLabel: kubernetes.io/hostname
)";

constexpr const char* kUfmConfig = R"(networkTopologyDiscovery:
- source: ufm
  enabled: true
  interval: 10m
  credentials:
    secretRef: {name: login, namespace: volcano-system}
  config: {endpoint: "ufm:8080", insecureSkipVerify: true}
)";

class HyperNodeBed : public test::ControllerBed {
 public:
  HyperNodeBed() { MakeSystemNamespace(); }
  ~HyperNodeBed() { Kill(); }

  void StartHyperNodes() {
    Start({[this](const ControllerContext& context) {
      return std::make_unique<HyperNodeController>(
          context, [this](WebRequest request) { return Answer(std::move(request)); });
    }});
    Wait(absl::Seconds(1));
  }
  net::Awaitable<absl::StatusOr<std::string>> Answer(WebRequest request) {
    asked.push_back(StrCat(request.url, " ", request.username, ":", request.password,
                           request.insecure_skip_verify ? " insecure" : ""));
    co_return answer;
  }

  static std::string Path(const std::string& name) { return StrCat(kHyperNodes, "/", name); }
  void MakeNode(const std::string& name, const std::string& labels = "{}") {
    Create("/api/v1/nodes", StrCat(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")", name,
                                   R"(","labels":)", labels, "}}"));
    Wait(absl::Seconds(1));
  }
  void MakeHyperNode(const std::string& name, const std::string& members,
                     const std::string& source = "") {
    const std::string labels =
        source.empty()
            ? ""
            : StrCat(R"(,"labels":{"volcano.sh/network-topology-source":")", source, R"("})");
    Create(kHyperNodes, StrCat(R"({"apiVersion":"topology.volcano.sh/v1alpha1",)",
                               R"("kind":"HyperNode","metadata":{"name":")", name, "\"", labels,
                               R"(},"spec":{"tier":1,"members":)", members, "}}"));
    Wait(absl::Seconds(1));
  }
  static std::string Exact(const std::string& name) {
    return StrCat(R"({"type":"Node","selector":{"exactMatch":{"name":")", name, R"("}}})");
  }
  int64_t Count(const std::string& name) {
    return Get(Path(name)).At({"status", "nodeCount"}).AsInt();
  }
  std::string Members(const std::string& name) {
    std::vector<std::string> names;
    const Json object = Get(Path(name));
    for (const Json& member : object.At({"spec", "members"}).items()) {
      names.emplace_back(member.At({"selector", "exactMatch", "name"}).AsString());
    }
    return absl::StrJoin(names, " ");
  }
  void Configure(const std::string& text, const std::string& key = "volcano-controller.conf") {
    PutConfig("volcano-controller-configmap", key, text);
  }
  void MakeLogin(const std::string& password) {
    Create(kSecrets, StrCat(R"({"apiVersion":"v1","kind":"Secret","metadata":)",
                            R"({"name":"login"},"data":{"username":")", absl::Base64Escape("admin"),
                            R"(","password":")", absl::Base64Escape(password), R"("}})"));
  }
  std::vector<std::string> HyperNodes() { return Names(kHyperNodes); }

  std::vector<std::string> asked;
  absl::StatusOr<std::string> answer = std::string("[]");
};

std::string LinkedPort(const std::string& leaf, const std::string& node) {
  return StrCat(R"({"description":"Computer IB Port","system_name":")", node,
                R"(","peer_node_name":")", leaf, R"("})");
}

TEST_CASE("node count: written once, and only when it differs", "[controllers][hyper_node]") {
  HyperNodeBed bed;
  bed.MakeHyperNode("h", StrCat("[", HyperNodeBed::Exact("a"), ",", HyperNodeBed::Exact("b"), "]"));
  bed.StartHyperNodes();
  CHECK(bed.Count("h") == 2);
  CHECK(bed.writes == 1);
  bed.Kill();
  bed.StartHyperNodes();
  bed.Wait(absl::Hours(1));
  CHECK(bed.writes == 1);
}

TEST_CASE("node count: follows nodes that come, change and go", "[controllers][hyper_node]") {
  HyperNodeBed bed;
  bed.MakeHyperNode("by-name", R"([{"type":"Node","selector":{"regexMatch":{"pattern":"^n"}}}])");
  bed.MakeHyperNode("by-label", R"([{"type":"Node","selector":{"labelMatch":)"
                                R"({"matchLabels":{"zone":"east"}}}}])");
  bed.StartHyperNodes();
  bed.MakeNode("n1");
  bed.MakeNode("n2", R"({"zone":"east"})");
  CHECK(bed.Count("by-name") == 2);
  CHECK(bed.Count("by-label") == 1);
  bed.Patch("/api/v1/nodes/n1", R"({"metadata":{"labels":{"zone":"east"}}})");
  bed.Wait(absl::Seconds(1));
  CHECK(bed.Count("by-label") == 2);
  bed.Call("DELETE", "/api/v1/nodes/n2");
  bed.Wait(absl::Seconds(1));
  CHECK(bed.Count("by-name") == 1);
  CHECK(bed.Count("by-label") == 1);
}

TEST_CASE("node count: a write that fails is tried again", "[controllers][hyper_node]") {
  HyperNodeBed bed;
  bed.MakeHyperNode("h", StrCat("[", HyperNodeBed::Exact("a"), "]"));
  int failures = 3;
  bed.line->script = [&failures](const net::Request& request) -> std::optional<test::Fault> {
    if (request.method != "PATCH" || failures == 0) return std::nullopt;
    --failures;
    return test::Fault{.code = 500, .reason = "InternalError"};
  };
  bed.StartHyperNodes();
  CHECK(failures == 0);
  CHECK(bed.Count("h") == 1);
}

TEST_CASE("label source: HyperNodes follow the nodes' labels", "[controllers][hyper_node]") {
  HyperNodeBed bed;
  bed.MakeNode("a", R"({"rack":"r0","spine":"s0"})");
  bed.MakeNode("b", R"({"rack":"r0","spine":"s0"})");
  bed.MakeHyperNode("mine", StrCat("[", HyperNodeBed::Exact("a"), "]"));
  bed.StartHyperNodes();
  CHECK(bed.HyperNodes() == std::vector<std::string>{"mine"});
  bed.Configure(kLabelConfig);
  std::vector<std::string> names = bed.HyperNodes();
  REQUIRE(names.size() == 3);
  const std::string rack = names[0], spine = names[1];
  CHECK(bed.Members(rack) == "a b");
  CHECK(bed.Members(spine) == rack);
  CHECK(bed.Count(rack) == 2);
  const Json object = bed.Get(HyperNodeBed::Path(rack));
  CHECK(object.At({"spec", "tierName"}).AsString() == "rack");
  CHECK(object.At({"metadata", "labels", "rack"}).AsString() == "r0");
  CHECK(object.At({"metadata", "labels", "volcano.sh/network-topology-source"}).AsString() ==
        "label");

  bed.MakeNode("c", R"({"rack":"r0","spine":"s0"})");
  CHECK(bed.Members(rack) == "a b c");
  CHECK(bed.Count(rack) == 3);
  bed.Patch("/api/v1/nodes/a", R"({"metadata":{"labels":{"rack":null}}})");
  bed.Wait(absl::Seconds(1));
  CHECK(bed.Members(rack) == "b c");
  // One that somebody deletes is made anew, under the same name.
  bed.Call("DELETE", HyperNodeBed::Path(rack));
  bed.Wait(absl::Seconds(1));
  CHECK(bed.Members(rack) == "b c");
  CHECK(bed.Count(rack) == 2);
  CHECK(bed.HyperNodes().size() == 3);
}

TEST_CASE("label source: nothing is written when nothing changed", "[controllers][hyper_node]") {
  HyperNodeBed bed;
  bed.MakeNode("a", R"({"rack":"r0","spine":"s0"})");
  bed.Configure(kLabelConfig);
  bed.StartHyperNodes();
  REQUIRE(bed.HyperNodes().size() == 2);
  bed.Kill();
  const size_t writes = bed.writes;
  bed.StartHyperNodes();
  bed.Patch("/api/v1/nodes/a", R"({"metadata":{"labels":{"other":"x"}}})");
  bed.Wait(absl::Hours(2));
  CHECK(bed.writes == writes);
}

TEST_CASE("label source: a pass whose writes fail is repeated", "[controllers][hyper_node]") {
  HyperNodeBed bed;
  bed.MakeNode("a", R"({"rack":"r0","spine":"s0"})");
  bed.Configure(kLabelConfig);
  int failures = 4;
  bed.line->script = [&failures](const net::Request& request) -> std::optional<test::Fault> {
    if (request.method != "POST" || failures == 0) return std::nullopt;
    --failures;
    return failures % 2 == 0 ? test::Fault{.answer_lost = true} : test::Fault{.code = 500};
  };
  bed.StartHyperNodes();
  bed.Wait(absl::Minutes(2));
  CHECK(failures == 0);
  CHECK(bed.HyperNodes().size() == 2);
}

TEST_CASE("label source: a kill at any write leaves nothing twice", "[controllers][hyper_node]") {
  for (int after = 1; after <= 3; ++after) {
    HyperNodeBed bed;
    bed.MakeNode("a", R"({"rack":"r0","spine":"s0"})");
    bed.Configure(kLabelConfig);
    int left = after;
    bed.line->script = [&left](const net::Request& request) -> std::optional<test::Fault> {
      if (request.method == "GET" || left-- > 0) return std::nullopt;
      test::Fault fault;
      fault.unsent = true;
      return fault;
    };
    bed.StartHyperNodes();
    bed.Kill();
    bed.line->script = nullptr;
    bed.StartHyperNodes();
    CAPTURE(after);
    CHECK(bed.HyperNodes().size() == 2);
  }
}

TEST_CASE("discovery: a bad configuration changes nothing", "[controllers][hyper_node]") {
  const auto [text, key] = GENERATE(table<std::string, std::string>(
      {{"networkTopologyDiscovery: [{source: label", "volcano-controller.conf"},
       {"networkTopologyDiscovery: 5", "volcano-controller.conf"},
       {"networkTopologyDiscovery: []", "other-key"}}));
  CAPTURE(text);
  HyperNodeBed bed;
  bed.MakeNode("a", R"({"rack":"r0","spine":"s0"})");
  bed.Configure(kLabelConfig);
  bed.StartHyperNodes();
  bed.Configure(text, key);
  bed.MakeNode("b", R"({"rack":"r1"})");
  CHECK(bed.HyperNodes().size() == 3);
}

TEST_CASE("discovery: a source that is switched off leaves its HyperNodes",
          "[controllers][hyper_node]") {
  const bool deleted = GENERATE(false, true);
  HyperNodeBed bed;
  bed.MakeNode("a", R"({"rack":"r0","spine":"s0"})");
  bed.Configure(kLabelConfig);
  bed.StartHyperNodes();
  if (deleted) {
    bed.Call("DELETE", kTopologyConfigMap);
    bed.Wait(absl::Seconds(1));
  } else {
    bed.Configure("networkTopologyDiscovery: [{source: label, enabled: false}]");
  }
  bed.MakeNode("b", R"({"rack":"r1"})");
  CHECK(bed.HyperNodes().size() == 2);
}

TEST_CASE("discovery: another ConfigMap's text is not read", "[controllers][hyper_node]") {
  HyperNodeBed bed;
  bed.MakeNode("a", R"({"rack":"r0","spine":"s0"})");
  bed.PutConfig("somebody-elses", "volcano-controller.conf", kLabelConfig);
  bed.StartHyperNodes();
  CHECK(bed.HyperNodes().empty());
}

TEST_CASE("ufm source: creates, updates and deletes its own", "[controllers][hyper_node]") {
  HyperNodeBed bed;
  bed.MakeLogin("hush");
  bed.MakeHyperNode("leaf-hn-0", StrCat("[", HyperNodeBed::Exact("old"), "]"), "ufm");
  bed.MakeHyperNode("leaf-hn-9", StrCat("[", HyperNodeBed::Exact("old"), "]"), "ufm");
  bed.MakeHyperNode("roce-hn", StrCat("[", HyperNodeBed::Exact("old"), "]"), "roce");
  bed.answer = StrCat("[", LinkedPort("l0", "n0"), ",", LinkedPort("l1", "n1"), "]");
  bed.Configure(kUfmConfig);
  bed.StartHyperNodes();
  CHECK(bed.asked ==
        std::vector<std::string>{"https://ufm:8080/ufmRest/resources/ports admin:hush insecure"});
  CHECK(bed.HyperNodes() ==
        std::vector<std::string>{"leaf-hn-0", "leaf-hn-1", "roce-hn", "spine-hn"});
  CHECK(bed.Members("leaf-hn-0") == "n0");
  CHECK(bed.Count("leaf-hn-0") == 1);
  // Nothing to write, but asked again; then nobody is left.
  const size_t writes = bed.writes;
  bed.Wait(absl::Minutes(10));
  CHECK(bed.asked.size() == 2);
  CHECK(bed.writes == writes);
  bed.answer = std::string("[]");
  bed.Wait(absl::Minutes(10));
  CHECK(bed.HyperNodes() == std::vector<std::string>{"roce-hn"});
}

TEST_CASE("ufm source: a failure changes nothing and is tried again", "[controllers][hyper_node]") {
  HyperNodeBed bed;
  bed.MakeLogin("hush");
  bed.answer = StrCat("[", LinkedPort("l0", "n0"), "]");
  bed.Configure(kUfmConfig);
  bed.StartHyperNodes();
  REQUIRE(bed.HyperNodes().size() == 2);
  bed.answer = absl::FailedPreconditionError("HTTP 500: broken");
  bed.Wait(absl::Minutes(10));
  CHECK(bed.asked.size() == 2);
  bed.answer = std::string("not JSON");
  bed.Wait(absl::Minutes(1));
  CHECK(bed.asked.size() == 3);
  CHECK(bed.HyperNodes().size() == 2);
  bed.answer = std::string("[]");
  bed.Wait(absl::Minutes(1));
  CHECK(bed.HyperNodes().empty());
}

TEST_CASE("ufm source: the Secret may come later and change", "[controllers][hyper_node]") {
  HyperNodeBed bed;
  bed.Configure(kUfmConfig);
  bed.StartHyperNodes();
  bed.Wait(absl::Minutes(5));
  CHECK(bed.asked.empty());
  bed.MakeLogin("first");
  bed.Wait(absl::Minutes(1));
  REQUIRE(bed.asked.size() == 1);
  bed.Patch(StrCat(kSecrets, "/login"),
            StrCat(R"({"data":{"password":")", absl::Base64Escape("second"), R"("}})"));
  bed.Wait(absl::Minutes(10));
  REQUIRE(bed.asked.size() == 2);
  CHECK(absl::StrContains(bed.asked[1], "admin:second"));
}

TEST_CASE("ufm source: without an endpoint nothing is asked", "[controllers][hyper_node]") {
  HyperNodeBed bed;
  bed.MakeLogin("hush");
  bed.Configure(
      "networkTopologyDiscovery: [{source: ufm, enabled: true, credentials: {secretRef: {name: "
      "login}}}]");
  bed.StartHyperNodes();
  bed.Wait(absl::Hours(2));
  CHECK(bed.asked.empty());
}

TEST_CASE("discovery: two sources work side by side", "[controllers][hyper_node]") {
  HyperNodeBed bed;
  bed.MakeLogin("hush");
  bed.MakeNode("a", R"({"rack":"r0","spine":"s0"})");
  bed.answer = StrCat("[", LinkedPort("l0", "n0"), "]");
  std::string both = kUfmConfig;
  both += std::string(kLabelConfig).substr(std::string(kLabelConfig).find('\n') + 1);
  bed.Configure(both);
  bed.StartHyperNodes();
  CHECK(bed.HyperNodes().size() == 4);
}

}  // namespace
}  // namespace bth::controllers
