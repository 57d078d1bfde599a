// Admission policies: what they refuse, warn of and change.
#include <string>
#include <vector>

#include "apiserver/matching/outside.h"
#include "tests/apiserver/policies_bed.h"
#include "tests/support/catch.h"

namespace bth::apiserver::testing {
namespace {

TEST_CASE("policies: a validation that does not hold refuses the write", "[apiserver][policies]") {
  struct Case {
    std::string validation;
    std::string message;  // Empty: admitted.
    int code;
    std::string reason;
  };
  const Case c = GENERATE(values<Case>({
      {R"("expression":"object.data.k == 'v'")", "", 201, ""},
      {R"("expression":"object.data.k == 'w'")", "failed expression: object.data.k == 'w'", 422,
       "Invalid"},
      {R"("expression":"false","message":"never")", "never", 422, "Invalid"},
      {R"("expression":"false","message":"never","reason":"Forbidden")", "never", 403, "Forbidden"},
      {R"("expression":"false","reason":"RequestEntityTooLarge","message":"big")", "big", 413,
       "RequestEntityTooLarge"},
      {R"("expression":"false","messageExpression":"'got ' + object.data.k")", "got v", 422,
       "Invalid"},
      {R"("expression":"false","message":"plain","messageExpression":"'' + object.none")", "plain",
       422, "Invalid"},
      {R"("expression":"object.none.x == 1")",
       "expression 'object.none.x == 1' resulted in error: no such key: none", 422, "Invalid"},
      {R"("expression":"oldObject == null && request.name == 'c'")", "", 201, ""},
      {R"("expression":"namespaceObject.metadata.name == 'default'")", "", 201, ""},
      {R"("expression":"request.userInfo.username != ''")", "", 201, ""},
      {R"j("expression":"authorizer.requestResource.check('create').allowed()")j", "", 201, ""},
  }));
  CAPTURE(c.validation);
  HookBed bed;
  Validate(bed, c.validation);
  const Answer answer = bed.Post(kConfigs, ConfigJson("c"));
  CAPTURE(answer.text);
  CHECK(answer.code == c.code);
  if (c.message.empty()) return;
  CHECK(answer.message() == kDenied + c.message);
  CHECK(answer.reason() == c.reason);
  CHECK(answer.body.At({"details", "causes"})[size_t{0}]["message"].AsString() ==
        answer.message().substr(answer.message().find("Validating")));
  CHECK(answer.at({"details", "kind"}) == "configmaps");
}

TEST_CASE("policies: without a binding nothing is asked", "[apiserver][policies]") {
  HookBed bed;
  AddPolicy(bed, false, "p", R"("validations":[{"expression":"false"}])");
  CHECK(bed.Post(kConfigs, ConfigJson("c")).code == 201);
  Bind(bed, false, "p");
  CHECK(bed.Post(kConfigs, ConfigJson("d")).code == 422);
  bed.Delete(StrCat(kRegistrations, "validatingadmissionpolicybindings/b-p"));
  CHECK(bed.Post(kConfigs, ConfigJson("d")).code == 201);
}

TEST_CASE("policies: a changed policy holds at once", "[apiserver][policies]") {
  HookBed bed;
  Validate(bed, R"("expression":"false")");
  CHECK(bed.Post(kConfigs, ConfigJson("c")).code == 422);
  REQUIRE(bed.Merge(PolicyPath(false) + "/p", R"({"spec":{"validations":[{"expression":"true"}]}})")
              .code == 200);
  CHECK(bed.Post(kConfigs, ConfigJson("c")).code == 201);
}

TEST_CASE("policies: actions say what comes of a failure", "[apiserver][policies]") {
  HookBed bed;
  Validate(bed, R"("expression":"false","message":"hm")", "",
           R"("validationActions":["Warn","Audit"])");
  const Answer answer = bed.Post(kConfigs, ConfigJson("c"));
  CHECK(answer.code == 201);
  CHECK(answer.headers.Get("warning") ==
        "299 - \"Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b-p': hm\"");
  const auto& notes = bed.server->outside().audit.notes();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].key == "validation.policy.admission.k8s.io/validation_failure");
  const Json note = Parse(notes[0].value);
  CHECK(note[size_t{0}]["message"].AsString() == "hm");
}

TEST_CASE("policies: errors count as failurePolicy says", "[apiserver][policies]") {
  HookBed bed;
  Validate(bed, R"("expression":"object.none.x == 1")", R"("failurePolicy":"Ignore")");
  CHECK(bed.Post(kConfigs, ConfigJson("c")).code == 201);
}

