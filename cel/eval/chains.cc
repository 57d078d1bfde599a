// Names, and the chains of selections and indexes that follow them: a.b[c].?d is one chain.
//
// An optional that a chain begins with is looked into, all the way down; its members come out as
// optionals. A member that is an optional itself has no members within the same chain, as in
// Kubernetes.
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "cel/eval/interpreter.h"
#include "cel/stdlib/index.h"
#include "cel/values/text_forms.h"

namespace bth::cel {
namespace {

// What is looked into if a chain begins with `value`. Nothing: an optional without content.
std::optional<Value> ContentOf(Value value) {
  while (value.is(ValueKind::kOptional)) {
    if (value.AsOptional() == nullptr) return std::nullopt;
    value = Value(*value.AsOptional());
  }
  return value;
}

}  // namespace

Value Interpreter::Variable(const Step& step) {
  std::optional<Value>& kept = variables_[static_cast<size_t>(step.table)];
  if (!kept) {
    const std::string& name = plan_.variables[static_cast<size_t>(step.table)];
    kept = activation_.Find(name);
    if (!kept) kept = Value::Error(StrCat("no such attribute(s): ", name));
  }
  return *kept;
}

Value Interpreter::Name(const Step& step) {
  const NameSite& site = plan_.names[static_cast<size_t>(step.table)];
  for (const NameSite::Meaning& meaning : site.meanings) {
    std::optional<Value> value = activation_.Find(meaning.variable);
    if (!value && meaning.is_constant) value = meaning.constant;
    if (!value) continue;
    Charge(meaning.fields);
    for (size_t i = site.path.size() - meaning.fields; i < site.path.size(); ++i) {
      if (value->is_error()) break;
      value = SelectValue(*value, site.path[i]);
    }
    return *value;
  }
  return Value::Error(StrCat("no such attribute(s): ", site.meanings.front().variable));
}

Interpreter::Link Interpreter::FirstLink(StepId id) {
  Link link{.value = Eval(id)};
  link.is_optional = link.value.is(ValueKind::kOptional);
  if (!link.is_optional) return link;
  std::optional<Value> content = ContentOf(std::move(link.value));
  link.is_none = !content.has_value();
  link.value = std::move(content).value_or(Value::Null());
  return link;
}

Interpreter::Link Interpreter::Chain(StepId id) {
  if (is_over()) return {.value = Cancelled()};
  const Step& step = plan_[id];
  // What follows a condition follows each of its branches.
  if (step.kind == StepKind::kConditional) {
    Value condition = Eval(step.a);
    if (condition.is(ValueKind::kBool)) return Chain(condition.AsBool() ? step.b : step.c);
    return {.value = ErrorOrNoOverload(std::move(condition))};
  }
  if (!IsChain(step.kind)) return FirstLink(id);
  Link link = Chain(step.a);
  switch (step.kind) {
    case StepKind::kPath:
      for (int32_t i = step.b; i < step.b + step.c; ++i) {
        FollowField(plan_.texts[static_cast<size_t>(i)], &link);
      }
      break;
    case StepKind::kOptionalSelect:
      link.is_optional = true;
      FollowField(plan_.texts[static_cast<size_t>(step.table)], &link);
      break;
    default:
      link.is_optional = link.is_optional || step.kind == StepKind::kOptionalIndex;
      FollowIndex(step.b, &link);
  }
  if (step.cost > 0) Charge(step.cost);
  return link;
}

void Interpreter::FollowField(std::string_view field, Link* link) {
  if (link->is_over()) return;
  Keep(link->value.is(ValueKind::kOptional) ? Member{} : FindField(link->value, field), link,
       [&] { return StrCat("no such key: ", field); });
}

void Interpreter::FollowIndex(StepId index, Link* link) {
  if (link->is_over()) return;
  const Value key = Eval(index);
  if (key.is_error()) {
    link->value = key;
    return;
  }
  const bool is_list = link->value.is(ValueKind::kList);
  Keep(link->value.is(ValueKind::kOptional) ? Member{} : FindMember(link->value, key), link,
       [&] { return StrCat(is_list ? "index out of bounds: " : "no such key: ", KeyText(key)); });
}

// Each member that is looked for counts, but for those that an optional chain does not find.
template <typename Text>
void Interpreter::Keep(Member member, Link* link, const Text& missing) {
  const bool is_there = member.value.has_value();
  if (is_there || !link->is_optional) Charge(1);
  if (is_there) {
    link->value = *std::move(member.value);
  } else if (!member.fault.empty()) {
    link->value = Value::Error(std::move(member.fault));
  } else if (link->is_optional) {
    link->is_none = true;
  } else {
    link->value = Value::Error(missing());
  }
}

Value Interpreter::ValueOf(Link link) {
  if (link.is_none) return Value::OptionalNone();
  return link.is_optional ? Value::OptionalOf(std::move(link.value)) : std::move(link.value);
}

Value Interpreter::Has(const Step& step) {
  Link link = Chain(step.a);
  if (link.is_none) return Value::Bool(false);
  if (link.value.is_error()) return std::move(link.value);
  Member member;
  if (!link.value.is(ValueKind::kOptional)) {
    member = FindField(link.value, plan_.texts[static_cast<size_t>(step.table)]);
  }
  if (member.value || !link.is_optional) Charge(1);
  if (!member.fault.empty()) return Value::Error(std::move(member.fault));
  if (!member.value) return Value::Bool(false);
  return member.value->is_error() ? *std::move(member.value) : Value::Bool(true);
}

}  // namespace bth::cel
