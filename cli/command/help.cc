#include "cli/command/help.h"

#include <algorithm>
#include <vector>

#include "base/strings.h"

namespace bth::cli {
namespace {

constexpr size_t kNamesWidthMin = 11;

std::string UsageLine(const CommandPath& path) {
  const Command& command = *path.back();
  std::string line = PathText(path);
  if (!command.operands.empty()) StrAppend(&line, " ", command.operands);
  return StrCat(line, " [flags]");
}

std::string ChildrenText(const Command& command) {
  std::vector<const Command*> sorted;
  size_t width = kNamesWidthMin;
  for (const Command& child : command.children) {
    sorted.push_back(&child);
    width = std::max(width, child.name.size());
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const Command* a, const Command* b) { return a->name < b->name; });
  std::string out;
  for (const Command* child : sorted) {
    std::string name = child->name;
    name.resize(width, ' ');
    StrAppend(&out, "  ", name, " ", child->short_text, "\n");
  }
  return out;
}

}  // namespace

std::string UsageText(const CommandPath& path, const HelpFlags& flags) {
  const Command& command = *path.back();
  const std::string name = PathText(path);
  std::string out = "Usage:\n";
  if (command.run) StrAppend(&out, "  ", UsageLine(path), "\n");
  if (!command.children.empty()) StrAppend(&out, "  ", name, " [command]\n");
  if (!command.example.empty()) StrAppend(&out, "\nExamples:\n", command.example, "\n");
  if (!command.children.empty()) {
    StrAppend(&out, "\nAvailable Commands:\n", ChildrenText(command));
  }
  StrAppend(&out, "\nFlags:\n", flags.own.Usage());
  if (!flags.global.empty()) StrAppend(&out, "\nGlobal Flags:\n", flags.global.Usage());
  if (!command.children.empty()) {
    StrAppend(&out, "\nUse \"", name,
              " [command] --help\" for more information about a command.\n");
  }
  return out;
}

std::string HelpText(const CommandPath& path, const HelpFlags& flags) {
  const Command& command = *path.back();
  const std::string& about = command.long_text.empty() ? command.short_text : command.long_text;
  return StrCat(about, about.empty() ? "" : "\n\n", UsageText(path, flags));
}

std::string ScreenText(const Command& program) {
  return StrCat("Usage:\n  ", program.name, " [command]\n\nExamples:\n", program.screen_example,
                "\n\nAvailable Commands:\n", ChildrenText(program), "\nUse \"", program.name,
                " [command] --help\" for more information about a command.\n");
}

}  // namespace bth::cli