TEST_CASE("policies: variables are computed in order and when named", "[apiserver][policies]") {
  HookBed bed;
  Validate(bed, R"("expression":"variables.both == 'vv' || variables.broken == 1",
                   "messageExpression":"'' + variables.both")",
           R"("variables":[{"name":"one","expression":"object.data.k"},
                           {"name":"both","expression":"variables.one + variables.one"},
                           {"name":"broken","expression":"object.none.x"}])");
  CHECK(bed.Post(kConfigs, ConfigJson("c")).code == 201);
  const Answer broken = bed.Post(kConfigs, R"({"metadata":{"name":"c2"},"data":{"k":"w"}})");
  CHECK(broken.code == 422);
  CHECK_THAT(broken.message(),
             Catch::Contains("composited variable \"broken\" fails to evaluate:"));
}

TEST_CASE("policies: conditions and constraints choose the writes", "[apiserver][policies]") {
  struct Case {
    std::string spec;
    std::string binding;
    int code;
  };
  const Case c = GENERATE(values<Case>({
      {R"("matchConditions":[{"name":"n","expression":"object.metadata.name == 'c'"}])", "", 422},
      {R"("matchConditions":[{"name":"n","expression":"object.metadata.name == 'd'"}])", "", 201},
      {R"("matchConditions":[{"name":"n","expression":"object.none == 'd'"}])", "", 422},
      {"", R"("matchResources":{"namespaceSelector":{"matchLabels":{"a":"b"}}})", 201},
      {"", R"("matchResources":{"objectSelector":{"matchLabels":{"a":"b"}}})", 201},
      {"", R"("matchResources":{"resourceRules":[{"resourceNames":["c"],"operations":["CREATE"],
           "apiGroups":["*"],"apiVersions":["*"],"resources":["*"]}]})",
       422},
      {"", R"("matchResources":{"resourceRules":[{"resourceNames":["d"],"operations":["CREATE"],
           "apiGroups":["*"],"apiVersions":["*"],"resources":["*"]}]})",
       201},
      {"", R"("matchResources":{"excludeResourceRules":[{"operations":["CREATE"],
           "apiGroups":["*"],"apiVersions":["*"],"resources":["configmaps"]}]})",
       201},
  }));
  CAPTURE(c.spec, c.binding);
  HookBed bed;
  Validate(bed, R"("expression":"false")", c.spec, c.binding);
  CHECK(bed.Post(kConfigs, ConfigJson("c")).code == c.code);
}

TEST_CASE("policies: parameters come from objects", "[apiserver][policies]") {
  const std::string kind = R"("paramKind":{"apiVersion":"v1","kind":"ConfigMap"},)"
                           R"j("matchConditions":[{"name":"not-params",
                               "expression":"!object.metadata.name.startsWith('limits')"}])j";
  const std::string check =
      R"j("expression":"params == null || size(object.data.k) <= int(params.data.max)",
         "messageExpression":"'more than ' + params.data.max")j";
  HookBed bed;
  SECTION("by name") {
    Validate(bed, check, kind, R"("paramRef":{"name":"limits","parameterNotFoundAction":"Deny"})");
    CHECK(bed.Post(kConfigs, ConfigJson("c")).message() ==
          std::string(kDenied) +
              "failed to configure binding: no params found for policy binding "
              "with `Deny` parameterNotFoundAction");
    REQUIRE(bed.Merge(StrCat(kRegistrations, "validatingadmissionpolicybindings/b-p"),
                      R"({"spec":{"paramRef":{"parameterNotFoundAction":"Allow"}}})")
                .code == 200);
    REQUIRE(bed.Post(kConfigs, R"({"metadata":{"name":"limits"},"data":{"max":"0"}})").code == 201);
    CHECK(bed.Post(kConfigs, ConfigJson("c")).message() == std::string(kDenied) + "more than 0");
  }
  SECTION("by selector, each of them") {
    Validate(bed, check, kind,
             R"("paramRef":{"selector":{"matchLabels":{"use":"yes"}},
                            "parameterNotFoundAction":"Allow"})");
    bed.Post(kConfigs, R"({"metadata":{"name":"limits-a","labels":{"use":"yes"}},
                           "data":{"max":"5"}})");
    CHECK(bed.Post(kConfigs, ConfigJson("c")).code == 201);
    bed.Post(kConfigs, R"({"metadata":{"name":"limits-b","labels":{"use":"yes"}},
                           "data":{"max":"0"}})");
    CHECK(bed.Post(kConfigs, ConfigJson("d")).code == 422);
  }
  SECTION("none asked for") {
    Validate(bed, check, kind);
    CHECK(bed.Post(kConfigs, ConfigJson("c")).code == 201);
  }
}

