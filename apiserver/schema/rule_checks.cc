#include "apiserver/schema/rule_checks.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "apiserver/schema/field_paths.h"
#include "apiserver/schema/rule_programs.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

using Causes = std::vector<Cause>;

constexpr std::string_view kReasons[] = {"FieldValueDuplicate", "FieldValueForbidden",
                                         "FieldValueInvalid", "FieldValueRequired"};
// Rules that are told when all together cost too much.
constexpr size_t kExpensiveMax = 4;

bool HasLineBreak(std::string_view text) {
  return text.find_first_of("\n\r") != text.npos;
}

bool IsBlankRule(std::string_view text) {
  return StripAsciiWhitespace(text).empty();
}

void CheckMessage(const Json& rule, const std::string& at, Causes& causes) {
  const std::string message(rule["message"].AsString());
  if (!message.empty() && IsBlankRule(message)) {
    causes.push_back(FieldInvalid(at + ".message", message, "must be non-empty if specified"));
  } else if (HasLineBreak(message)) {
    causes.push_back(FieldInvalid(at + ".message", message, "must not contain line breaks"));
  } else if (HasLineBreak(rule["rule"].AsString()) && message.empty()) {
    causes.push_back(
        FieldRequired(at + ".message", "message must be specified if rule contains line breaks"));
  }
}

void CheckFieldPath(const Json& schema, const Json& rule, const std::string& at, Causes& causes) {
  const std::string path(rule["fieldPath"].AsString());
  if (path.empty()) return;
  if (IsBlankRule(path)) {
    causes.push_back(FieldInvalid(at + ".fieldPath", path, "must be non-empty if specified"));
  }
  if (HasLineBreak(path)) {
    causes.push_back(FieldInvalid(at + ".fieldPath", path, "must not contain line breaks"));
  }
  if (const auto node = CompileNode(schema); node.ok() && !NormalFieldPath(path, **node).ok()) {
    causes.push_back(FieldInvalid(at + ".fieldPath", path, "must be a valid path"));
  }
}

