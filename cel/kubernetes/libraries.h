// The libraries that Kubernetes adds to the language; each function puts one into an environment.
// Errors: an overload that is there already.
#pragma once

#include "absl/status/status.h"
#include "cel/environment.h"

namespace bth::cel {

absl::Status AddStringsLibrary(
    Environment& environment);                           // charAt, split, format, strings.quote ...
absl::Status AddListsLibrary(Environment& environment);  // isSorted, sum, min, max, indexOf ...
// slice, flatten, sort, sortBy, distinct, lists.range, reverse.
absl::Status AddListExtension(Environment& environment);
absl::Status AddSetsLibrary(Environment& environment);   // sets.contains, .equivalent, .intersects
absl::Status AddRegexLibrary(Environment& environment);  // find, findAll
absl::Status AddUrlLibrary(Environment& environment);    // url, isURL, getHost ...
absl::Status AddAddressLibrary(Environment& environment);  // ip, cidr, containsIP ...
absl::Status AddQuantityLibrary(Environment& environment);
absl::Status AddSemverLibrary(Environment& environment);
absl::Status AddFormatLibrary(Environment& environment);  // format.dns1123Label().validate(...)
absl::Status AddOptionalLibrary(
    Environment& environment);  // optional.of, hasValue, first, last ...

}  // namespace bth::cel
