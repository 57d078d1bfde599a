// What is discovered, counted and planned: pure functions.
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "base/strings.h"
#include "controllers/hyper_node/discovery_plan.h"
#include "controllers/hyper_node/label_discovery.h"
#include "controllers/hyper_node/node_count.h"
#include "controllers/hyper_node/ufm_discovery.h"
#include "tests/controllers/doc_page.h"
#include "tests/support/catch.h"

namespace bth::controllers {
namespace {

using types::HyperNode;
using types::HyperNodeMember;
using types::LabelMap;

std::shared_ptr<const types::Node> MakeLabelledNode(const std::string& name, LabelMap labels = {}) {
  types::Node node;
  node.meta.name = name;
  node.meta.labels = std::move(labels);
  return std::make_shared<const types::Node>(std::move(node));
}

HyperNodeMember Exact(const std::string& name, const std::string& type = "Node") {
  HyperNodeMember member;
  member.type = type;
  member.exact_name = name;
  return member;
}
HyperNodeMember Pattern(const std::string& pattern, const std::string& type = "Node") {
  HyperNodeMember member;
  member.type = type;
  member.regex_pattern = pattern;
  return member;
}
HyperNodeMember Labelled(LabelMap labels) {
  HyperNodeMember member;
  member.type = "Node";
  member.label_match.emplace();
  member.label_match->match_labels = std::move(labels);
  return member;
}

TEST_CASE("node count: the union of what the members select", "[controllers][hyper_node]") {
  const NodeList nodes = {MakeLabelledNode("master"), MakeLabelledNode("node1", {{"zone", "east"}}),
                          MakeLabelledNode("node2", {{"zone", "west"}}), MakeLabelledNode("node3"),
                          MakeLabelledNode("node4")};
  HyperNodeMember no_selector;
  no_selector.type = "Node";
  HyperNodeMember bad_selector = Labelled({});
  bad_selector.label_match->match_expressions = {{"zone", types::SelectorOp::kIn, {}}};
  struct Case {
    std::string name;
    std::vector<HyperNodeMember> members;
    int64_t expect;
    bool depends;
  };
  const Case c = GENERATE_COPY(values<Case>({
      {"three exact", {Exact("node1"), Exact("node2"), Exact("node3")}, 3, false},
      {"exact names need no object", {Exact("gone"), Exact("node1")}, 2, false},
      {"exact, labels and pattern overlap",
       {Exact("master"), Labelled({{"zone", "east"}}), Pattern("node[1-3]")},
       4,
       true},
      {"patterns of HyperNode members match nodes too",
       {Exact("master"), no_selector, Pattern("node[2-4]", "HyperNode")},
       4,
       true},
      {"patterns match anywhere", {Pattern("ode")}, 4, true},
      {"anchors hold", {Pattern("^ode")}, 0, true},
      {"a bad pattern selects nothing", {Pattern("node[")}, 0, true},
      {"an empty selector selects nothing", {Labelled({})}, 0, true},
      {"a bad selector selects nothing", {bad_selector}, 0, true},
      {"no members", {}, 0, false},
  }));
  CAPTURE(c.name);
  HyperNode object;
  object.members = c.members;
  CHECK(CountNodes(object, nodes) == c.expect);
  CHECK(DependsOnNodes(object) == c.depends);
}

const std::vector<conf::TopologyType> kTypes = {{"topologyA2", {"rack", "spine"}}};

// Eight nodes, two to a rack, two racks to a spine.
NodeList EightLabelledNodes() {
  NodeList nodes;
  for (int i = 0; i < 8; ++i) {
    nodes.push_back(MakeLabelledNode(
        StrCat("node-", i), {{"rack", StrCat("r", i / 2)}, {"spine", StrCat("s", i / 4)}}));
  }
  return nodes;
}

// "tier=1 rack=r0: Node/node-0 Node/node-1" for each, in order; names replaced by their labels.
std::vector<std::string> Describe(const std::vector<HyperNode>& made) {
  const auto label_of = [&made](const std::string& name) {
    for (const HyperNode& object : made) {
      if (object.meta.name == name) {
        return StrCat(object.tier_name, "=", object.meta.labels.begin()->second);
      }
    }
    return name;
  };
  std::vector<std::string> texts;
  for (const HyperNode& object : made) {
    std::vector<std::string> members;
    for (const HyperNodeMember& member : object.members) {
      members.push_back(StrCat(member.type, "/", label_of(member.exact_name)));
    }
    std::sort(members.begin(), members.end());
    texts.push_back(StrCat("tier=", object.tier, " ", label_of(object.meta.name), ": ",
                           absl::StrJoin(members, " ")));
  }
  return texts;
}

std::vector<HyperNode> Discover(NodeList nodes, HyperNodeList known = {}) {
  auto made = DiscoverByLabels(kTypes, std::move(nodes), std::move(known));
  REQUIRE(made.ok());
  return *made;
}

HyperNodePtr Existing(const std::string& name, LabelMap labels) {
  HyperNode object;
  object.meta.name = name;
  object.meta.labels = std::move(labels);
  return std::make_shared<const HyperNode>(std::move(object));
}

TEST_CASE("label discovery: racks and spines", "[controllers][hyper_node]") {
  CHECK(Describe(Discover(EightLabelledNodes())) ==
        std::vector<std::string>{
            "tier=1 rack=r0: Node/node-0 Node/node-1", "tier=1 rack=r1: Node/node-2 Node/node-3",
            "tier=1 rack=r2: Node/node-4 Node/node-5", "tier=1 rack=r3: Node/node-6 Node/node-7",
            "tier=2 spine=s0: HyperNode/rack=r0 HyperNode/rack=r1",
            "tier=2 spine=s1: HyperNode/rack=r2 HyperNode/rack=r3"});
}

TEST_CASE("label discovery: a missing label ends the way up", "[controllers][hyper_node]") {
  CHECK(Describe(Discover({MakeLabelledNode("a", {{"rack", "r0"}, {"spine", "s0"}}),
                           MakeLabelledNode("b", {{"rack", "r1"}}), MakeLabelledNode("c")})) ==
        std::vector<std::string>{"tier=1 rack=r0: Node/a", "tier=1 rack=r1: Node/b",
                                 "tier=2 spine=s0: HyperNode/rack=r0"});
  CHECK(Describe(Discover({MakeLabelledNode("a", {{"spine", "s0"}}),
                           MakeLabelledNode("b", {{"rack", "r1"}}),
                           MakeLabelledNode("c", {{"spine", "s0"}})})) ==
        std::vector<std::string>{"tier=1 rack=r1: Node/b"});
}

TEST_CASE("label discovery: names follow from labels alone", "[controllers][hyper_node]") {
  NodeList nodes = EightLabelledNodes();
  const std::vector<HyperNode> made = Discover(nodes);
  std::reverse(nodes.begin(), nodes.end());
  CHECK(Discover(nodes) == made);
  std::set<std::string> names;
  for (const HyperNode& object : made) {
    names.insert(object.meta.name);
    const std::string prefix = StrCat("hypernode-topologya2-tier", object.tier, "-");
    CHECK(absl::StartsWith(object.meta.name, prefix));
    const std::string suffix = object.meta.name.substr(prefix.size());
    CHECK(suffix.size() == 5);
    CHECK(suffix.find_first_not_of("bcdfghjklmnpqrstvwxz2456789") == std::string::npos);
  }
  CHECK(names.size() == 6);
}

TEST_CASE("label discovery: what exists is used again", "[controllers][hyper_node]") {
  const std::string source(kTopologySourceLabel);
  const NodeList nodes = {MakeLabelledNode("a", {{"rack", "r0"}})};
  const auto name_with = [&](const HyperNodePtr& known) {
    return Discover(nodes, {known}).front().meta.name;
  };
  const std::string fresh = Discover(nodes).front().meta.name;
  const std::string ours = "hypernode-topologya2-tier1-zzzzz";
  CHECK(name_with(Existing(ours, {{"rack", "r0"}, {source, "label"}})) == ours);
  CHECK(name_with(Existing(ours, {{"rack", "r1"}, {source, "label"}})) == fresh);
  CHECK(name_with(Existing(ours, {{"rack", "r0"}, {source, "ufm"}})) == fresh);
  // Tier 1 is not a beginning of tier 10.
  const std::string tenth = "hypernode-topologya2-tier10-zzzzz";
  CHECK(name_with(Existing(tenth, {{"rack", "r0"}, {source, "label"}})) == fresh);
  // A name that somebody else has is not given out.
  const std::string second = name_with(Existing(fresh, {}));
  CHECK(second != fresh);
  CHECK(second == name_with(Existing(fresh, {})));
}

TEST_CASE("label discovery: the first of several that exist", "[controllers][hyper_node]") {
  const std::string source(kTopologySourceLabel);
  const LabelMap labels = {{"rack", "r0"}, {source, "label"}};
  const HyperNodePtr b = Existing("hypernode-topologya2-tier1-bbbbb", labels);
  const HyperNodePtr c = Existing("hypernode-topologya2-tier1-ccccc", labels);
  CHECK(Discover({MakeLabelledNode("a", {{"rack", "r0"}})}, {c, b}).front().meta.name ==
        b->meta.name);
}

TEST_CASE("label discovery: types share the HyperNodes of a label", "[controllers][hyper_node]") {
  const std::vector<conf::TopologyType> types = {{"one", {"rack", "spine"}}, {"two", {"rack"}}};
  const auto made = DiscoverByLabels(types, EightLabelledNodes(), {});
  REQUIRE(made.ok());
  CHECK(made->size() == 6);
}

TEST_CASE("label discovery: what another type made for a label is not used again (I13)",
          "[controllers][hyper_node]") {
  const std::string source(kTopologySourceLabel);
  const std::vector<conf::TopologyType> types = {{"topologyA2", {"torA2-1", "torA2-2"}},
                                                 {"topologyA3", {"torA3-1", "torA3-2"}},
                                                 {"topologyA5", {"torA5-1", "torA5-2"}}};
  const NodeList nodes = {MakeLabelledNode("node0", {{"torA3-1", "s0"}})};
  for (const char* foreign :
       {"hypernode-topologya2-tier1-mnsx6", "hypernode-topologya5-tier1-mnsx6"}) {
    const auto made =
        DiscoverByLabels(types, nodes, {Existing(foreign, {{"torA3-1", "s0"}, {source, "label"}})});
    REQUIRE(made.ok());
    REQUIRE(made->size() == 1);
    CHECK(absl::StartsWith(made->front().meta.name, "hypernode-topologya3-tier1-"));
    CHECK(made->front().members == std::vector<HyperNodeMember>{Exact("node0")});
  }
}

TEST_CASE("label discovery: type names become parts of names", "[controllers][hyper_node]") {
  CHECK(CleanTypeName("TopologyA2") == "topologya2");
  CHECK(CleanTypeName("a_b.c-d/9") == "a-b.c-d-9");
  CHECK(CleanTypeName("x\xe7\xbd\x91y") == "x-y");
}

TEST_CASE("discovery plan: only what differs is written", "[controllers][hyper_node]") {
  const std::string source(kTopologySourceLabel);
  HyperNode same;
  same.meta.name = "same";
  same.meta.labels = {{source, "ufm"}, {"mine", "kept"}};
  same.tier = 1;
  same.members = {Exact("n1")};
  same.node_count = 1;
  HyperNode changed = same;
  changed.meta.name = "changed";
  const HyperNodeList known = {std::make_shared<const HyperNode>(same),
                               std::make_shared<const HyperNode>(changed),
                               Existing("old", {{source, "ufm"}}),
                               Existing("roce", {{source, "roce"}}), Existing("by-hand", {})};
  HyperNode found = same;
  found.meta.labels = {{"new", "label"}};
  found.node_count = 0;
  HyperNode found_same = found;
  found_same.meta.labels = {};
  found.meta.name = "changed";
  found.members = {Exact("n2")};
  HyperNode fresh = found;
  fresh.meta.name = "fresh";
  HyperNode taken = found;
  taken.meta.name = "by-hand";
  const DiscoveryPlan plan = PlanDiscovery("ufm", {found_same, found, fresh, taken}, known);
  REQUIRE(plan.create.size() == 1);
  CHECK(plan.create[0].meta.name == "fresh");
  CHECK(plan.create[0].meta.Label(source) == "ufm");
  REQUIRE(plan.update.size() == 1);
  const HyperNode& after = plan.update[0].after;
  CHECK(after.meta.name == "changed");
  CHECK(after.members == std::vector<HyperNodeMember>{Exact("n2")});
  CHECK(after.meta.Label("mine") == "kept");
  CHECK(after.meta.Label("new") == "label");
  CHECK(after.node_count == 1);
  REQUIRE(plan.remove.size() == 1);
  CHECK(plan.remove[0]->meta.name == "old");
  CHECK(plan.foreign == std::vector<std::string>{"by-hand"});
}

std::string Port(const std::string& leaf, const std::string& node,
                 const std::string& description = "Computer IB Port") {
  return StrCat(R"({"description":")", description, R"(","tier":1,"system_name":")", node,
                R"(","node_description":"x","peer_node_name":")", leaf, R"("})");
}

