#include "apiserver/matching/authorizer.h"

#include <memory>
#include <utility>
#include <vector>

#include "api/rules/names.h"
#include "apiserver/rest/authenticate.h"
#include "apiserver/rest/core.h"
#include "base/check.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

using cel::Type;
using cel::TypePtr;
using cel::Value;

struct AccessTypes {
  TypePtr authorizer = Type::Opaque("kubernetes.authorization.Authorizer");
  TypePtr path = Type::Opaque("kubernetes.authorization.PathCheck");
  TypePtr group = Type::Opaque("kubernetes.authorization.GroupCheck");
  TypePtr resource = Type::Opaque("kubernetes.authorization.ResourceCheck");
  TypePtr decision = Type::Opaque("kubernetes.authorization.Decision");
};

const AccessTypes& Access() {
  static const AccessTypes& types = *new AccessTypes();
  return types;
}

// One step of a question: who asks, and about which path or resource.
class Question final : public cel::OpaqueValue {
 public:
  Question(const Core& core, TypePtr type, User user, std::vector<std::string> about,
           bool is_path = false)
      : core_(core),
        type_(std::move(type)),
        user_(std::move(user)),
        about_(std::move(about)),
        is_path_(is_path) {}

  const TypePtr& type() const override { return type_; }
  bool Equals(const cel::OpaqueValue& other) const override {
    const auto& question = static_cast<const Question&>(other);
    return user_.name == question.user_.name && is_path_ == question.is_path_ &&
           about_ == question.about_;
  }
  std::string DebugText() const override {
    std::string text = type_->name();
    for (const std::string& part : about_) StrAppend(&text, "/", part);
    return text;
  }

  Value Next(const TypePtr& type, std::string_view more) const {
    std::vector<std::string> about = about_;
    about.emplace_back(more);
    const bool is_path = is_path_ || type == Access().path;
    return Value::Of(std::make_shared<Question>(core_, type, user_, std::move(about), is_path));
  }
  Value As(std::string user) const {
    User other;
    other.name = std::move(user);
    other.groups = {"system:serviceaccounts", "system:authenticated"};
    return Value::Of(
        std::make_shared<Question>(core_, Access().authorizer, std::move(other), about_));
  }
  // Of resources the path is empty.
  bool allowed() const { return MayDo(core_, user_, is_path_ ? about_.front() : ""); }

 private:
  const Core& core_;
  const TypePtr type_;
  const User user_;
  const std::vector<std::string> about_;  // The path, or the group, first.
  const bool is_path_;
};

const Question& AsQuestion(const Value& value) {
  return static_cast<const Question&>(value.AsOpaque());
}

// target.name(text): the next step of a question.
cel::Function QuestionStep(std::string name, const TypePtr& from, const TypePtr& to) {
  cel::Overload overload;
  overload.id = StrCat("authorizer_", name);
  overload.member = true;
  overload.parameters = {from, Type::String()};
  overload.result = to;
  overload.run = [to](std::span<const Value> args) {
    return AsQuestion(args[0]).Next(to, args[1].AsString());
  };
  return {std::move(name), {std::move(overload)}};
}

cel::Function PathFunction() {
  cel::Function path = QuestionStep("path", Access().authorizer, Access().path);
  path.overloads.front().run = [ask = path.overloads.front().run](std::span<const Value> args) {
    return args[1].AsString().empty() ? Value::Error("path must not be empty") : ask(args);
  };
  return path;
}

template <typename Answer>
cel::Function Told(std::string name, const TypePtr& result, Answer answer) {
  cel::Overload overload;
  overload.id = StrCat("decision_", name);
  overload.member = true;
  overload.parameters = {Access().decision};
  overload.result = result;
  overload.run = [answer](std::span<const Value> args) { return answer(AsQuestion(args[0])); };
  return {std::move(name), {std::move(overload)}};
}

cel::Function CheckFunction() {
  cel::Function check{"check", {}};
  for (const TypePtr& from : {Access().path, Access().resource}) {
    cel::Overload overload;
    overload.id = StrCat("check_", from->name());
    overload.member = true;
    overload.parameters = {from, Type::String()};
    overload.result = Access().decision;
    overload.run = [](std::span<const Value> args) {
      return AsQuestion(args[0]).Next(Access().decision, args[1].AsString());
    };
    // What the API server counts for one question to its authorizer.
    overload.run_cost = [](std::span<const Value>, const Value&) { return uint64_t{350'000}; };
    check.overloads.push_back(std::move(overload));
  }
  return check;
}

cel::Function ServiceAccountFunction() {
  cel::Overload overload;
  overload.id = "authorizer_serviceaccount";
  overload.member = true;
  overload.parameters = {Access().authorizer, Type::String(), Type::String()};
  overload.result = Access().authorizer;
  overload.run = [](std::span<const Value> args) {
    const std::string_view ns = args[1].AsString();
    const std::string_view name = args[2].AsString();
    if (!rules::CheckDnsSubdomain(name).empty()) {
      return Value::Error("Invalid service account name");
    }
    if (!rules::CheckDnsLabel(ns).empty()) {
      return Value::Error("Invalid service account namespace");
    }
    return AsQuestion(args[0]).As(StrCat("system:serviceaccount:", ns, ":", name));
  };
  return {"serviceAccount", {std::move(overload)}};
}

std::vector<cel::Function> AccessFunctions() {
  const AccessTypes& types = Access();
  std::vector<cel::Function> functions = {
      PathFunction(),
      QuestionStep("group", types.authorizer, types.group),
      QuestionStep("resource", types.group, types.resource),
      QuestionStep("subresource", types.resource, types.resource),
      QuestionStep("namespace", types.resource, types.resource),
      QuestionStep("name", types.resource, types.resource),
      QuestionStep("fieldSelector", types.resource, types.resource),
      QuestionStep("labelSelector", types.resource, types.resource),
      CheckFunction(),
      ServiceAccountFunction(),
      Told("allowed", Type::Bool(), [](const Question& q) { return Value::Bool(q.allowed()); }),
      Told("errored", Type::Bool(), [](const Question&) { return Value::Bool(false); }),
      Told("error", Type::String(), [](const Question&) { return Value::String(""); }),
      Told("reason", Type::String(), [](const Question&) { return Value::String(""); }),
  };
  return functions;
}

}  // namespace

void AddAuthorizer(cel::Environment& environment) {
  environment.Add(cel::Variable{"authorizer", Access().authorizer});
  environment.Add(cel::Variable{"authorizer.requestResource", Access().resource});
  for (cel::Function& function : AccessFunctions()) {
    BTH_CHECK(environment.Add(std::move(function)).ok());
  }
}

Value AuthorizerOf(const Core& core, const User& user) {
  return Value::Of(
      std::make_shared<Question>(core, Access().authorizer, user, std::vector<std::string>()));
}

Value RequestResourceOf(const Core& core, const Target& target, const ResourceType& as) {
  std::vector<std::string> about = {as.group, as.plural, std::string(target.subresource),
                                    std::string(target.ns), std::string(target.name)};
  return Value::Of(
      std::make_shared<Question>(core, Access().resource, target.write.user, std::move(about)));
}

}  // namespace bth::apiserver