TEST_CASE("policies: annotations are kept", "[apiserver][policies]") {
  HookBed bed;
  Validate(bed, R"("expression":"true")",
           R"("auditAnnotations":[{"key":"k","valueExpression":"'value ' + object.data.k"},
                                  {"key":"none","valueExpression":"null"}])");
  bed.Post(kConfigs, ConfigJson("c"));
  const auto& notes = bed.server->outside().audit.notes();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].key == "p/k");
  CHECK(notes[0].value == "value v");
}

TEST_CASE("policies: work is bounded", "[apiserver][policies]") {
  HookBed bed;
  const std::string list = "[1,2,3,4,5,6,7,8,9,10]";
  std::string nested = "i6 > 0";
  for (int i = 6; i >= 0; --i) nested = StrCat(list, ".all(i", i, ", ", nested, ")");
  Validate(bed, StrCat(R"("expression":")", nested, "\""));
  const Answer answer = bed.Post(kConfigs, ConfigJson("c"));
  CHECK(answer.code == 422);
  CHECK_THAT(answer.message(), Catch::Contains("cost limit exceeded"));
}

TEST_CASE("policies: broken ones are refused when they are written", "[apiserver][policies]") {
  struct Case {
    bool mutating;
    std::string spec;
    std::string message;
  };
  const Case c = GENERATE(values<Case>({
      {false, R"("validations":[])",
       "spec.validations: Required value: validations or auditAnnotations must contain at least "
       "one item"},
      {false, R"("validations":[{"expression":"object.x +"}])",
       R"(spec.validations[0].expression: Invalid value: "object.x +": compilation failed: ERROR)"},
      {false, R"("validations":[{"expression":"1"}])", "must evaluate to bool but got int"},
      {false, R"("validations":[{"expression":"params.x == 1"}])",
       "undeclared reference to 'params' (in container '')"},
      {false, R"("validations":[{"expression":"variables.none == 1"}])",
       "undeclared reference to 'variables' (in container '')"},
      {false, R"("variables":[{"name":"a","expression":"1"}],
                 "validations":[{"expression":"variables.none == 1"}])",
       "undefined field 'none'"},
      {false, R"("validations":[{"expression":"object.x"}])", "must evaluate to bool but got dyn"},
      {false, R"("validations":[{"expression":""}])",
       "spec.validations[0].expression: Required value: expression is not specified"},
      {false, R"("validations":[{"expression":"true","messageExpression":"1"}])",
       "must evaluate to string but got int"},
      {false, R"("validations":[{"expression":"true","reason":"Gone"}])",
       R"(reason: Unsupported value: "Gone": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge")"},
      {false, R"("validations":[{"expression":"true","message":"a\nb"}])",
       "must not contain line breaks"},
      {false, R"("variables":[{"name":"1a","expression":"1"}],
                 "validations":[{"expression":"true"}])",
       R"(spec.variables[0].name: Invalid value: "1a": must be a valid CEL identifier)"},
      {false, R"("paramKind":{"apiVersion":"a/b/c","kind":""},
                 "validations":[{"expression":"true"}])",
       "spec.paramKind.kind: Required value"},
      {false, R"("failurePolicy":"Maybe","validations":[{"expression":"true"}])",
       R"(spec.failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore")"},
      {false, R"("auditAnnotations":[{"key":"a b","valueExpression":"1"}])",
       "must evaluate to one of [string null_type] but got int"},
      {true, R"("mutations":[])",
       "spec.mutations: Required value: mutations must contain at least one item"},
      {true, R"("mutations":[{"patchType":"JSONPatch"}])",
       "spec.mutations[0].jsonPatch: Required value: must be specified when patchType is "
       "JSONPatch"},
      {true, R"("mutations":[{"patchType":"Other"}])",
       R"(patchType: Unsupported value: "Other": supported values: "ApplyConfiguration", "JSONPatch")"},
      {true, R"("mutations":[{"patchType":"ApplyConfiguration",
                 "applyConfiguration":{"expression":"1"}}])",
       "must evaluate to Object but got int"},
  }));
  CAPTURE(c.spec);
  HookBed bed;
  const Answer refused = AddPolicy(bed, c.mutating, "p", c.spec);
  CHECK(refused.code == 422);
  CHECK_THAT(refused.message(), Catch::Contains(c.message));
}

