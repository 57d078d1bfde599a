#include "cmd/common/version.h"

#include "base/strings.h"

namespace bth::cmd {

std::string VersionText() {
  return StrCat("API Version: v1alpha1\nVersion: ", BTH_VERSION,
                "\nGit SHA: Not provided.\nBuilt At: Not provided.\nCompiler: ", __VERSION__,
#if defined(__x86_64__)
                "\nOS/Arch: linux/amd64\n");
#elif defined(__aarch64__)
                "\nOS/Arch: linux/arm64\n");
#else
                "\nOS/Arch: linux/other\n");
#endif
}

std::string UserAgent(const std::string& program) {
  return StrCat(program, "/", BTH_VERSION, " (linux) batholith");
}

}  // namespace bth::cmd