TEST_CASE("ufm: leaves that share a node form a group", "[controllers][hyper_node]") {
  std::vector<std::string> ports = {Port("leaf0", "leaf1", "Switch IB Port")};
  for (int i = 0; i < 8; ++i) {
    const int group = i / 4;
    for (int leaf = 0; leaf < 2; ++leaf) {
      ports.push_back(Port(StrCat("leaf", group * 2 + leaf), StrCat("node", i)));
    }
  }
  const auto parsed = ParseUfmPorts(StrCat("[", absl::StrJoin(ports, ",\n"), "]"));
  INFO(parsed.status().ToString());
  REQUIRE(parsed.ok());
  CHECK(parsed->links.size() == 16);
  const std::vector<HyperNode> made = HyperNodesOfLinks(parsed->links);
  REQUIRE(made.size() == 3);
  const auto members = [](const HyperNode& object) {
    std::string text = StrCat(object.meta.name, " ", object.tier, ":");
    for (const HyperNodeMember& member : object.members) {
      StrAppend(&text, " ", member.type, "/", member.exact_name);
    }
    return text;
  };
  CHECK(members(made[0]) == "leaf-hn-0 1: Node/node0 Node/node1 Node/node2 Node/node3");
  CHECK(members(made[1]) == "leaf-hn-1 1: Node/node4 Node/node5 Node/node6 Node/node7");
  CHECK(members(made[2]) == "spine-hn 2: HyperNode/leaf-hn-0 HyperNode/leaf-hn-1");
}

