#include "admission/webhooks/authorities.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace bth::admission {
namespace {

// With one authority of ours, sixteen in all.
constexpr size_t kOthersMax = 15;
constexpr std::string_view kPemBegin = "-----BEGIN CERTIFICATE-----";
constexpr std::string_view kPemEnd = "-----END CERTIFICATE-----";

}  // namespace

// Block by block: readers of whole texts stop at the first one that they cannot read.
std::vector<net::CertificateFacts> CertificatesIn(const std::string& bundle_pem) {
  std::vector<net::CertificateFacts> all;
  size_t from = 0;
  for (;;) {
    const size_t end = bundle_pem.find(kPemEnd, from);
    if (end == std::string::npos) return all;
    const size_t begin = bundle_pem.rfind(kPemBegin, end);
    const size_t past = end + kPemEnd.size();
    if (begin != std::string::npos && begin >= from) {
      auto block = net::DescribeCertificates(bundle_pem.substr(begin, past - begin) + "\n");
      if (block.ok()) all.push_back(std::move(block->front()));
    }
    from = past;
  }
}

bool HasAll(const std::string& bundle_pem, const std::string& authorities_pem) {
  const std::vector<net::CertificateFacts> wanted = CertificatesIn(authorities_pem);
  if (wanted.empty()) return bundle_pem == authorities_pem;
  std::set<std::string> held;
  for (net::CertificateFacts& facts : CertificatesIn(bundle_pem)) {
    held.insert(std::move(facts.digest));
  }
  return std::all_of(wanted.begin(), wanted.end(), [&](const net::CertificateFacts& facts) {
    return held.contains(facts.digest);
  });
}

std::string Bundle(const std::string& ours_pem, const std::vector<std::string>& others_pem,
                   absl::Time now) {
  std::string bundle;
  std::set<std::string> seen;
  for (net::CertificateFacts& facts : CertificatesIn(ours_pem)) {
    if (seen.insert(std::move(facts.digest)).second) bundle += facts.pem;
  }
  if (bundle.empty()) return ours_pem;
  const size_t seen_max = seen.size() + kOthersMax;
  for (const std::string& other_pem : others_pem) {
    for (net::CertificateFacts& facts : CertificatesIn(other_pem)) {
      if (seen.size() == seen_max) return bundle;
      if (facts.valid_until <= now) continue;
      if (seen.insert(std::move(facts.digest)).second) bundle += facts.pem;
    }
  }
  return bundle;
}

}  // namespace bth::admission
