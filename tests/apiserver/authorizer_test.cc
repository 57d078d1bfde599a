// What `authorizer` of expressions answers: there are no roles, and strangers may see the state of
// health.
#include "apiserver/matching/authorizer.h"

#include <string>
#include <utility>

#include "apiserver/matching/expressions.h"
#include "tests/apiserver/bed.h"
#include "tests/support/catch.h"

namespace bth::apiserver::testing {
namespace {

// A server that knows somebody: only then is anybody a stranger.
Options OptionsWithToken() {
  Options options;
  options.tokens.emplace("token", User{});
  return options;
}

User UserNamed(std::string name) {
  User user;
  if (name == user.name) return user;
  user.name = std::move(name);
  user.groups = {"system:authenticated"};
  return user;
}

struct AskedAuthorizer : Bed {
  AskedAuthorizer() : Bed(OptionsWithToken()) {}

  // What the expression comes to, asked by this user: "true", "false", or a text as it is.
  std::string Ask(const std::string& expression, const std::string& user, uint64_t budget) {
    const auto compiled = CompileExpression(expression, environment, {});
    INFO(compiled.status().ToString());
    REQUIRE(compiled.ok());
    cel::Bindings names;
    names.Set("authorizer", AuthorizerOf(server->core(), UserNamed(user)));
    Budget left(budget);
    const absl::StatusOr<cel::Value> value = Evaluate(*compiled, names, left);
    if (!value.ok()) return "failed";
    if (value->is(cel::ValueKind::kString)) return std::string(value->AsString());
    return value->AsBool() ? "true" : "false";
  }

  const std::shared_ptr<const cel::Environment> environment = ExpressionEnvironment({});
};

TEST_CASE("authorizer: each question is answered for who is known and for strangers",
          "[apiserver][policies]") {
  struct Case {
    std::string expression, known, stranger;
  };
  const Case c = GENERATE(values<Case>({
      {"authorizer.path('/healthz').check('get').allowed()", "true", "true"},
      {"authorizer.path('/secrets').check('get').allowed()", "true", "false"},
      {"authorizer.group('apps').resource('deployments').check('create').allowed()", "true",
       "false"},
      {"authorizer.group('').resource('pods').subresource('status').check('update').allowed()",
       "true", "false"},
      {"authorizer.group('').resource('pods').namespace('ns').name('p').check('get').allowed()",
       "true", "false"},
      {"authorizer.group('').resource('pods').fieldSelector('spec.nodeName=n').check('list')"
       ".allowed()",
       "true", "false"},
      {"authorizer.group('').resource('pods').labelSelector('a in (b)').check('list').allowed()",
       "true", "false"},
      // A group that looks like a path is none.
      {"authorizer.group('/healthz').resource('pods').check('get').allowed()", "true", "false"},
      // Selectors are not read.
      {"authorizer.group('').resource('pods').labelSelector('=').check('list').errored()", "false",
       "false"},
      {"authorizer.serviceAccount('ns', 'sa').group('').resource('pods').check('get').allowed()",
       "true", "true"},
      {"authorizer.serviceAccount('ns', 'sa').path('/secrets').check('get').allowed()", "true",
       "true"},
      // Names that nothing can have are no question.
      {"authorizer.serviceAccount('ns', 'Sa').path('/x').check('get').allowed()", "failed",
       "failed"},
      {"authorizer.serviceAccount('n.s', 'sa').path('/x').check('get').allowed()", "failed",
       "failed"},
      {"authorizer.path('').check('get').allowed()", "failed", "failed"},
      {"authorizer.group('').resource('pods').check('get').errored()", "false", "false"},
      {"authorizer.group('').resource('pods').check('get').error()", "", ""},
      {"authorizer.group('').resource('pods').check('get').reason()", "", ""},
  }));
  CAPTURE(c.expression);
  AskedAuthorizer bed;
  CHECK(bed.Ask(c.expression, "ann", 1'000'000) == c.known);
  CHECK(bed.Ask(c.expression, "system:anonymous", 1'000'000) == c.stranger);
}

TEST_CASE("authorizer: a question is asked in its order, or not at all", "[apiserver][policies]") {
  const auto expression = GENERATE(values<std::string>({
      "authorizer.resource('pods').check('get').allowed()",
      "authorizer.group('').check('get').allowed()",
      "authorizer.group('').resource('pods').allowed()",
      "authorizer.path('/x').name('y').check('get').allowed()",
      "authorizer.check('get').allowed()",
      "authorizer.group('').resource('pods').check('get').error().allowed()",
      "authorizer.serviceAccount('sa').group('').resource('pods').check('get').allowed()",
      "authorizer.path('/x').fieldSelector('a=b').check('get').allowed()",
  }));
  CAPTURE(expression);
  CHECK_FALSE(CompileExpression(expression, ExpressionEnvironment({}), {}).ok());
}

TEST_CASE("authorizer: a question costs what it costs in Kubernetes", "[apiserver][policies]") {
  AskedAuthorizer bed;
  const std::string once = "authorizer.path('/x').check('get').allowed()";
  CHECK(bed.Ask(once, "ann", 350'010) == "true");
  CHECK(bed.Ask(once, "ann", 349'999) == "failed");
  CHECK(bed.Ask(StrCat(once, " && ", once), "ann", 699'999) == "failed");
  CHECK(bed.Ask(StrCat(once, " && ", once), "ann", 700'010) == "true");
}

}  // namespace
}  // namespace bth::apiserver::testing
