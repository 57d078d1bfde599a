#include "cache/intake/compile_terms.h"

#include <algorithm>

#include "cache/intake/whole_number.h"

namespace bth::cache {

model::SelectorOp OpOf(types::SelectorOp op) {
  return static_cast<model::SelectorOp>(static_cast<int>(op));
}
static_assert(static_cast<int>(types::SelectorOp::kLt) == static_cast<int>(model::SelectorOp::kLt));

model::NodeRequirement CompileRequirement(const types::Requirement& in, SymbolHold& symbols) {
  model::NodeRequirement out;
  out.key = symbols.Intern(in.key);
  out.op = OpOf(in.op);
  if (in.op == types::SelectorOp::kGt || in.op == types::SelectorOp::kLt) {
    if (in.values.size() == 1) out.bound = WholeNumber(in.values[0]);
    return out;
  }
  for (const std::string& value : in.values) out.values.push_back(symbols.Intern(value));
  std::sort(out.values.begin(), out.values.end());
  return out;
}

model::NodeTerm CompileTerm(const types::NodeSelectorTerm& in, SymbolHold& symbols) {
  model::NodeTerm out;
  out.never = !in.Check().ok() || (in.match_expressions.empty() && in.match_fields.empty());
  for (const types::Requirement& r : in.match_expressions) {
    out.labels.push_back(CompileRequirement(r, symbols));
  }
  for (const types::Requirement& r : in.match_fields) {
    out.names.push_back(CompileRequirement(r, symbols));
  }
  return out;
}

std::optional<std::vector<model::NodeRequirement>> CompileRequirements(
    const types::LabelSelector& in, SymbolHold& symbols) {
  if (!in.Check().ok()) return std::nullopt;
  std::vector<model::NodeRequirement> out;
  for (const auto& [key, value] : in.match_labels) {
    out.push_back({.key = symbols.Intern(key),
                   .op = model::SelectorOp::kIn,
                   .values = {symbols.Intern(value)},
                   .bound = std::nullopt});
  }
  for (const types::Requirement& r : in.match_expressions) {
    out.push_back(CompileRequirement(r, symbols));
  }
  return out;
}

}  // namespace bth::cache
