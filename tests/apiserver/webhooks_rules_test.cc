// Configurations of webhooks: rules, defaults, places of calls, match conditions.
#include <string>
#include <vector>

#include "apiserver/webhooks/endpoint.h"
#include "apiserver/webhooks/review.h"
#include "tests/apiserver/webhooks_bed.h"
#include "tests/support/catch.h"

namespace bth::apiserver::testing {
namespace {

TEST_CASE("webhooks: what a configuration leaves out is filled in", "[apiserver][webhooks]") {
  HookBed bed;
  const bool mutating = GENERATE(false, true);
  const Answer made =
      AddHook(bed, mutating, "a", R"({"clientConfig":{"service":{"name":"s","namespace":"n"}}})");
  REQUIRE(made.code == 201);
  const Json& hook = made.body["webhooks"][size_t{0}];
  CHECK(hook["failurePolicy"].AsString() == "Fail");
  CHECK(hook["matchPolicy"].AsString() == "Equivalent");
  CHECK(hook["timeoutSeconds"].AsInt() == 10);
  CHECK(hook["namespaceSelector"].is_object());
  CHECK(hook["objectSelector"].is_object());
  CHECK(hook["rules"][size_t{0}]["scope"].AsString() == "*");
  CHECK(hook.At({"clientConfig", "service", "port"}).AsInt() == 443);
  CHECK(hook["reinvocationPolicy"].AsString() == (mutating ? "Never" : ""));
  CHECK(made.at({"metadata", "generation"}) == "1");
}

TEST_CASE("webhooks: a broken configuration is refused with its rule", "[apiserver][webhooks]") {
  struct Case {
    std::string more;
    std::string message;  // Behind webhooks[0].
  };
  const Case c = GENERATE(values<Case>({
      {R"({"name":"short"})",
       R"(name: Invalid value: "short": should be a domain with at least three segments separated by dots)"},
      {R"({"name":""})", "name: Required value"},
      {R"({"sideEffects":null})",
       "sideEffects: Required value: must specify one of None, NoneOnDryRun"},
      {R"({"sideEffects":"Some"})",
       R"(sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun")"},
      {R"({"timeoutSeconds":31})",
       "timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds"},
      {R"({"timeoutSeconds":0})",
       "timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds"},
      {R"({"failurePolicy":"Maybe"})",
       R"(failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore")"},
      {R"({"matchPolicy":"About"})",
       R"(matchPolicy: Unsupported value: "About": supported values: "Equivalent", "Exact")"},
      {R"({"admissionReviewVersions":[]})",
       "admissionReviewVersions: Required value: must specify one of v1, v1beta1"},
      {R"({"admissionReviewVersions":["v9"]})",
       R"(admissionReviewVersions: Invalid value: ["v9"]: must include at least one of v1, v1beta1)"},
      {R"({"clientConfig":{}})",
       "clientConfig: Required value: exactly one of url or service is required"},
      {R"({"clientConfig":{"url":"http://a/b"}})",
       R"(clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path])"},
      {R"({"clientConfig":{"url":"https://u:p@a/b"}})",
       R"(clientConfig.url: Invalid value: "u:p": user information is not permitted in the URL)"},
      {R"({"clientConfig":{"url":"https://a/b?c=d"}})",
       R"(clientConfig.url: Invalid value: "c=d": query parameters are not permitted in the URL)"},
      {R"({"clientConfig":{"service":{"namespace":"n"}}})",
       "clientConfig.service.name: Required value"},
      {R"({"clientConfig":{"service":{"name":"s","namespace":"n","port":0}}})",
       "clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and "
       "65535, inclusive"},
      {R"({"clientConfig":{"service":{"name":"s","namespace":"n","path":"x"}}})",
       R"(clientConfig.service.path: Invalid value: "x": must start with a '/')"},
      {R"({"rules":[{"operations":["MERGE"],"apiGroups":["*"],"apiVersions":["*"],
           "resources":["*"]}]})",
       R"(rules[0].operations[0]: Unsupported value: "MERGE": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE")"},
      {R"({"rules":[{"operations":["*","CREATE"],"apiGroups":["*"],"apiVersions":["*"],
           "resources":["*"]}]})",
       R"(rules[0].operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations)"},
      {R"({"rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],
           "resources":["pods/*","pods/status"]}]})",
       R"(rules[0].resources[1]: Invalid value: "pods/status": if 'pods/*' is present, must not specify pods/status)"},
      {R"({"objectSelector":{"matchExpressions":[{"key":"a","operator":"In"}]}})",
       "objectSelector.matchExpressions[0].values: Required value: must be specified when "
       "`operator` is 'In' or 'NotIn'"},
      {R"({"matchConditions":[{"name":"a","expression":""}]})",
       "matchConditions[0].expression: Required value"},
  }));
  CAPTURE(c.more);
  HookBed bed;
  const Answer refused = AddHook(bed, false, "a", c.more);
  CHECK(refused.code == 422);
  CHECK(refused.reason() == "Invalid");
  CHECK_THAT(refused.message(), Catch::Contains("webhooks[0]." + c.message));
}