TEST_CASE("ufm: a chain of shared nodes is one group, whatever its order",
          "[controllers][hyper_node]") {
  const std::vector<HyperNode> made =
      HyperNodesOfLinks({{"d", "n3"}, {"c", "n2"}, {"b", "n1"}, {"c", "n1"}, {"d", "n2"}});
  REQUIRE(made.size() == 2);
  CHECK(made[0].members.size() == 3);
  CHECK(HyperNodesOfLinks({}).empty());
}

TEST_CASE("ufm: answers that cannot be used", "[controllers][hyper_node]") {
  struct Case {
    std::string text, message;
  };
  const Case c = GENERATE(values<Case>({
      {"", "not a JSON array"},
      {"{}", "not a JSON array"},
      {"[1]", "offset 1: an object expected"},
      {"[{}", "offset 3: `,` or `]` expected"},
      {"[{},]", "offset 4: an object expected"},
      {"[{\"a\":\"}\"", "the text ends inside of an object"},
      {"[{]}]", "port 0: "},
      {"[] x", "offset 3: text behind the end"},
  }));
  CAPTURE(c.text);
  const auto parsed = ParseUfmPorts(c.text);
  REQUIRE_FALSE(parsed.ok());
  CHECK(absl::StrContains(std::string(parsed.status().message()), c.message));
}