uint64_t Times(uint64_t a, uint64_t b) {
  return a != 0 && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

std::string CostFault(std::string_view what, uint64_t cost, uint64_t limit) {
  const double factor = static_cast<double>(cost) / static_cast<double>(limit);
  std::string by = "more than 100x";
  if (factor < 1.5) {
    by = absl::StrFormat("%fx", factor);
  } else if (factor <= 100) {
    by = absl::StrFormat("%.1fx", factor);
  }
  return StrCat(what, " exceeds budget by factor of ", by,
                " (try simplifying the rule, or adding maxItems, maxProperties, and maxLength "
                "where arrays, maps, and strings are declared)");
}

// A rule as the message of a fault in it shows it.
Json ShownRule(const SchemaRule& rule) {
  return Json::MakeObject(
      {{"Rule", rule.rule},
       {"Message", rule.message},
       {"MessageExpression", rule.message_expression},
       {"Reason", rule.reason.empty() ? Json() : Json(rule.reason)},
       {"FieldPath", rule.field_path},
       {"OptionalOldSelf",
        rule.optional_old_self.has_value() ? Json(*rule.optional_old_self) : Json()}});
}

// Where in the schema one is.
struct Spot {
  std::string field;
  // How often a value of the node may be there; nothing: there is no bound.
  std::optional<uint64_t> times = 1;
  // The highest part above that has no counterpart in an older object; empty: none.
  std::string unrelated;
};

class RuleChecker {
 public:
  void Node(const SchemaNode& node, const DeclaredType& type, const Spot& spot) {
    Below(node, type, spot);
    const std::vector<RuleProgram> programs = CompileRulesOf(node, type);
    for (size_t i = 0; i < programs.size(); ++i) {
      const std::string at = StrCat(spot.field, ".x-kubernetes-validations[", i, "]");
      Rule(programs[i], at, Repeats(type, spot));
      OldSelf(programs[i], at, spot);
    }
  }

  Causes Finish(const std::string& field) {
    if (total_ <= kSchemaCostMax) return std::move(causes_);
    for (const auto& [cost, at] : expensive_) {
      causes_.push_back(FieldForbidden(
          at,
          "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 "
          "schema"));
    }
    causes_.push_back(FieldForbidden(
        field, CostFault("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 "
                         "schema",
                         total_, kSchemaCostMax)));
    return std::move(causes_);
  }

 private:
  static uint64_t Repeats(const DeclaredType& type, const Spot& spot) {
    if (spot.times.has_value()) return *spot.times;
    return static_cast<uint64_t>(kRequestBytesMax / (type.bytes_min + 1));
  }

  void Below(const SchemaNode& node, const DeclaredType& type, const Spot& spot) {
    if (node.additional != nullptr && type.element != nullptr) {
      Spot below{
          spot.field + ".additionalProperties",
          Multiplied(spot, node.bounds == nullptr ? std::nullopt : node.bounds->properties_max),
          spot.unrelated};
      Node(*node.additional, *type.element, below);
    }
    for (const SchemaProperty& property : node.properties) {
      const DeclaredTypePtr below_type = PropertyType(type, property);
      if (below_type == nullptr) continue;
      Spot below{StrCat(spot.field, ".properties[", property.name, "]"), spot.times,
                 spot.unrelated};
      Node(*property.node, *below_type, below);
    }
    if (node.items != nullptr && type.element != nullptr) {
      Spot below{spot.field + ".items",
                 Multiplied(spot, node.bounds == nullptr ? std::nullopt : node.bounds->items_max),
                 spot.unrelated};
      if (node.list != ListKind::kMap && below.unrelated.empty()) below.unrelated = spot.field;
      Node(*node.items, *type.element, below);
    }
  }

  static std::optional<uint64_t> Multiplied(const Spot& spot, std::optional<int64_t> count) {
    if (!spot.times.has_value() || !count.has_value()) return std::nullopt;
    return Times(*spot.times, static_cast<uint64_t>(std::max<int64_t>(*count, 0)));
  }

  void Cost(std::string_view what, uint64_t once, uint64_t repeats, const std::string& at) {
    const uint64_t cost = Times(once, repeats);
    if (cost > kRuleCostMax) {
      causes_.push_back(FieldForbidden(at, CostFault(what, cost, kRuleCostMax)));
    }
    total_ = cost > UINT64_MAX - total_ ? UINT64_MAX : total_ + cost;
    if (cost < kSchemaCostMax / 100) return;
    expensive_.emplace_back(cost, at);
    std::stable_sort(expensive_.begin(), expensive_.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    if (expensive_.size() > kExpensiveMax) expensive_.pop_back();
  }

  void Rule(const RuleProgram& program, const std::string& at, uint64_t repeats) {
    Cost("estimated rule cost", program.cost_max, repeats, at + ".rule");
    if (!program.error.empty()) {
      causes_.push_back(FieldInvalid(at + ".rule", ShownRule(program.text), program.error));
    }
    if (!program.message_error.empty()) {
      causes_.push_back(
          FieldInvalid(at + ".messageExpression", ShownRule(program.text), program.message_error));
    } else if (program.message.has_value()) {
      // The message is made once, for the first value that breaks the rule.
      Cost("estimated messageExpression cost", program.message_cost_max, 1,
           at + ".messageExpression");
    }
  }

  void OldSelf(const RuleProgram& program, const std::string& at, const Spot& spot) {
    if (program.uses_old) {
      if (spot.unrelated.empty()) return;
      causes_.push_back(FieldInvalid(
          at + ".rule", program.text.rule,
          StrCat("oldSelf cannot be used on the uncorrelatable portion of the schema within ",
                 spot.unrelated)));
    } else if (program.text.optional_old_self.has_value()) {
      causes_.push_back(FieldInvalid(at + ".optionalOldSelf", *program.text.optional_old_self,
                                     "may not be set if oldSelf is not used in rule"));
    }
  }

  Causes causes_;
  uint64_t total_ = 0;
  std::vector<std::pair<uint64_t, std::string>> expensive_;  // Dearest first.
};

}  // namespace

void CheckRuleForm(const Json& schema, const std::string& field, Causes& causes) {
  const Json::Array& rules = schema["x-kubernetes-validations"].items();
  for (size_t i = 0; i < rules.size(); ++i) {
    const Json& rule = rules[i];
    const std::string at = StrCat(field, ".x-kubernetes-validations[", i, "]");
    if (IsBlankRule(rule["rule"].AsString())) {
      causes.push_back(FieldRequired(at + ".rule", "rule is not specified"));
    }
    CheckMessage(rule, at, causes);
    const std::string_view expression = rule["messageExpression"].AsString();
    if (!expression.empty() && IsBlankRule(expression)) {
      causes.push_back(FieldRequired(at + ".messageExpression",
                                     "messageExpression must be non-empty if specified"));
    }
    const std::string_view reason = rule["reason"].AsString();
    if (!reason.empty() &&
        std::find(std::begin(kReasons), std::end(kReasons), reason) == std::end(kReasons)) {
      std::string known;
      for (const std::string_view word : kReasons) {
        StrAppend(&known, known.empty() ? "" : ", ", "\"", word, "\"");
      }
      causes.push_back(FieldNotSupported(at + ".reason", reason, known));
    }
    CheckFieldPath(schema, rule, at, causes);
  }
}

std::vector<Cause> CheckRules(const Json& schema, const std::string& field) {
  const absl::StatusOr<SchemaNodePtr> node = CompileNode(schema);
  if (!node.ok()) return {};  // Told where the definition is installed.
  const DeclaredTypePtr type = DeclareType(**node, true);
  if (type == nullptr) return {};
  RuleChecker checker;
  Spot root;
  root.field = field;
  checker.Node(**node, *type, root);
  return checker.Finish(field);
}

}  // namespace bth::apiserver