TEST_CASE("webhooks: two of one name in a configuration are refused", "[apiserver][webhooks]") {
  HookBed bed;
  const Answer refused =
      bed.Post(ConfigurationsPath(true), Configuration(true, "c", {HookJson("a"), HookJson("a")}));
  CHECK(refused.message() ==
        "MutatingWebhookConfiguration.admissionregistration.k8s.io \"c\" is invalid: "
        "webhooks[1].name: Duplicate value: \"a.example.com\"");
}

TEST_CASE("webhooks: match conditions are compiled when they are written",
          "[apiserver][webhooks]") {
  HookBed bed;
  struct Case {
    std::string expression;
    std::string message;
  };
  const Case c = GENERATE(values<Case>({
      {"object.x +", "compilation failed: ERROR: <input>:1:11: Syntax error"},
      {"nothing == 1", "undeclared reference to 'nothing' (in container '')"},
      {"1", "must evaluate to bool but got int"},
      {"request.kindly == ''", "undefined field 'kindly'"},
  }));
  CAPTURE(c.expression);
  const Answer refused =
      AddHook(bed, false, "a",
              StrCat(R"({"matchConditions":[{"name":"x","expression":")", c.expression, "\"}]}"));
  CHECK(refused.code == 422);
  CHECK_THAT(refused.message(),
             Catch::Contains("webhooks[0].matchConditions[0].expression: Invalid value: ") &&
                 Catch::Contains(c.message));
}

TEST_CASE("webhooks: match conditions decide who is asked", "[apiserver][webhooks]") {
  struct Case {
    std::string expression;
    bool ignores;
    int code;
    size_t calls;
  };
  const Case c = GENERATE(values<Case>({
      {"object.metadata.name == 'c'", false, 201, 1},
      {"object.metadata.name != 'c'", false, 201, 0},
      {"request.operation == 'CREATE' && request.resource.resource == 'configmaps'", false, 201, 1},
      {"!('system:masters' in request.userInfo.groups)", false, 201, 1},
      {"oldObject == null", false, 201, 1},
      {"object.none.at.all == 1", false, 403, 0},
      {"object.none.at.all == 1", true, 201, 0},
      {"authorizer.group('').resource('pods').namespace('default').check('create').allowed()",
       false, 201, 1},
  }));
  CAPTURE(c.expression, c.ignores);
  HookBed bed;
  REQUIRE(AddHook(bed, false, "a",
                  StrCat(R"({"failurePolicy":")", c.ignores ? "Ignore" : "Fail",
                         R"(","matchConditions":[{"name":"x","expression":)",
                         Json(c.expression).Dump(), "}]}"))
              .code == 201);
  const Answer answer = bed.Post(kConfigs, ConfigJson("c"));
  CHECK(answer.code == c.code);
  CHECK(bed.calls().size() == c.calls);
  if (c.code == 403) {
    CHECK(answer.message() ==
          "configmaps \"c\" is forbidden: expression 'object.none.at.all == 1' resulted in error: "
          "no such key: none");
  }
}