TEST_CASE("ufm: ports without leaf or node name are passed over", "[controllers][hyper_node]") {
  const std::vector<std::string> ports = {
      Port("", "n1"),       Port("leaf", ""),    Port("leaf", "Not A Node"),
      Port("leaf", "a..b"), Port("leaf", "-a"),  Port("leaf", "a.-b"),
      Port("leaf", "a-"),   Port("leaf", "a-b"), Port("leaf", "a--b.c9")};
  const auto parsed = ParseUfmPorts(StrCat("[", absl::StrJoin(ports, ","), "]"));
  REQUIRE(parsed.ok());
  CHECK(parsed->links == std::vector<UfmLink>{{"leaf", "a-b"}, {"leaf", "a--b.c9"}});
  CHECK(parsed->skipped == 7);
}

TEST_CASE("ufm: what the configuration lacks is said", "[controllers][hyper_node]") {
  conf::TopologySource source;
  source.source = "ufm";
  CHECK(absl::StrContains(CheckUfmSource(source).ToString(), "UFM endpoint is not configured"));
  source.endpoint = "ufm:8080";
  CHECK(absl::StrContains(CheckUfmSource(source).ToString(),
                          "UFM authentication credentials are not configured"));
  source.secret_name = "login";
  CHECK(CheckUfmSource(source).ok());
  source.endpoint = "https://me:hush@ufm";
  CHECK_FALSE(CheckUfmSource(source).ok());
  CHECK_FALSE(absl::StrContains(CheckUfmSource(source).ToString(), "hush"));
}

