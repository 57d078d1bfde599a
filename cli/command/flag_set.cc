#include "cli/command/flag_set.h"

#include <algorithm>
#include <utility>

#include "api/rules/go_quote.h"
#include "api/types/duration.h"
#include "base/check.h"
#include "base/status.h"
#include "base/strings.h"
#include "cli/command/go_text.h"
#include "cli/command/suggestions.h"

namespace bth::cli {
namespace {

absl::Status FlagError(const std::string& what) {
  return absl::InvalidArgumentError(what);
}

absl::Status SetFlag(const Flag& flag, std::string_view value) {
  absl::Status set = flag.set(value);
  if (set.ok()) return set;
  const std::string letter = flag.letter == 0 ? "" : StrCat("-", std::string(1, flag.letter), ", ");
  return FlagError(StrCat("invalid argument ", rules::GoQuote(value), " for ",
                          rules::GoQuote(StrCat(letter, "--", flag.name)),
                          " flag: ", set.message()));
}

std::string NearFlags(const FlagSet& flags, std::string_view name) {
  std::vector<std::string> known;
  for (const Flag& flag : flags.flags()) known.push_back(flag.name);
  std::vector<std::string> near = NearWords(name, known);
  for (std::string& word : near) word.insert(0, "--");
  return DidYouMeanThis(near);
}

// The arguments that are not read yet.
class Remaining final {
 public:
  explicit Remaining(const std::vector<std::string>& args) : args_(args) {}
  bool empty() const { return next_ == args_.size(); }
  const std::string& Take() { return args_[next_++]; }

