#include "cli/session/progress.h"

#include "cli/print/clip.h"

namespace bth::cli {
namespace {

constexpr std::string_view kLineStart = "\r";
constexpr std::string_view kClearRest = "\x1b[K";

}  // namespace

void ProgressLine::Show(std::string_view text) {
  if (!terminal_.can_redraw) return;
  // A line that fills the last column would begin another one.
  out_ << kLineStart << ClipLines(text, terminal_.width - 1, terminal_.utf8) << kClearRest
       << std::flush;
  has_text_ = true;
}

void ProgressLine::Clear() {
  if (!has_text_) return;
  out_ << kLineStart << kClearRest << std::flush;
  has_text_ = false;
}

}  // namespace bth::cli