TEST_CASE("webhooks: services are found on this machine", "[apiserver][webhooks]") {
  HookBed bed;
  AddHook(bed, false, "a",
          R"({"clientConfig":{"service":{"name":"hook","namespace":"default","path":"/p",
              "port":8443}}})");
  auto post = [&](std::string_view name) { return bed.Post(kConfigs, ConfigJson(name)); };
  const std::string prefix =
      "Internal error occurred: failed calling webhook \"a.example.com\": failed to call webhook: "
      "Post \"https://hook.default.svc:8443/p?timeout=10s\": ";
  CHECK(post("one").message() == prefix + "service \"hook\" not found");
  const std::string services = "/api/v1/namespaces/default/services";
  bed.Post(services, R"({"metadata":{"name":"hook"},"spec":{"ports":[{"port":443}]}})");
  CHECK(post("two").message() == prefix + "no service port 8443 found for service \"hook\"");
  REQUIRE(bed.Merge(services + "/hook",
                    R"({"spec":{"ports":[{"name":"h","port":8443,"targetPort":9001}]}})")
              .code == 200);
  REQUIRE(post("three").code == 201);
  CHECK(bed.endpoints().back().host == "127.0.0.1");
  CHECK(bed.endpoints().back().port == 9001);
  CHECK(bed.endpoints().back().server_name == "hook.default.svc");
  REQUIRE(bed.Post("/api/v1/namespaces/default/endpoints",
                   R"({"metadata":{"name":"hook"},"subsets":[{"addresses":[{"ip":"127.0.0.7"}],
                       "ports":[{"name":"h","port":9002}]}]})")
              .code == 201);
  REQUIRE(post("four").code == 201);
  CHECK(bed.endpoints().back().host == "127.0.0.7");
  REQUIRE(bed.Post("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
                   R"({"metadata":{"name":"s","labels":{"kubernetes.io/service-name":"hook"}},
                       "addressType":"IPv4","ports":[{"name":"h","port":9003}],"endpoints":[
                         {"addresses":["127.0.0.8"],"conditions":{"ready":false}},
                         {"addresses":["127.0.0.9"],"conditions":{"ready":true}}]})")
              .code == 201);
  REQUIRE(post("five").code == 201);
  CHECK(bed.endpoints().back().host == "127.0.0.9");
  CHECK(bed.endpoints().back().port == 9003);
}

TEST_CASE("webhooks: connections to one server are shared", "[apiserver][webhooks]") {
  HookBed bed;
  AddHook(bed, false, "a");
  AddHook(bed, false, "b");
  bed.Post(kConfigs, ConfigJson("c"));
  bed.Post(kConfigs, ConfigJson("d"));
  CHECK(bed.calls().size() == 4);
  CHECK(bed.endpoints().size() == 1);
}

TEST_CASE("webhooks: a changed configuration is followed at once", "[apiserver][webhooks]") {
  HookBed bed;
  AddHook(bed, false, "a");
  bed.Put(ConfigurationsPath(false) + "/a",
          Configuration(false, "a", {HookJson("b"), HookJson("c")}));
  bed.Post(kConfigs, ConfigJson("x"));
  CHECK(bed.calls() == std::vector<std::string>{"/b CREATE x", "/c CREATE x"});
}

TEST_CASE("webhooks: URLs are taken apart", "[apiserver][webhooks]") {
  const absl::StatusOr<UrlParts> url = ReadUrl("https://u@[::1]:8443/a/b?c=d#e");
  REQUIRE(url.ok());
  CHECK(url->user == "u");
  CHECK(url->host == "::1");
  CHECK(url->port == 8443);
  CHECK(url->path == "/a/b");
  CHECK(url->query == "c=d");
  CHECK(url->fragment == "e");
  for (const char* text : {"https://a:99999/", "https://[::1/", "https://a b/", "https://a:x/"}) {
    CAPTURE(text);
    CHECK_FALSE(ReadUrl(text).ok());
  }
}

}  // namespace
}  // namespace bth::apiserver::testing