 private:
  const std::vector<std::string>& args_;
  size_t next_ = 0;
};

// "--name", "--name=value", "--name value".
absl::Status ParseLong(const FlagSet& flags, std::string_view word, Remaining& rest) {
  const std::string_view body = word.substr(2);
  if (body.front() == '-' || body.front() == '=') {
    return FlagError(StrCat("bad flag syntax: ", word));
  }
  const size_t equals = body.find('=');
  const std::string_view name = body.substr(0, equals);
  const Flag* flag = flags.Find(name);
  if (flag == nullptr) {
    return FlagError(StrCat("unknown flag: --", name, NearFlags(flags, name)));
  }
  if (equals != std::string_view::npos) return SetFlag(*flag, body.substr(equals + 1));
  if (!flag->takes_value) return SetFlag(*flag, "true");
  if (rest.empty()) return FlagError(StrCat("flag needs an argument: ", word));
  return SetFlag(*flag, rest.Take());
}

// "-n value", "-nvalue", "-n=value", and several letters in one word, the last of which may have a
// value.
absl::Status ParseLetters(const FlagSet& flags, std::string_view letters, Remaining& rest) {
  while (!letters.empty()) {
    const char letter = letters.front();
    const Flag* flag = flags.Find(letter);
    if (flag == nullptr) {
      return FlagError(StrCat("unknown shorthand flag: ", GoQuoted(letter), " in -", letters));
    }
    if (letters.size() > 2 && letters[1] == '=') return SetFlag(*flag, letters.substr(2));
    if (!flag->takes_value) {
      BTH_RETURN_IF_ERROR(SetFlag(*flag, "true"));
      letters.remove_prefix(1);
      continue;
    }
    if (letters.size() > 1) return SetFlag(*flag, letters.substr(1));
    if (rest.empty()) {
      return FlagError(StrCat("flag needs an argument: ", GoQuoted(letter), " in -", letters));
    }
    return SetFlag(*flag, rest.Take());
  }
  return absl::OkStatus();
}

absl::Status CheckModules(std::string_view value) {
  absl::Status syntax = FlagError("syntax error: expect comma-separated list of filename=N");
  for (const absl::string_view piece : SplitText(value, ',', absl::SkipEmpty())) {
    const std::vector<std::string> parts = SplitText(ToStd(piece), '=');
    if (parts.size() != 2 || parts[0].empty() || parts[1].empty()) return syntax;
    const absl::StatusOr<int64_t> level = ParseGoInt(parts[1], 10, 32);
    if (!level.ok()) return syntax;
    if (*level < 0) return FlagError("negative value for vmodule level");
  }
  return absl::OkStatus();
}

}  // namespace

void FlagSet::Text(std::string* target, FlagName name, std::string_view help) {
  auto set = [target](std::string_view value) {
    *target = value;
    return absl::OkStatus();
  };
  Add({std::string(name.name), name.letter, "string", std::string(help),
       target->empty() ? "" : rules::GoQuote(*target), true, std::move(set)});
}

void FlagSet::Int(int64_t* target, FlagName name, std::string_view help) {
  auto set = [target](std::string_view value) -> absl::Status {
    BTH_ASSIGN_OR_RETURN(*target, ParseGoInt(value, 0, 64));
    return absl::OkStatus();
  };
  Add({std::string(name.name), name.letter, "int", std::string(help),
       *target == 0 ? "" : StrCat(*target), true, std::move(set)});
}

void FlagSet::Int32(int32_t* target, FlagName name, std::string_view help) {
  auto set = [target](std::string_view value) -> absl::Status {
    BTH_ASSIGN_OR_RETURN(const int64_t number, ParseGoInt(value, 0, 32));
    *target = static_cast<int32_t>(number);
    return absl::OkStatus();
  };
  Add({std::string(name.name), name.letter, "int32", std::string(help),
       *target == 0 ? "" : StrCat(*target), true, std::move(set)});
}

void FlagSet::Bool(bool* target, FlagName name, std::string_view help) {
  auto set = [target](std::string_view value) -> absl::Status {
    BTH_ASSIGN_OR_RETURN(*target, ParseGoBool(value));
    return absl::OkStatus();
  };
  Add({std::string(name.name), name.letter, "", std::string(help), *target ? "true" : "", false,
       std::move(set)});
}

void FlagSet::Duration(absl::Duration* target, FlagName name, std::string_view help) {
  auto set = [target](std::string_view value) -> absl::Status {
    BTH_ASSIGN_OR_RETURN(*target, ParseGoDuration(value));
    return absl::OkStatus();
  };
  Add({std::string(name.name), name.letter, "duration", std::string(help),
       *target == absl::ZeroDuration() ? "" : types::DurationText(*target), true, std::move(set)});
}

void FlagSet::AddAll(const FlagSet& other) {
  flags_.insert(flags_.end(), other.flags_.begin(), other.flags_.end());
}

void FlagSet::OfferFor(std::string_view name, Offer offer) {
  const auto flag = std::find_if(flags_.begin(), flags_.end(),
                                 [name](const Flag& known) { return known.name == name; });
  BTH_CHECK(flag != flags_.end());
  flag->offer = std::move(offer);
}

const Flag* FlagSet::Find(std::string_view name) const {
  std::string wanted(name);
  std::replace(wanted.begin(), wanted.end(), '_', '-');
  for (const Flag& flag : flags_) {
    if (flag.name == wanted) return &flag;
  }
  return nullptr;
}

const Flag* FlagSet::Find(char letter) const {
  for (const Flag& flag : flags_) {
    if (flag.letter != 0 && flag.letter == letter) return &flag;
  }
  return nullptr;
}

absl::StatusOr<std::vector<std::string>> FlagSet::Parse(
    const std::vector<std::string>& args) const {
  std::vector<std::string> words;
  Remaining rest(args);
  while (!rest.empty()) {
    const std::string& word = rest.Take();
    if (word == "--") {
      while (!rest.empty()) words.push_back(rest.Take());
    } else if (word.size() < 2 || word.front() != '-') {
      words.push_back(word);
    } else if (word[1] == '-') {
      BTH_RETURN_IF_ERROR(ParseLong(*this, word, rest));
    } else {
      BTH_RETURN_IF_ERROR(ParseLetters(*this, std::string_view(word).substr(1), rest));
    }
  }
  return words;
}

std::string FlagSet::Usage() const {
  std::vector<const Flag*> sorted;
  for (const Flag& flag : flags_) sorted.push_back(&flag);
  std::sort(sorted.begin(), sorted.end(),
            [](const Flag* a, const Flag* b) { return a->name < b->name; });
  std::vector<std::string> heads;
  size_t width = 0;
  for (const Flag* flag : sorted) {
    std::string head = flag->letter == 0
                           ? StrCat("      --", flag->name)
                           : StrCat("  -", std::string(1, flag->letter), ", --", flag->name);
    if (!flag->type.empty()) StrAppend(&head, " ", flag->type);
    width = std::max(width, head.size());
    heads.push_back(std::move(head));
  }
  std::string out;
  for (size_t i = 0; i < sorted.size(); ++i) {
    heads[i].resize(width, ' ');
    const Flag& flag = *sorted[i];
    StrAppend(&out, heads[i], "   ", flag.help);
    if (!flag.default_shown.empty()) StrAppend(&out, " (default ", flag.default_shown, ")");
    out += '\n';
  }
  return out;
}

FlagSet LogFlags() {
  FlagSet flags;
  auto duration = [](std::string_view value) { return ParseGoDuration(value).status(); };
  flags.Add({"log-flush-frequency", 0, "duration", "Maximum number of seconds between log flushes",
             "5s", true, duration});
  auto level = [](std::string_view value) { return ParseGoInt(value, 10, 32).status(); };
  flags.Add({"v", 'v', "Level", "number for the log level verbosity", "", true, level});
  flags.Add({"vmodule", 0, "moduleSpec",
             "comma-separated list of pattern=N settings for file-filtered logging (only works for "
             "the default text log format)",
             "", true, CheckModules});
  return flags;
}

}  // namespace bth::cli
