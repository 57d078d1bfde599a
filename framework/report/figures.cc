#include "framework/report/figures.h"

#include <array>

#include "base/strings.h"

namespace bth::framework {
namespace {

struct Span {
  std::string_view begin;
  std::string_view end;
};
constexpr Span kOurs{" (as of this writing: ", ")"};
constexpr std::array<Span, 2> kSpans = {kOurs, Span{", used: map[", "]"}};

}  // namespace

std::string Figures(std::string_view words) {
  return StrCat(kOurs.begin, words, kOurs.end);
}

std::string WithoutFigures(std::string_view text) {
  std::string out(text);
  for (const Span& span : kSpans) {
    for (size_t at = out.find(span.begin); at != std::string::npos; at = out.find(span.begin, at)) {
      const size_t end = out.find(span.end, at + span.begin.size());
      if (end == std::string::npos) break;
      out.erase(at, end + span.end.size() - at);
    }
  }
  return out;
}

bool SameButFigures(std::string_view a, std::string_view b) {
  if (a == b) return true;
  // Most messages have none, and then this is all.
  const auto has_figures = [](std::string_view text) {
    return text.find(kSpans[0].begin) != std::string_view::npos ||
           text.find(kSpans[1].begin) != std::string_view::npos;
  };
  return has_figures(a) && has_figures(b) && WithoutFigures(a) == WithoutFigures(b);
}

}  // namespace bth::framework
