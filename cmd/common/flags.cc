#include "cmd/common/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <ostream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "base/status.h"
#include "base/strings.h"
#include "cmd/common/unknown_flag.h"
#include "conf/arguments.h"

namespace bth::cmd {
namespace {

constexpr std::string_view kBool = "BOOL";

// "--kube_api_qps=5" and "-v=3" in the one spelling that the parser is given.
std::string Normalized(const std::string& arg) {
  if (arg.size() < 2 || arg[0] != '-') return arg;
  if (arg[1] == '-') {
    const size_t end = std::min(arg.find('='), arg.size());
    std::string name = arg.substr(0, end);
    std::replace(name.begin(), name.end(), '_', '-');
    return name + arg.substr(end);
  }
  if (arg[1] != 'v') return arg;
  if (arg.size() == 2) return "--v";
  return StrCat("--v=", arg.substr(arg[2] == '=' ? 3 : 2));
}

std::string Joined(const std::vector<std::string>& values) {
  return StrCat("[", absl::StrJoin(values, ","), "]");
}

}  // namespace

struct FlagSet::Flag {
  std::string name;
  Setter set;
  Getter get;
  CLI::Option* option = nullptr;
  bool is_bool = false;
  bool is_gathered = false;
  std::string word;                // Of a boolean.
  std::vector<std::string> words;  // Of all others.
  std::string initial;             // The default as text.
  std::string no_effect;           // Why it has none; empty: it has.
  std::string instead;             // What to use; empty: it is not deprecated.
};

struct FlagSet::Rep {
  Rep(std::string program, std::string about) : app(std::move(about), std::move(program)) {}

  CLI::App app;
  std::vector<std::unique_ptr<Flag>> flags;
};

FlagSet::FlagSet(std::string program, std::string about)
    : rep_(std::make_unique<Rep>(std::move(program), std::move(about))) {
  rep_->app.set_help_flag("-h,--help", "Show this text and exit");
  rep_->app.allow_extras();
}

FlagSet::~FlagSet() = default;

void FlagSet::AddFlag(std::string_view name, std::string_view help, std::string_view type,
                      Setter set, Getter get) {
  auto flag = std::make_unique<Flag>();
  flag->name = std::string(name);
  flag->set = std::move(set);
  flag->get = std::move(get);
  flag->is_bool = type == kBool;
  const std::string option = StrCat("--", flag->name);
  std::string text(help);
  const std::string value = flag->initial = flag->get();
  if (!value.empty() && value != "[]") StrAppend(&text, " (", value, ")");
  if (flag->is_bool) {
    flag->option = rep_->app.add_flag(option, flag->word, text);
    flag->option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  } else {
    flag->option = rep_->app.add_option(option, flag->words, text);
    flag->option->expected(1)->type_name(std::string(type));
    flag->option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);
  }
  rep_->flags.push_back(std::move(flag));
}

void FlagSet::Add(std::string_view name, std::string* target, std::string_view help) {
  Setter set = [target](const std::vector<std::string>& words) {
    *target = words.back();
    return absl::OkStatus();
  };
  AddFlag(name, help, "TEXT", std::move(set), [target] { return *target; });
}

void FlagSet::Add(std::string_view name, bool* target, std::string_view help) {
  Setter set = [target](const std::vector<std::string>& words) -> absl::Status {
    BTH_ASSIGN_OR_RETURN(*target, ParseBool(words.back()));
    return absl::OkStatus();
  };
  AddFlag(name, help, kBool, std::move(set), [target] { return *target ? "true" : "false"; });
}

void FlagSet::Add(std::string_view name, int64_t* target, std::string_view help) {
  Setter set = [target](const std::vector<std::string>& words) -> absl::Status {
    if (absl::SimpleAtoi(words.back(), target)) return absl::OkStatus();
    return absl::InvalidArgumentError("not a whole number");
  };
  AddFlag(name, help, "NUMBER", std::move(set), [target] { return StrCat(*target); });
}

void FlagSet::Add(std::string_view name, double* target, std::string_view help) {
  Setter set = [target](const std::vector<std::string>& words) -> absl::Status {
    double value = 0;
    if (!absl::SimpleAtod(words.back(), &value) || !std::isfinite(value)) {
      return absl::InvalidArgumentError("not a number");
    }
    *target = value;
    return absl::OkStatus();
  };
  AddFlag(name, help, "NUMBER", std::move(set), [target] { return StrCat(*target); });
}

void FlagSet::Add(std::string_view name, absl::Duration* target, std::string_view help) {
  Setter set = [target](const std::vector<std::string>& words) -> absl::Status {
    BTH_ASSIGN_OR_RETURN(*target, conf::ParseGoDuration(words.back()));
    return absl::OkStatus();
  };
  AddFlag(name, help, "DURATION", std::move(set), [target] { return GoDurationText(*target); });
}

void FlagSet::AddRepeated(std::string_view name, std::vector<std::string>* target,
                          std::string_view help) {
  Setter set = [target](const std::vector<std::string>& words) {
    *target = words;
    return absl::OkStatus();
  };
  AddFlag(name, help, "TEXT ...", std::move(set), [target] { return Joined(*target); });
}

void FlagSet::AddList(std::string_view name, std::vector<std::string>* target,
                      std::string_view help) {
  Setter set = [target](const std::vector<std::string>& words) {
    target->clear();
    for (const std::string& word : words) {
      for (const absl::string_view part : absl::StrSplit(word, ',', absl::SkipEmpty())) {
        target->emplace_back(part);
      }
    }
    return absl::OkStatus();
  };
  AddFlag(name, help, "TEXT,...", std::move(set), [target] { return Joined(*target); });
}