TEST_CASE("policies: broken bindings are refused", "[apiserver][policies]") {
  struct Case {
    std::string spec;
    std::string message;
  };
  const Case c = GENERATE(values<Case>({
      {R"("validationActions":[])", "spec.validationActions: Required value"},
      {R"("validationActions":["Deny","Warn"])", "must not contain both Deny and Warn"},
      {R"("validationActions":["Stop"])",
       R"(Unsupported value: "Stop": supported values: "Audit", "Deny", "Warn")"},
      {R"("paramRef":{"parameterNotFoundAction":"Deny"})",
       "spec.paramRef: Required value: one of name or selector must be specified"},
      {R"("paramRef":{"name":"a","selector":{},"parameterNotFoundAction":"Deny"})",
       "spec.paramRef.name: Forbidden: name and selector are mutually exclusive"},
      {R"("paramRef":{"name":"a"})", "spec.paramRef.parameterNotFoundAction: Required value"},
  }));
  CAPTURE(c.spec);
  HookBed bed;
  const Answer refused = Bind(bed, false, "p", c.spec);
  CHECK(refused.code == 422);
  CHECK_THAT(refused.message(), Catch::Contains(c.message));
}

TEST_CASE("policies: defaults are filled in, and every served version is one object",
          "[apiserver][policies]") {
  HookBed bed;
  const std::string beta = "/apis/admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicies";
  const Answer made = bed.Post(beta, PolicyJson(true, "m", R"("mutations":[{"patchType":"JSONPatch",
                "jsonPatch":{"expression":"false ? [JSONPatch{}] : []"}}])"));
  CAPTURE(made.text);
  REQUIRE(made.code == 201);
  CHECK(made.at({"apiVersion"}) == "admissionregistration.k8s.io/v1beta1");
  const Answer stable = bed.Get(PolicyPath(true) + "/m");
  CHECK(stable.at({"apiVersion"}) == "admissionregistration.k8s.io/v1");
  CHECK(stable.at({"spec", "failurePolicy"}) == "Fail");
  CHECK(stable.at({"spec", "matchConstraints", "matchPolicy"}) == "Equivalent");
  CHECK(stable.body.At({"spec", "matchConstraints", "resourceRules"})[size_t{0}]["scope"]
            .AsString() == "*");
}

TEST_CASE("policies: mutations change the object", "[apiserver][policies]") {
  struct Case {
    std::string name;
    std::string mutation;
    std::string data;  // Empty: refused.
  };
  const Case c = GENERATE(values<Case>({
      {"patch",
       R"("patchType":"JSONPatch","jsonPatch":{"expression":
          "[JSONPatch{op: 'add', path: '/data/n', value: object.data.k + '1'}]"})",
       R"({"k":"v","n":"v1"})"},
      {"patch with an escaped key",
       R"("patchType":"JSONPatch","jsonPatch":{"expression":
          "[JSONPatch{op: 'add', path: '/data/' + jsonpatch.escapeKey('a~b'), value: 'x'}]"})",
       R"({"k":"v","a~b":"x"})"},
      {"a test that fails",
       R"("patchType":"JSONPatch","jsonPatch":{"expression":
          "[JSONPatch{op: 'test', path: '/data/k', value: 'w'}, JSONPatch{op: 'remove', path: '/data/k'}]"})",
       R"({"k":"v"})"},
      {"a path that is not there",
       R"("patchType":"JSONPatch","jsonPatch":{"expression":
          "[JSONPatch{op: 'remove', path: '/data/none'}]"})",
       ""},
      {"nothing to do",
       R"("patchType":"JSONPatch","jsonPatch":{"expression":"false ? [JSONPatch{}] : []"})",
       R"({"k":"v"})"},
      {"configuration",
       R"("patchType":"ApplyConfiguration","applyConfiguration":{"expression":
          "Object{data: Object.data{n: variables.more}}"})",
       R"({"k":"v","n":"more"})"},
      {"a part in a wrong place",
       R"("patchType":"ApplyConfiguration","applyConfiguration":{"expression":
          "Object{data: Object.other{n: 'x'}}"})",
       ""},
  }));
  CAPTURE(c.name);
  HookBed bed;
  const Answer policy =
      AddPolicy(bed, true, "m",
                StrCat(R"("variables":[{"name":"more","expression":"'more'"}],"mutations":[{)",
                       c.mutation, "}]"));
  CAPTURE(policy.text);
  REQUIRE(policy.code == 201);
  REQUIRE(Bind(bed, true, "m").code == 201);
  const Answer made = bed.Post(kConfigs, ConfigJson("c"));
  CAPTURE(made.text);
  if (c.data.empty()) {
    CHECK(made.code == 403);
    CHECK_THAT(made.message(), Catch::Contains("policy 'm' with binding 'b-m' denied request"));
  } else {
    CHECK(made.code == 201);
    CHECK(made.body["data"] == Parse(c.data));
  }
}

