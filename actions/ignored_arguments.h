// Arguments of Volcano that change nothing here: who sets one is told so.
#pragma once

#include "absl/status/status.h"
#include "base/status.h"
#include "conf/arguments.h"

namespace bth::actions {

// Refusals are exact and kept while they hold; there is no cache that could be switched off.
inline absl::Status NoteErrorCache(const conf::Arguments& args) {
  BTH_ASSIGN_OR_RETURN(const bool wanted, args.Bool("predicateErrorCacheEnable", true));
  if (!wanted) {
    args.Report("predicateErrorCacheEnable",
                "has no effect: refusals are exact and kept while they hold; remove it");
  }
  return absl::OkStatus();
}

}  // namespace bth::actions
