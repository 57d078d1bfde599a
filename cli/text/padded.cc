#include "cli/text/padded.h"

#include <algorithm>

namespace bth::cli {

std::string Padded(std::string_view text, size_t width) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  const auto inner = static_cast<size_t>(std::count_if(text.begin(), text.end(), continues));
  std::string out(text);
  const size_t characters = text.size() - inner;
  if (characters < width) out.append(width - characters, ' ');
  return out;
}

std::string PaddedLine(const std::vector<std::string>& cells, const std::vector<size_t>& widths) {
  std::string out;
  for (size_t i = 0; i < cells.size(); ++i) out += Padded(cells[i], widths[i]);
  out += '\n';
  return out;
}

}  // namespace bth::cli
