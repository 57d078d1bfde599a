#include "base/go_flags.h"

#include "absl/strings/numbers.h"
#include "base/strings.h"
#include "base/suggest.h"

namespace bth {
namespace {

bool ReadGoBool(std::string_view text, bool* value) {
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) return *value = true;
  }
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) return !(*value = false);
  }
  return false;
}

}  // namespace

const GoFlags::Flag* GoFlags::Find(std::string_view name) const {
  for (const Flag& flag : flags_) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

std::string GoFlags::Set(const Flag& flag, std::string_view value) {
  bool fits = true;
  if (std::string* const* text = std::get_if<std::string*>(&flag.target)) {
    (*text)->assign(value);
  } else if (int32_t* const* number = std::get_if<int32_t*>(&flag.target)) {
    int32_t read = 0;
    fits = SimpleAtoi(value, &read);
    if (fits) **number = read;
  } else {
    bool read = false;
    fits = ReadGoBool(value, &read);
    if (fits) *std::get<bool*>(flag.target) = read;
  }
  if (fits) return "";
  return StrCat("invalid value \"", value, "\" for flag -", flag.name);
}

std::string GoFlags::Unknown(std::string_view name) const {
  std::vector<std::string_view> known;
  known.reserve(flags_.size());
  for (const Flag& flag : flags_) known.push_back(flag.name);
  return StrCat("flag provided but not defined: -", name, DidYouMean(name, known));
}

std::string GoFlags::Parse(const std::vector<std::string>& args) const {
  for (size_t i = 0; i < args.size(); ++i) {
    std::string_view arg = args[i];
    if (arg.empty() || arg == "--") return "";
    if (arg.size() < 2 || arg[0] != '-') return StrCat("\"", arg, "\" is no flag");
    arg.remove_prefix(arg[1] == '-' ? 2 : 1);
    const size_t equals = arg.find('=');
    const std::string_view name = arg.substr(0, equals);
    const Flag* flag = Find(name);
    if (flag == nullptr) return Unknown(name);
    std::string_view value = "true";
    if (equals != std::string_view::npos) {
      value = arg.substr(equals + 1);
    } else if (!std::holds_alternative<bool*>(flag->target)) {
      if (++i == args.size()) return StrCat("flag needs an argument: -", name);
      value = args[i];
    }
    std::string complaint = Set(*flag, value);
    if (!complaint.empty()) return complaint;
  }
  return "";
}

}  // namespace bth