// "--name=value" in two words, unless the flag is a boolean: the parser then takes the value as it
// is, even an empty one.
void FlagSet::Split(const std::string& arg, std::vector<std::string>* out) const {
  const size_t equals = arg.find('=');
  if (equals != std::string::npos && arg.substr(0, 2) == "--") {
    const std::string_view name = std::string_view(arg).substr(2, equals - 2);
    for (const auto& flag : rep_->flags) {
      if (flag->name != name || flag->is_bool) continue;
      out->push_back(arg.substr(0, equals));
      out->push_back(arg.substr(equals + 1));
      return;
    }
  }
  out->push_back(arg);
}

// "--leader-elect false" leaves it true, as with the programs ours stand in for, where nobody would
// think so.
void FlagSet::TellIgnoredBool(const std::string& arg, std::string_view next,
                              std::ostream& err) const {
  if (arg.size() < 3 || !ParseBool(next).ok()) return;
  const Flag* flag = Find(std::string_view(arg).substr(2));
  if (flag == nullptr || !flag->is_bool) return;
  err << "Flag " << arg << " takes a value only after \"=\": \"" << next
      << "\" is ignored and the flag is true; write " << arg << "=" << next << "\n";
}

FlagSet::Outcome FlagSet::Parse(int argc, const char* const* argv, std::ostream& err) {
  std::vector<std::string> args;
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string arg = Normalized(argv[i]);
    if (i + 1 < argc) TellIgnoredBool(arg, argv[i + 1], err);
    Split(arg, &args);
  }
  std::reverse(args.begin(), args.end());  // The parser begins at the end.
  // The reason comes last: usages are longer than a screen.
  const auto refuse = [this, &err](const std::string& message) {
    err << rep_->app.help() << "\n" << message << "\n";
    return Outcome{false, 2};
  };
  try {
    rep_->app.parse(std::move(args));
  } catch (const CLI::CallForHelp&) {
    err << rep_->app.help();
    return {false, 0};
  } catch (const CLI::Error& error) {
    return refuse(error.what());
  }
  for (const std::string& arg : rep_->app.remaining()) {
    if (arg.size() < 2 || arg[0] != '-') continue;
    std::vector<std::string> known;
    for (const auto& flag : rep_->flags) known.push_back(flag->name);
    return refuse(UnknownFlag(arg, known));
  }
  for (const auto& flag : rep_->flags) {
    if (flag->option->count() == 0) continue;
    if (flag->words.empty()) flag->words.push_back(flag->word);
    if (flag->is_gathered) flag->words = {absl::StrJoin(flag->words, ",")};
    if (!flag->instead.empty()) {
      err << "Flag --" << flag->name << " has been deprecated, " << flag->instead << "\n";
    }
    const absl::Status set = flag->set(flag->words);
    if (!set.ok()) {
      return refuse(StrCat("invalid argument \"", flag->words.back(), "\" for \"--", flag->name,
                           "\" flag: ", set.message()));
    }
  }
  return {};
}

FlagSet::Flag* FlagSet::Find(std::string_view name) const {
  for (const auto& flag : rep_->flags) {
    if (flag->name == name) return flag.get();
  }
  return nullptr;
}

bool FlagSet::Given(std::string_view name) const {
  const Flag* flag = Find(name);
  return flag != nullptr && flag->option->count() > 0;
}

void FlagSet::Gathered(std::string_view name) {
  Flag* flag = Find(name);
  BTH_CHECK(flag != nullptr);
  flag->is_gathered = true;
}

void FlagSet::Checked(std::string_view name,
                      std::function<absl::Status(const std::string&)> check) {
  Flag* flag = Find(name);
  BTH_CHECK(flag != nullptr);
  Setter set = std::move(flag->set);
  flag->set = [set = std::move(set),
               check = std::move(check)](const std::vector<std::string>& words) -> absl::Status {
    BTH_RETURN_IF_ERROR(check(words.back()));
    return set(words);
  };
}

void FlagSet::Deprecated(std::string_view name, std::string_view instead) {
  Flag* flag = Find(name);
  BTH_CHECK(flag != nullptr);
  flag->instead = instead;
}

void FlagSet::WithoutEffect(std::string_view name, std::string_view why) {
  Flag* flag = Find(name);
  BTH_CHECK(flag != nullptr);
  flag->no_effect = why;
}

std::vector<std::string> FlagSet::Notes() const {
  std::vector<std::string> notes;
  for (const auto& flag : rep_->flags) {
    if (flag->no_effect.empty() || flag->get() == flag->initial) continue;
    notes.push_back(StrCat("--", flag->name, ": ", flag->no_effect));
  }
  return notes;
}

std::vector<std::pair<std::string, std::string>> FlagSet::Values() const {
  std::vector<std::pair<std::string, std::string>> values;
  for (const auto& flag : rep_->flags) values.emplace_back(flag->name, flag->get());
  std::sort(values.begin(), values.end());
  return values;
}

absl::StatusOr<bool> ParseBool(std::string_view text) {
  for (const char* word : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == word) return true;
  }
  for (const char* word : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == word) return false;
  }
  return absl::InvalidArgumentError("neither true nor false");
}

std::string GoDurationText(absl::Duration duration) {
  if (duration == absl::ZeroDuration()) return "0s";
  if (duration < absl::Minutes(1)) return absl::FormatDuration(duration);
  const int64_t hours = duration / absl::Hours(1);
  const int64_t minutes = (duration % absl::Hours(1)) / absl::Minutes(1);
  const double seconds = absl::ToDoubleSeconds(duration % absl::Minutes(1));
  return StrCat(hours > 0 ? StrCat(hours, "h") : "", minutes, "m", seconds, "s");
}

}  // namespace bth::cmd
