// Which overloads of a function a call may mean, by the types of its arguments.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cel/environment.h"
#include "cel/types/inference.h"
#include "cel/types/type.h"

namespace bth::cel {

struct Resolution {
  TypePtr result;  // dyn if the overloads differ.
  std::vector<const Overload*> overloads;
};

// `args` begins with the target of a member call. Nothing: no overload fits. All that fit are
// given, since dyn arguments show their types only when run; type variables are bound by each.
std::optional<Resolution> ResolveOverloads(const Function& function, std::span<const TypePtr> args,
                                           bool member, Inference* inference);

// "(int, string)", or "int.(string)" of a member call.
std::string SignatureText(std::span<const TypePtr> args, bool member);

}  // namespace bth::cel
