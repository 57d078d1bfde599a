// A folder for the files of one test.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace bth::test {

// Made empty, removed at the end with all that is in it. The kernel sees to it that no test program
// beside this one gets the same.
class TempFolder {
 public:
  TempFolder() : path_((std::filesystem::temp_directory_path() / "bth-test-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make " + path_);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  // The path of what has, or may get, this name in the folder.
  std::string Sub(const std::string& name) const { return path_ + "/" + name; }
  // Replaces the file; its name may lead through new folders. Returns its path.
  std::string Write(const std::string& name, std::string_view text) const {
    const std::filesystem::path file = Sub(name);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
    return file.string();
  }

 private:
  std::string path_;
};

}  // namespace bth::test
