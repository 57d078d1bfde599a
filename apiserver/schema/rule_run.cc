#include "apiserver/schema/rule_run.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "apiserver/schema/field_paths.h"
#include "apiserver/schema/place.h"
#include "apiserver/schema/rule_programs.h"
#include "apiserver/schema/rule_values.h"
#include "apiserver/schema/validate.h"
#include "base/strings.h"
#include "cel/kubernetes/environment.h"

namespace bth::apiserver {
namespace {

using cel::Outcome;
using cel::Value;
using cel::ValueKind;

constexpr size_t kMessageBytesMax = 5 * 1024;
constexpr char kOutOfBudget[] =
    "validation failed due to running out of cost budget, no further validation rules will be run";

std::string Stripped(std::string_view text) {
  return std::string(StripAsciiWhitespace(text));
}

// How messages name a rule.
std::string NameOf(const SchemaRule& rule) {
  return Stripped(rule.message.empty() ? rule.rule : rule.message);
}

// The counterpart of an item in the list it was in before, where keys tell.
const Json* Counterpart(const SchemaNode& list, const Json* old, const Json& item) {
  if (old == nullptr || list.list != ListKind::kMap) return nullptr;
  for (const Json& was : old->items()) {
    if (std::all_of(list.keys.begin(), list.keys.end(),
                    [&](const std::string& key) { return was[key] == item[key]; })) {
      return &was;
    }
  }
  return nullptr;
}

// One value on its way through the rules.
struct RuleSubject {
  const Json& value;
  const Json* old = nullptr;  // Null: no counterpart.
  const RuleSubject* above = nullptr;

  // Whether the value, or what it stands in, is as it was. Looked at only for broken rules.
  bool IsUnchanged() const {
    for (const RuleSubject* at = this; at != nullptr; at = at->above) {
      if (at->old != nullptr && *at->old == at->value) return true;
    }
    return false;
  }
};

class RuleRunner {
 public:
  RuleRunner(const RuledValue& ruled, RuleVerdict& verdict) : ruled_(ruled), verdict_(verdict) {}

  void Node(const RuleNode& rules, const SchemaNode& node, const RuleSubject& subject,
            const Place& at) {
    if (subject.value.is_null() || stopped_) return;
    if (!rules.rules.empty()) Rules(rules, node, subject, at);
    if (subject.value.is_array()) {
      Items(rules, node, subject, at);
    } else if (subject.value.is_object()) {
      Members(rules, node, subject, at);
    }
  }

 private:
  static RuleSubject Below(const RuleSubject& above, const Json& value, const Json* old) {
    if (old != nullptr && old->is_null()) old = nullptr;
    return {value, old, &above};
  }

  void Items(const RuleNode& rules, const SchemaNode& node, const RuleSubject& subject,
             const Place& at) {
    if (rules.items == nullptr || node.items == nullptr) return;
    for (size_t i = 0; i < subject.value.size() && !stopped_; ++i) {
      const Json& item = subject.value[i];
      Node(*rules.items, *node.items, Below(subject, item, Counterpart(node, subject.old, item)),
           at.Item(i));
    }
  }

  void Members(const RuleNode& rules, const SchemaNode& node, const RuleSubject& subject,
               const Place& at) {
    for (const auto& [name, member] : subject.value.members()) {
      const SchemaNode* below = node.Property(name);
      const RuleNode* below_rules = nullptr;
      if (below != nullptr) {
        const auto found = rules.properties.find(name);
        if (found != rules.properties.end()) below_rules = found->second.get();
      } else {
        below = node.additional.get();
        below_rules = rules.additional.get();
      }
      if (below == nullptr || below_rules == nullptr) continue;
      const Json* old = subject.old == nullptr ? nullptr : subject.old->Find(name);
      Node(*below_rules, *below, Below(subject, member, old),
           below == node.additional.get() ? at.Key(name) : at.Field(name));
      if (stopped_) return;
    }
  }

  void Rules(const RuleNode& rules, const SchemaNode& node, const RuleSubject& subject,
             const Place& at) {
    if (budget_ == 0) return Stop(Fault(node, at, kOutOfBudget));
    cel::Bindings plain;
    plain.Set("self", RuleValue(subject.value, *rules.type));
    Value old;
    if (subject.old != nullptr) old = RuleValue(*subject.old, *rules.type);
    cel::Bindings optional = plain;
    optional.Set("oldSelf",
                 subject.old == nullptr ? Value::OptionalNone() : Value::OptionalOf(old));
    if (subject.old != nullptr) plain.Set("oldSelf", old);
    for (const RuleProgram& program : rules.rules) {
      const bool may_lack_old = program.text.optional_old_self.value_or(false);
      if (!program.error.empty()) {
        Tell(Fault(node, at, StrCat("rule compile error: ", program.error)));
      } else if (program.rule.has_value() &&
                 !(program.uses_old && subject.old == nullptr && !may_lack_old)) {
        Rule(program, may_lack_old ? optional : plain, node, subject, at);
      }
      if (stopped_) return;
    }
  }

