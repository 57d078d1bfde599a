// Text to tokens: the lexical grammar of the language definition, longest match first.
#pragma once

#include <vector>

#include "cel/syntax/diagnostics.h"
#include "cel/syntax/source_text.h"
#include "cel/syntax/token.h"

namespace bth::cel {

// Ends with a token of kind kEnd. What no token begins with is reported and left out. Time is
// linear: a quote that is not closed takes the rest of its line, or of the text, with it.
std::vector<Token> Tokenize(const SourceText& source, Diagnostics* diagnostics);

}  // namespace bth::cel
