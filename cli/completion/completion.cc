#include "cli/completion/completion.h"

#include "base/strings.h"
#include "cli/session/session.h"

namespace bth::cli {
namespace {

struct ShellText {
  std::string_view name;
  std::string_view now;    // Loads the script into the shell that runs.
  std::string_view later;  // Into those that start from now on.
};
constexpr ShellText kShells[] = {
    {"bash", "source <(vcctl completion bash)",
     "vcctl completion bash > ~/.local/share/bash-completion/completions/vcctl"},
    {"zsh", "source <(vcctl completion zsh)",
     "vcctl completion zsh > ~/.zsh/_vcctl    # a folder of $fpath, before compinit runs"},
    {"fish", "vcctl completion fish | source",
     "vcctl completion fish > ~/.config/fish/completions/vcctl.fish"},
};

}  // namespace

Command CompletionCommand() {
  Command group;
  group.name = "completion";
  group.short_text = "print a script that completes commands in a shell";
  group.needs_child = true;  // Shells read what it prints: that must not be help.
  for (const ShellText& shell : kShells) {
    Command leaf;
    leaf.name = shell.name;
    leaf.short_text = StrCat("for ", shell.name);
    leaf.long_text = StrCat("Prints a script that lets ", shell.name,
                            " complete commands, flags, their values and the names of jobs,\n"
                            "queues and namespaces, for vcctl and the programs of one command.");
    leaf.example = StrCat("  ", shell.now, "\n  ", shell.later);
    leaf.run = [name = shell.name](Session& session) {
      session.out() << CompletionScript(name);
      return absl::OkStatus();
    };
    group.children.push_back(std::move(leaf));
  }
  return group;
}

}  // namespace bth::cli
