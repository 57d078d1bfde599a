// A folder that is removed with what is in it.
#pragma once

#include <cstdlib>
#include <fstream>
#include <string>

namespace bth::client::testing {

class TempFolder {
 public:
  TempFolder() {
    char name[] = "/tmp/bth_client_XXXXXX";
    path_ = ::mkdtemp(name);
  }
  TempFolder(const TempFolder&) = delete;
  ~TempFolder() { (void)std::system(("rm -rf '" + path_ + "'").c_str()); }
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name) << text;
    return path_ + "/" + name;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace bth::client::testing
