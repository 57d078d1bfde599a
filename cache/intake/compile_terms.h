// Node selectors of the API with symbols for words; the caller keeps the hold beside them.
#pragma once

#include "api/model/constraints.h"
#include "api/types/selector.h"
#include "base/interner.h"

namespace bth::cache {

model::SelectorOp OpOf(types::SelectorOp op);
model::NodeRequirement CompileRequirement(const types::Requirement& in, SymbolHold& symbols);
// A term that cannot be parsed, or that is empty, matches no node.
model::NodeTerm CompileTerm(const types::NodeSelectorTerm& in, SymbolHold& symbols);
// The requirements of a label selector; none match everything. Nothing: it cannot be parsed.
std::optional<std::vector<model::NodeRequirement>> CompileRequirements(
    const types::LabelSelector& in, SymbolHold& symbols);

}  // namespace bth::cache