TEST_CASE("policies: lists of pods are merged by their keys", "[apiserver][policies]") {
  HookBed bed;
  REQUIRE(bed.Post(PolicyPath(true),
                   R"({"metadata":{"name":"m"},"spec":{"reinvocationPolicy":"Never",
        "matchConstraints":{"resourceRules":[{"operations":["CREATE"],"apiGroups":[""],
          "apiVersions":["v1"],"resources":["pods"]}]},
        "mutations":[{"patchType":"ApplyConfiguration","applyConfiguration":{"expression":
          "Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, env: [Object.spec.containers.env{name: 'E', value: 'x'}]})}}"}}]}})")
              .code == 201);
  REQUIRE(Bind(bed, true, "m").code == 201);
  const Answer made = bed.Post(kPods, PodJson("p"));
  CAPTURE(made.text);
  REQUIRE(made.code == 201);
  const Json& container = made.body.At({"spec", "containers"})[size_t{0}];
  CHECK(container["image"].AsString() == "img");
  CHECK(container["env"].Dump() == R"([{"name":"E","value":"x"}])");
  CHECK(made.body.At({"metadata", "managedFields"}).is_null());
}

TEST_CASE("policies: mutating ones come before webhooks, and again behind them",
          "[apiserver][policies]") {
  HookBed bed;
  REQUIRE(bed.Post(PolicyPath(true),
                   StrCat(R"({"metadata":{"name":"m"},"spec":{"reinvocationPolicy":"IfNeeded",)",
                          kConfigMapRules,
                          R"(,"mutations":[{"patchType":"JSONPatch","jsonPatch":{"expression":
          "[JSONPatch{op: 'add', path: '/data/count', value: string(size(object.data))}]"}}]}})"))
              .code == 201);
  Bind(bed, true, "m");
  AddHook(bed, true, "a");
  bed.On("/a", [](const Json& request) {
    CHECK(request.At({"object", "data", "count"}).AsString() == "1");
    return Patching(R"([{"op":"add","path":"/data/w","value":"1"}])");
  });
  const Answer made = bed.Post(kConfigs, ConfigJson("c"));
  CHECK(made.at({"data", "count"}) == "3");
  CHECK(bed.calls().size() == 1);
}

TEST_CASE("policies: nothing is asked about policies themselves", "[apiserver][policies]") {
  HookBed bed;
  REQUIRE(bed.Post(PolicyPath(false),
                   R"({"metadata":{"name":"p"},"spec":{"validations":[{"expression":"false"}],
        "matchConstraints":{"resourceRules":[{"operations":["*"],"apiGroups":["*"],
          "apiVersions":["*"],"resources":["*/*"]}]}}})")
              .code == 201);
  Bind(bed, false, "p");
  CHECK(bed.Post(kConfigs, ConfigJson("c")).code == 422);
  CHECK(bed.Delete(PolicyPath(false) + "/p").code == 200);
  CHECK(bed.Post(kConfigs, ConfigJson("c")).code == 201);
}

TEST_CASE("policies: checks are counted under the names of Kubernetes", "[apiserver][policies]") {
  HookBed bed;
  Validate(bed, R"("expression":"false")");
  bed.Post(kConfigs, ConfigJson("c"));
  CHECK_THAT(bed.Get("/metrics").text,
             Catch::Contains("apiserver_validating_admission_policy_check_total{policy=\"p\","
                             "policy_binding=\"b-p\",error_type=\"no_error\","
                             "enforcement_action=\"deny\"} 1"));
}

}  // namespace
}  // namespace bth::apiserver::testing
