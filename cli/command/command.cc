#include "cli/command/command.h"

#include "base/strings.h"

namespace bth::cli {

const Command* Command::Child(std::string_view wanted) const {
  for (const Command& child : children) {
    if (child.name == wanted) return &child;
  }
  return nullptr;
}

std::string PathText(const CommandPath& path) {
  std::string out;
  for (const Command* command : path) StrAppend(&out, out.empty() ? "" : " ", command->name);
  return out;
}

}  // namespace bth::cli