  void Rule(const RuleProgram& program, const cel::Bindings& bindings, const SchemaNode& node,
            const RuleSubject& subject, const Place& at) {
    const Outcome outcome = program.rule->Run(bindings, {.cost_max = cel::kPerCallLimit});
    if (!Spend(outcome.cost)) return Stop(Fault(node, at, kOutOfBudget));
    if (outcome.value.is_error()) return Failed(program, outcome, node, at);
    if (outcome.value.is(ValueKind::kBool) && outcome.value.AsBool()) return;
    std::string detail;
    if (program.message.has_value() && !MakeMessage(program, bindings, node, at, &detail)) return;
    if (detail.empty()) {
      detail = program.text.message.empty() ? StrCat("failed rule: ", NameOf(program.text))
                                            : Stripped(program.text.message);
    }
    Cause cause = Broken(program, node, subject.value, detail);
    cause.field = FieldOf(program, node, at);
    if (ruled_.lets_stay && !program.uses_old && subject.IsUnchanged()) {
      verdict_.warnings.push_back(StrCat(cause.field, ": ", cause.message));
    } else {
      Tell(std::move(cause));
    }
  }

  void Failed(const RuleProgram& program, const Outcome& outcome, const SchemaNode& node,
              const Place& at) {
    const std::string text(outcome.value.AsString());
    const std::string name = NameOf(program.text);
    if (outcome.cost_exceeded) {
      return Stop(Fault(node, at,
                        StrCat("'", text,
                               "': no further validation rules will be run due to call cost "
                               "exceeds limit for rule: ",
                               name)));
    }
    if (text.starts_with("no such overload")) {
      return Tell(Fault(node, at,
                        StrCat("'", text,
                               "': call arguments did not match a supported operator, function or "
                               "macro signature for rule: ",
                               name)));
    }
    Tell(Fault(node, at, StrCat(text, " evaluating rule: ", name)));
  }

  // Leaves `detail` empty where the expression gives no message that can be used. False: no more
  // rules are run.
  bool MakeMessage(const RuleProgram& program, const cel::Bindings& bindings,
                   const SchemaNode& node, const Place& at, std::string* detail) {
    const Outcome outcome = program.message->Run(bindings, {.cost_max = cel::kPerCallLimit});
    if (outcome.cost_exceeded) {
      Stop(Fault(node, at,
                 StrCat("no further validation rules will be run due to call cost exceeds limit "
                        "for messageExpression: ",
                        Json(program.text.message_expression).Dump())));
      return false;
    }
    if (!Spend(outcome.cost)) {
      Stop(Fault(node, at, kOutOfBudget));
      return false;
    }
    if (!outcome.value.is(ValueKind::kString)) return true;
    std::string text = Stripped(outcome.value.AsString());
    const bool usable =
        outcome.value.AsString().size() <= kMessageBytesMax && text.find('\n') == text.npos;
    if (usable) *detail = std::move(text);
    return true;
  }

  bool Spend(uint64_t cost) {
    if (cost > budget_) return false;
    budget_ -= cost;
    return true;
  }

  std::string Here(const Place& at) const {
    const std::string below = at.Text();
    if (ruled_.field.empty() || below.empty()) return StrCat(ruled_.field, below);
    return StrCat(ruled_.field, ".", below);
  }

  // The field of a broken rule, which may stand below the value.
  std::string FieldOf(const RuleProgram& program, const SchemaNode& node, const Place& at) const {
    std::string field = Here(at);
    if (!program.text.field_path.empty()) {
      if (const auto path = NormalFieldPath(program.text.field_path, node); path.ok()) {
        StrAppend(&field, field.empty() || path->starts_with('[') ? "" : ".", *path);
      }
    }
    return field.empty() ? "<nil>" : field;
  }

  static Cause Broken(const RuleProgram& program, const SchemaNode& node, const Json& value,
                      const std::string& detail) {
    const std::string& reason = program.text.reason;
    if (reason == "FieldValueForbidden") return FieldForbidden("", detail);
    if (reason == "FieldValueRequired") return FieldRequired("", detail);
    const bool container = node.types == kTypeObject || node.types == kTypeArray;
    if (reason == "FieldValueDuplicate") {
      return {reason, container ? "Duplicate value" : StrCat("Duplicate value: ", value.Dump()),
              ""};
    }
    if (!container) return FieldInvalid("", value, detail);
    return {"FieldValueInvalid", StrCat("Invalid value: ", detail), ""};
  }

  // A rule that could not be judged; the value is shown by its type.
  Cause Fault(const SchemaNode& node, const Place& at, std::string_view why) const {
    const std::string field = Here(at);
    const std::string type = node.types == (kTypeInteger | kTypeString) ? "" : node.type_text;
    return FieldInvalid(field.empty() ? "<nil>" : field, type, why);
  }

  void Tell(Cause cause) {
    if (verdict_.causes.size() < kCausesMax) verdict_.causes.push_back(std::move(cause));
  }
  void Stop(Cause cause) {
    Tell(std::move(cause));
    stopped_ = true;
  }

  const RuledValue& ruled_;
  RuleVerdict& verdict_;
  uint64_t budget_ = cel::kRuntimeBudget;
  bool stopped_ = false;
};

}  // namespace

RuleVerdict RunRules(const RuledValue& ruled) {
  RuleVerdict verdict;
  const RuleSubject subject{ruled.value, ruled.old};
  RuleRunner(ruled, verdict).Node(ruled.rules, ruled.node, subject, Place());
  return verdict;
}

RuleVerdict RunRules(const StructuralSchema& schema, const Json& object, const Json* old) {
  if (schema.rules() == nullptr) return {};
  return RunRules({*schema.rules(), schema.root(), object, old});
}

}  // namespace bth::apiserver
