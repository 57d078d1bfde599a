// What a scheduler.conf means here, for whoever comes from Volcano: what would be refused, what has
// no effect, and what works otherwise than there.
//
// Pure functions of text, any thread. Reading the file is the caller's business.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/json.h"
#include "cli/conf/policy_engine.h"
#include "conf/load.h"

namespace bth::cli {

enum class ConfFindingKind {
  kError,       // The scheduler would refuse the file.
  kWarning,     // It has no effect, or not the one that was meant.
  kNote,        // Works as written, but worth a look.
  kDifference,  // Works otherwise than with Volcano, on purpose.
};

struct ConfFinding {
  ConfFindingKind kind = ConfFindingKind::kError;
  int line = 0;        // From 1, in the text that was given; 0: of no line.
  std::string path;    // `tiers[1].plugins[0]`; may be empty.
  std::string text;    // What is so.
  std::string remedy;  // What to do about it; may be empty.

  friend bool operator==(const ConfFinding&, const ConfFinding&) = default;
};

struct ConfReport {
  std::vector<ConfFinding> findings;  // Errors first, then by line.
  bool is_accepted() const;
};

struct ConfCheckOptions {
  conf::KnownNames known;  // Those of the registry: what it lacks would be refused.
  // What plugins and actions say of their arguments; unset: they are not looked at.
  std::function<ArgumentReview(const conf::Policy&)> review_arguments;
};

// `text` is the file, or a ConfigMap that holds it as `….conf`, as Volcano's is installed.
ConfReport CheckConf(std::string_view text, const ConfCheckOptions& options);

// The policy in a file that may be such a ConfigMap: what the scheduler would read.
std::string PolicyTextIn(std::string_view text);
// Which entry of a ConfigMap holds the policy: Volcano's name for it, else the only `….conf`; -1:
// there is none, or several.
int PolicyEntryOf(const std::vector<std::string_view>& keys);

// {"accepted": B, "file": F, "findings": [{"kind", "line", "path", "text", "remedy"}]}; what is
// empty is left out.
types::Json ConfReportJson(const ConfReport& report, std::string_view file);
// For people: a line for the whole file, one per finding, remedies below.
std::string ConfReportText(const ConfReport& report, std::string_view file);

}  // namespace bth::cli
