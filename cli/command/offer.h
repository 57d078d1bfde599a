// What may stand in a place of a command line: for shells, which complete it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"

namespace bth::cli {

class Session;

struct Candidate {
  std::string word;   // With "=" at its end it is not over.
  std::string about;  // One line that shells show beside it; may be empty.
};

struct Candidates {
  std::vector<Candidate> words;
  bool files = false;  // Names of files may stand there, too.
};

// `typed` is what is there already. Candidates that do not begin with it are left out later.
using Offer = std::function<Candidates(Session& session, std::string_view typed)>;

inline Offer OfferWords(std::vector<Candidate> words) {
  return [words = std::move(words)](Session&, std::string_view) { return Candidates{words}; };
}

inline Offer OfferFiles() {
  return [](Session&, std::string_view) { return Candidates{{}, true}; };
}

// Several of these words, with commas between them.
inline Offer OfferWordList(std::vector<Candidate> words) {
  return [words = std::move(words)](Session&, std::string_view typed) {
    const size_t comma = typed.rfind(',');
    const std::string_view before =
        comma == std::string_view::npos ? std::string_view() : typed.substr(0, comma + 1);
    Candidates out;
    for (const Candidate& c : words) out.words.push_back({StrCat(before, c.word), c.about});
    return out;
  };
}

}  // namespace bth::cli
