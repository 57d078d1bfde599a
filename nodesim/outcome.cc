#include "nodesim/outcome.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/numbers.h"
#include "base/strings.h"
#include "nodesim/printed.h"

namespace bth::nodesim {
namespace {

constexpr size_t kScriptBytesMax = 64 << 10;

using Words = std::vector<std::string>;

enum class Link { kAlways, kOnSuccess, kOnFailure };
struct Step {
  Link link = Link::kAlways;  // To the step before it.
  Words words;
};

Outcome Ends(absl::Duration runs, int exit_code) {
  return {runs, exit_code};
}

// "1.5", "10s", "2m", "1h", "1d", "infinity"; nothing for other texts.
std::optional<absl::Duration> SleepTime(std::string_view text) {
  if (text == "infinity" || text == "inf") return absl::InfiniteDuration();
  absl::Duration unit = absl::Seconds(1);
  if (!text.empty()) {
    const size_t kind = std::string_view("smhd").find(text.back());
    const absl::Duration units[] = {absl::Seconds(1), absl::Minutes(1), absl::Hours(1),
                                    absl::Hours(24)};
    if (kind != std::string_view::npos) {
      unit = units[kind];
      text.remove_suffix(1);
    }
  }
  double amount = 0;
  if (!SimpleAtod(text, &amount) || !std::isfinite(amount) || amount < 0) {
    return std::nullopt;
  }
  return amount * unit;
}

Outcome Sleep(const Words& words) {
  if (words.size() < 2) return Ends(absl::ZeroDuration(), 1);
  absl::Duration sum;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::optional<absl::Duration> time = SleepTime(words[i]);
    if (!time) return Ends(absl::ZeroDuration(), 1);
    sum += *time;
  }
  return Ends(sum, 0);
}

bool IsShell(std::string_view program) {
  const std::string_view name = program.substr(program.rfind('/') + 1);
  return name == "sh" || name == "bash" || name == "ash" || name == "dash";
}

bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), word) != names.end();
}

int ExitCode(const Words& words, int last) {
  int code = last;
  if (words.size() > 1 && !absl::SimpleAtoi(words[1], &code)) return 2;
  return code & 0xff;
}

// Where a run has come to, and what it has printed; null: nobody wants to know.
struct Trace {
  absl::Duration at;
  std::vector<Printed>* printed = nullptr;
};
Outcome RunScript(std::string_view script, Trace trace);

// One simple command. `exit` is its caller's business.
Outcome Run(Words words, const Trace& trace) {
  if (!words.empty() && words[0] == "exec") words.erase(words.begin());
  if (words.empty()) return Outcome();
  const std::string_view name = std::string_view(words[0]).substr(words[0].rfind('/') + 1);
  if (IsOneOf(name, {"true", ":", "echo", "printf", "set"})) {
    std::string text = trace.printed == nullptr ? "" : PrintedBy(name, words);
    if (!text.empty()) trace.printed->push_back({trace.at, std::move(text)});
    return Ends(absl::ZeroDuration(), 0);
  }
  if (name == "false") return Ends(absl::ZeroDuration(), 1);
  if (name == "sleep") return Sleep(words);
  if (!IsShell(words[0])) return Outcome();
  // `sh -c SCRIPT`, also as `-ec` and the like; a script in a file is not known.
  for (size_t i = 1; i + 1 < words.size() && words[i].substr(0, 1) == "-"; ++i) {
    if (words[i].find('c') != std::string::npos) return RunScript(words[i + 1], trace);
  }
  return Outcome();
}

// Cuts a script into its steps; nothing when it uses more of the shell's language than that.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::optional<std::vector<Step>> Read() {
    while (at_ < text_.size()) {
      if (!Take()) return std::nullopt;
    }
    EndStep(Link::kAlways);
    return std::move(steps_);
  }

 private:
  char Peek(size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  bool Take() {
    const char c = text_[at_];
    if (c == '\'' || c == '"') return TakeQuoted(c);
    if (c == '\\') {
      if (Peek(1) != '\n') AddChar(Peek(1));
      at_ += 2;
      return true;
    }
    if (c == '&' || c == '|') return TakeLink(c);
    if (c == ';' || c == '\n') {
      EndStep(Link::kAlways);
    } else if (c == ' ' || c == '\t' || c == '\r') {
      EndWord();
    } else if (c == '#' && !in_word_) {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      return true;
    } else if (IsOneOf(std::string_view(&c, 1), {"(", ")", "`", "$", "{", "}"})) {
      return false;
    } else {
      AddChar(c);
    }
    ++at_;
    return true;
  }

  bool TakeQuoted(char quote) {
    in_word_ = true;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      const bool escape = quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size();
      if (escape) ++at_;
      AddChar(text_[at_]);
    }
    if (at_ >= text_.size()) return false;
    ++at_;
    return true;
  }

  bool TakeLink(char c) {
    if (Peek(1) == c) {
      EndStep(c == '&' ? Link::kOnSuccess : Link::kOnFailure);
      at_ += 2;
      return true;
    }
    const bool redirects = c == '&' && in_word_ && word_.back() == '>';  // As in 2>&1.
    if (!redirects) return false;
    AddChar(c);
    ++at_;
    return true;
  }

  void AddChar(char c) {
    in_word_ = true;
    word_.push_back(c);
  }
  void EndWord() {
    if (in_word_) step_.words.push_back(std::move(word_));
    word_.clear();
    in_word_ = false;
  }
  void EndStep(Link next) {
    EndWord();
    if (!step_.words.empty()) steps_.push_back(std::move(step_));
    step_ = Step{next, {}};
  }

  const std::string_view text_;
  size_t at_ = 0;
  bool in_word_ = false;
  std::string word_;
  Step step_;
  std::vector<Step> steps_;
};

Outcome RunScript(std::string_view script, Trace trace) {
  if (script.size() > kScriptBytesMax) return Outcome();
  const std::optional<std::vector<Step>> steps = Reader(script).Read();
  if (!steps) return Outcome();
  absl::Duration runs;
  int code = 0;
  for (const Step& step : *steps) {
    if (step.link == Link::kOnSuccess && code != 0) continue;
    if (step.link == Link::kOnFailure && code == 0) continue;
    if (step.words[0] == "exit") return Ends(runs, ExitCode(step.words, code));
    const Outcome one = Run(step.words, trace);
    if (one.endless()) return Outcome();
    runs += one.runs;
    trace.at += one.runs;
    code = one.exit_code;
    if (step.words[0] == "exec") break;  // The shell is replaced: nothing follows.
  }
  return Ends(runs, code);
}

}  // namespace

Outcome OutcomeOfScript(std::string_view script, std::vector<Printed>* printed) {
  return RunScript(script, {absl::ZeroDuration(), printed});
}

Outcome OutcomeOf(const std::vector<std::string>& command, const std::vector<std::string>& args,
                  std::vector<Printed>* printed) {
  Words words = command;
  words.insert(words.end(), args.begin(), args.end());
  // `sleep 5 && exit 3` given as words without a shell: the operators are meant as such.
  const bool chained = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return IsOneOf(word, {"&&", "||", ";"});
  });
  const bool one_text = words.size() == 1 && words[0].find(' ') != std::string::npos;
  if (words.empty()) return Outcome();
  if (!chained && !one_text && words[0] != "exit") {
    return Run(std::move(words), {absl::ZeroDuration(), printed});
  }
  std::string script;
  for (const std::string& word : words) script += word + " ";
  return OutcomeOfScript(script, printed);
}

}  // namespace bth::nodesim
