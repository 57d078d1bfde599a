#include "cel/types/overloads.h"

#include <cstddef>
#include <map>

namespace bth::cel {

std::optional<Resolution> ResolveOverloads(const Function& function, std::span<const TypePtr> args,
                                           bool member, Inference* inference) {
  Resolution resolution;
  for (const Overload& overload : function.overloads) {
    if (overload.member != member || overload.parameters.size() != args.size()) continue;
    std::map<std::string, TypePtr> type_parameters;
    std::vector<TypePtr> parameters;
    parameters.reserve(args.size());
    for (const TypePtr& parameter : overload.parameters) {
      parameters.push_back(inference->Instantiate(parameter, &type_parameters));
    }
    const TypePtr declared = inference->Instantiate(overload.result, &type_parameters);
    if (!inference->Agree(args, parameters)) continue;
    resolution.overloads.push_back(&overload);
    TypePtr result = inference->Resolve(declared, Inference::Unbound::kKeep);
    if (resolution.result == nullptr) {
      resolution.result = std::move(result);
    } else if (!(*result == *resolution.result)) {
      resolution.result = Type::Dyn();
    }
  }
  if (resolution.result == nullptr) return std::nullopt;
  return resolution;
}

std::string SignatureText(std::span<const TypePtr> args, bool member) {
  std::string text;
  size_t next = 0;
  if (member && !args.empty()) text = args[next++]->ToString() + ".";
  text += "(";
  for (size_t i = next; i < args.size(); ++i) {
    if (i > next) text += ", ";
    text += args[i]->ToString();
  }
  return text + ")";
}

}  // namespace bth::cel