TEST_CASE("ufm: the login comes from a Secret", "[controllers][hyper_node]") {
  types::Secret secret;
  secret.meta.ns = "volcano-system";
  secret.meta.name = "login";
  CHECK(absl::StrContains(UfmLoginOf(secret).status().ToString(), "has no username"));
  secret.data.Set("username", absl::Base64Escape("admin"));
  CHECK(absl::StrContains(UfmLoginOf(secret).status().ToString(), "has no password"));
  secret.data.Set("password", "*hush*");
  CHECK(absl::StrContains(UfmLoginOf(secret).status().ToString(), "password is not base64"));
  CHECK_FALSE(absl::StrContains(UfmLoginOf(secret).status().ToString(), "hush"));
  secret.data.Set("password", absl::Base64Escape("hush"));
  const auto login = UfmLoginOf(secret);
  REQUIRE(login.ok());
  CHECK(login->username == "admin");
  CHECK(login->password == "hush");
}

TEST_CASE("ufm: the URL", "[controllers][hyper_node]") {
  CHECK(UfmUrl("ufm:8080") == "https://ufm:8080/ufmRest/resources/ports");
  CHECK(UfmUrl("http://ufm//") == "http://ufm/ufmRest/resources/ports");
}

TEST_CASE("hyper node page: its example does what the page says", "[controllers][docs]") {
  const auto read = conf::ParseTopologyDiscovery(test::ExampleOf("hyper_node.md"));
  INFO(read.status().ToString());
  REQUIRE(read.ok());
  CHECK(read->findings.empty());
  REQUIRE(read->sources.size() == 2);
  const LabelMap labels = {{"example.com/rack", "r0"}, {"example.com/spine", "s0"}};
  const auto made = DiscoverByLabels(
      read->sources[0].types, {MakeLabelledNode("a", labels), MakeLabelledNode("b", labels)}, {});
  REQUIRE(made.ok());
  CHECK(Describe(*made) ==
        std::vector<std::string>{"tier=1 example.com/rack=r0: Node/a Node/b",
                                 "tier=2 example.com/spine=s0: HyperNode/example.com/rack=r0"});
  CHECK(CheckUfmSource(read->sources[1]).ok());
}

}  // namespace
}  // namespace bth::controllers
