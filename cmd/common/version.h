// What --version prints.
#pragma once

#include <string>

namespace bth::cmd {

// Six lines, as those who read the version of Volcano's programs expect.
std::string VersionText();
// "batholith/0.1.0", for User-Agent headers.
std::string UserAgent(const std::string& program);

}  // namespace bth::cmd
