#include "framework/hooks/plugin_loader.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "framework/hooks/plugin_abi.h"

namespace bth::framework {
namespace {

namespace fs = std::filesystem;

constexpr size_t kFilesMax = 1000;
constexpr char kRemedy[] =
    "build it with this program's headers, compiler and BTH_DIMS (examples/plugin/README.md)";

absl::Status Bad(std::string text) {
  return absl::InvalidArgumentError(text);
}

// A file's bytes, as long as it lives.
class MappedFile final {
 public:
  static absl::StatusOr<MappedFile> Open(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return Bad(StrCat("cannot be opened: ", std::strerror(errno)));
    struct stat info {};
    MappedFile file;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
      file.size_ = static_cast<size_t>(info.st_size);
      file.bytes_ = mmap(nullptr, file.size_, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    close(fd);
    if (file.bytes_ == MAP_FAILED) return Bad("cannot be read, or is empty");
    return file;
  }
  MappedFile(MappedFile&& other) noexcept
      : bytes_(std::exchange(other.bytes_, MAP_FAILED)), size_(other.size_) {}
  ~MappedFile() {
    if (bytes_ != MAP_FAILED) munmap(bytes_, size_);
  }
  std::string_view view() const { return {static_cast<const char*>(bytes_), size_}; }

 private:
  MappedFile() = default;
  void* bytes_ = MAP_FAILED;
  size_t size_ = 0;
};

// The ABI line in a file that has not been opened as a shared object; empty: it has none.
std::string AbiLineOf(std::string_view bytes) {
  for (size_t at = bytes.find(kPluginAbiMark); at != bytes.npos;
       at = bytes.find(kPluginAbiMark, at + 1)) {
    const std::string_view rest = bytes.substr(at, sizeof(PluginAbi::text));
    const std::string_view line = rest.substr(0, rest.find('\0'));
    if (line.size() > kPluginAbiMark.size()) return std::string(line);
  }
  return "";
}

std::map<std::string, std::string> PairsOf(std::string_view line) {
  std::map<std::string, std::string> pairs;
  for (const absl::string_view pair : SplitText(line, ' ', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> both = absl::StrSplit(pair, absl::MaxSplits('=', 1));
    pairs.insert(both);
  }
  return pairs;
}

// What one file registers, from a registry of its own.
absl::StatusOr<Registry> Open(const std::string& path) {
  BTH_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
  const std::string line = AbiLineOf(file.view());
  if (line.empty()) {
    return Bad("has no BTH_PLUGIN_ENTRY, so it is no plugin: remove it, or add the entry");
  }
  BTH_RETURN_IF_ERROR(CheckPluginAbi(line));
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Bad(StrCat("cannot be loaded: ", dlerror(), "; ", kRemedy));
  const auto entry = reinterpret_cast<void (*)(Registry&)>(dlsym(handle, "bth_plugin_entry"));
  if (entry == nullptr) return Bad("has no BTH_PLUGIN_ENTRY in the end: link it once");
  Registry registry;
  try {
    entry(registry);
  } catch (const std::exception& error) {
    return Bad(StrCat("its entry failed: ", error.what()));
  }
  if (registry.plugins.empty() && registry.actions.empty()) {
    return Bad("registers neither plugin nor action");
  }
  return registry;
}

void TellNoPlugins(const std::string& folder, std::string_view why) {
  Log(LogLevel::kWarning, "plugins.none",
      {{"folder", folder},
       {"why", why},
       {"remedy", "correct --plugins-dir, or mount the shared objects there"}});
}

absl::StatusOr<std::vector<std::string>> ObjectsIn(const std::string& folder) {
  std::vector<std::string> files;
  if (folder.empty()) return files;
  std::error_code error;
  const fs::file_type type = fs::status(folder, error).type();
  if (type == fs::file_type::not_found) {
    TellNoPlugins(folder, "there is no such folder");
    return files;
  }
  if (type != fs::file_type::directory) {
    return Bad(StrCat(folder, ": ", error ? error.message() : "is no folder"));
  }
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".so") files.push_back(it->path().string());
    if (files.size() > kFilesMax) {
      return Bad(StrCat(folder, ": more than ", kFilesMax, " shared objects"));
    }
  }
  if (error) return Bad(StrCat(folder, ": ", error.message()));
  if (files.empty()) TellNoPlugins(folder, "it holds no *.so file");
  std::sort(files.begin(), files.end());
  return files;
}

// `owners`: which file registered a name.
template <typename Factories>
absl::Status Merge(const std::string& file, std::string_view kind, Factories from,
                   std::map<std::string, std::string>* owners, Factories* to) {
  for (auto& [name, factory] : from) {
    if (!factory) return Bad(StrCat(kind, " ", name, ": has no factory"));
    const std::string key = StrCat(kind, " ", name);
    const auto [owner, fresh] = owners->emplace(key, file);
    if (!fresh) return Bad(StrCat(key, ": ", owner->second, " has one of that name"));
    const bool replaces = to->contains(name);
    (*to)[name] = std::move(factory);
    Log(LogLevel::kInfo, "plugin.loaded",
        {{"file", file}, {"kind", kind}, {"name", name}, {"replaces_builtin", replaces}});
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckPluginAbi(std::string_view theirs) {
  if (theirs == kPluginAbi.view()) return absl::OkStatus();
  const std::map<std::string, std::string> there = PairsOf(theirs);
  const std::map<std::string, std::string> here = PairsOf(kPluginAbi.view());
  std::vector<std::string> differ;
  const auto compare = [&](const std::string& name) {
    const auto a = there.find(name);
    const auto b = here.find(name);
    const std::string is = a == there.end() ? "nothing" : a->second;
    const std::string must = b == here.end() ? "nothing" : b->second;
    if (is != must) differ.push_back(StrCat(name, " is ", is, " and must be ", must));
  };
  for (const auto& [name, value] : here) compare(name);
  for (const auto& [name, value] : there) {
    if (!here.contains(name)) compare(name);
  }
  return Bad(StrCat("was built for another program: ", absl::StrJoin(differ, ", "), "; ", kRemedy));
}

absl::Status LoadPlugins(const std::string& folder, Registry* registry) {
  BTH_ASSIGN_OR_RETURN(const std::vector<std::string> files, ObjectsIn(folder));
  std::map<std::string, std::string> owners;
  for (const std::string& file : files) {
    absl::StatusOr<Registry> loaded = Open(file);
    absl::Status status = loaded.status();
    if (status.ok()) {
      status = Merge(file, "plugin", std::move(loaded->plugins), &owners, &registry->plugins);
    }
    if (status.ok()) {
      status = Merge(file, "action", std::move(loaded->actions), &owners, &registry->actions);
    }
    if (!status.ok()) return Annotate(status, file);
  }
  return absl::OkStatus();
}

}  // namespace bth::framework
