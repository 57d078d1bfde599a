// A checked expression in the form in which it is run: steps in one vector, names resolved to
// places, constant parts computed. Immutable once made; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cel/environment.h"
#include "cel/stdlib/pattern.h"
#include "cel/types/checker.h"
#include "cel/values/value.h"

namespace bth::cel {

using StepId = int32_t;
inline constexpr StepId kNoStep = -1;

// Steps nest at most this deep: running them recurses.
inline constexpr int kPlanDepthMax = 1200;

enum class StepKind : uint8_t {
  kConstant,        // constants[table]
  kVariable,        // variables[table]
  kLocal,           // Slot `table`.
  kBound,           // Slot `table`, where a comes to be when it is first asked for.
  kName,            // names[table]: of an expression that was not checked.
  kPath,            // a, then the fields texts[b] to texts[b + c - 1]
  kIndex,           // a[b]
  kOptionalIndex,   // a[?b]
  kOptionalSelect,  // a.?texts[table]
  kHas,             // has(a.texts[table])
  kAnd,             // a && b
  kOr,              // a || b
  kNotStrictlyFalse,
  kConditional,      // a ? b : c
  kEqual,            // a == b
  kNotEqual,         // a != b
  kIn,               // a in b
  kInSet,            // a in constants[table], a map whose keys are in it, or a list
  kMatches,          // a.matches(patterns[table])
  kOptionalOr,       // a.or(b)
  kOptionalOrValue,  // a.orValue(b)
  kCall,             // calls[table]
  kList,             // literals[table]
  kMap,              // literals[table]
  kStruct,           // literals[table]
  kFold,             // folds[table]
};

// Links of chains: members of members, that follow a name or any other value.
inline bool IsChain(StepKind kind) {
  return kind >= StepKind::kPath && kind <= StepKind::kOptionalSelect;
}

struct Step {
  StepKind kind = StepKind::kConstant;
  // Names, selections and indexes: what cost counts as one attribute with qualifiers.
  bool is_attribute = false;
  // What it costs itself, before what calls add by their arguments and chains by their members.
  uint8_t cost = 0;
  StepId a = kNoStep;
  StepId b = kNoStep;
  StepId c = kNoStep;
  int32_t table = 0;
};

// A candidate of a call: which kinds of values each parameter takes, as bits.
struct Candidate {
  const Overload* overload = nullptr;
  std::vector<uint32_t> kinds;
  bool has_opaque = false;  // Parameters whose types are told apart by name.
};

struct CallSite {
  std::string function;
  std::vector<StepId> args;  // With the target first.
  std::vector<Candidate> candidates;
  // Kinds that some overload of the function takes first, whether it is a candidate or not.
  uint32_t first_kinds = 0;
};

// A list's elements, a map's entries or an object's fields.
struct LiteralSite {
  struct Item {
    StepId key = kNoStep;
    std::string field;
    StepId value = kNoStep;
    bool optional = false;
  };
  std::vector<Item> items;
  TypePtr type;                      // Of an object.
  const Message* message = nullptr;  // Or the message it is, of the environment.
};

enum class FoldKind : uint8_t {
  kGeneral,
  kList,  // Appends an element to a list, if `filter` lets it.
  kMap,   // Inserts a key and value, or all of a map, if `filter` lets it.
  kBind,  // Goes over nothing: the result, for which `init` has a name.
};

struct FoldSite {
  FoldKind kind = FoldKind::kGeneral;
  StepId range = kNoStep;
  int32_t iter_slot = 0;
  int32_t iter2_slot = -1;
  // General ones.
  StepId init = kNoStep;
  StepId condition = kNoStep;
  StepId step = kNoStep;
  StepId result = kNoStep;
  int32_t accu_slot = 0;
  // Those that build.
  StepId filter = kNoStep;
  StepId key = kNoStep;      // Of a map.
  StepId element = kNoStep;  // Or the map's value, or the map whose entries are inserted.
  uint8_t cost_of_insert = 0;
};

// What an unchecked name may mean: tried in order.
struct NameSite {
  struct Meaning {
    std::string variable;
    size_t fields = 0;  // How many of `path` remain to be selected.
    Value constant;     // If `is_constant`.
    bool is_constant = false;
  };
  std::vector<Meaning> meanings;
  std::vector<std::string> path;
};

struct Plan {
  std::vector<Step> steps;
  StepId root = kNoStep;
  int32_t slots = 0;
  std::vector<Value> constants;
  std::vector<std::string> variables;
  std::vector<std::string> texts;
  std::vector<std::unique_ptr<const Pattern>> patterns;
  std::vector<CallSite> calls;
  std::vector<LiteralSite> literals;
  std::vector<FoldSite> folds;
  std::vector<NameSite> names;

  const Step& operator[](StepId id) const { return steps[static_cast<size_t>(id)]; }
};

// References must outlive the plan. Errors: kInvalidArgument: nested too deeply.
absl::StatusOr<std::shared_ptr<const Plan>> MakePlan(const CheckedAst& checked,
                                                     const Environment& environment);

}  // namespace bth::cel
