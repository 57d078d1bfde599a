#include "net/ssh_keys.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/encoder.h>
#include <openssl/evp.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "net/detail/tls.h"
#include "net/pem.h"

namespace bth::net {
namespace {

using detail::KeyPtr;

struct FreeNumber {
  void operator()(BIGNUM* number) const { BN_free(number); }
};
struct FreeEncoder {
  void operator()(OSSL_ENCODER_CTX* encoder) const { OSSL_ENCODER_CTX_free(encoder); }
};

absl::Status Failed(const char* doing) {
  return absl::InternalError(StrCat(doing, ": ", detail::TakeSslErrors()));
}

// RFC 4251, section 5: a string is its length in four bytes, most significant first, and itself.
void AppendString(std::string_view text, std::string* out) {
  const auto length = static_cast<uint32_t>(text.size());
  for (int shift = 24; shift >= 0; shift -= 8) {
    out->push_back(static_cast<char>((length >> shift) & 0xff));
  }
  out->append(text);
}

// The same section: a positive mpint begins with a zero byte when its highest bit is set.
absl::Status AppendNumber(EVP_PKEY* key, const char* name, std::string* out) {
  BIGNUM* read = nullptr;
  if (EVP_PKEY_get_bn_param(key, name, &read) != 1) return Failed("read RSA key");
  const std::unique_ptr<BIGNUM, FreeNumber> number(read);
  std::vector<unsigned char> bytes(static_cast<size_t>(BN_num_bytes(number.get())));
  BN_bn2bin(number.get(), bytes.data());
  std::string text;
  if (!bytes.empty() && (bytes[0] & 0x80) != 0) text.push_back('\0');
  text.append(bytes.begin(), bytes.end());
  AppendString(text, out);
  return absl::OkStatus();
}

absl::StatusOr<std::string> PrivatePem(EVP_PKEY* key) {
  const std::unique_ptr<OSSL_ENCODER_CTX, FreeEncoder> encoder(
      OSSL_ENCODER_CTX_new_for_pkey(key, OSSL_KEYMGMT_SELECT_ALL, "PEM", "type-specific", nullptr));
  unsigned char* bytes = nullptr;
  size_t length = 0;
  if (encoder == nullptr || OSSL_ENCODER_to_data(encoder.get(), &bytes, &length) != 1) {
    return Failed("write RSA key");
  }
  std::string pem(reinterpret_cast<const char*>(bytes), length);
  OPENSSL_clear_free(bytes, length);
  return pem;
}

}  // namespace

absl::StatusOr<RsaKeyPair> GenerateRsaKeyPair(int bits) {
  const KeyPtr key(EVP_RSA_gen(static_cast<size_t>(bits)));
  if (key == nullptr) return Failed("make RSA key");
  RsaKeyPair pair;
  BTH_ASSIGN_OR_RETURN(pair.private_pem, PrivatePem(key.get()));
  std::string blob;
  AppendString("ssh-rsa", &blob);
  BTH_RETURN_IF_ERROR(AppendNumber(key.get(), OSSL_PKEY_PARAM_RSA_E, &blob));
  BTH_RETURN_IF_ERROR(AppendNumber(key.get(), OSSL_PKEY_PARAM_RSA_N, &blob));
  pair.public_line = StrCat("ssh-rsa ", Base64Encode(blob), "\n");
  return pair;
}

}  // namespace bth::net
