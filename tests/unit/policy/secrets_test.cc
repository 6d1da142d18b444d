// policy/secrets.h: what looks like a secret is masked, and what does not stays.
#include "policy/secrets.h"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <random>

using namespace wtool::policy;

namespace {

// Built from parts, so that no scanner takes this file for a leak.
std::string token(const std::string& prefix, std::size_t length, const std::string& from = "a1B2c3D4") {
  std::string text = prefix;
  for (std::size_t i = 0; i < length; ++i) text += from[i % from.size()];
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(secrets)

BOOST_AUTO_TEST_CASE(names_of_secrets) {
  for (const char* name : {"TOKEN", "GITHUB_TOKEN", "token", "MySecret", "DB_PASSWORD", "passwd", "API_KEY", "apiKey",
                           "api-key", "AWS_SECRET_ACCESS_KEY", "SSH_PASSPHRASE", "private.key", "DB_PASS", "MYSQL_PWD",
                           "NPM_AUTH", "SESSION_COOKIE", "CREDENTIALS", "--password"}) {
    BOOST_TEST(is_secret_name(name), name);
  }
  for (const char* name :
       {"", "PATH", "PWD", "OLDPWD", "HOME", "TOKEN_FILE", "PASSWORD_STORE_DIR", "GIT_ASKPASS", "SSH_AUTH_SOCK",
        "AWS_ACCESS_KEY_ID", "MAX_TOKENS", "TOKENIZERS_PARALLELISM", "password-stdin", "COMPASS", "KEY", "MONKEY",
        "PUBLIC_KEY", "cookie-jar", "credential.helper"}) {
    BOOST_TEST(!is_secret_name(name), name);
  }
}

BOOST_AUTO_TEST_CASE(secrets_in_text_are_masked_and_the_rest_stays) {
  const std::pair<std::string, std::string> rows[] = {
      {"mysqldump --password=hunter22 db", "mysqldump --password=[masked] db"},
      {"tool --password hunter22 db", "tool --password [masked] db"},
      {"tool --api-key 'a b' db", "tool --api-key '[masked]' db"},
      {"tool --token --verbose", "tool --token --verbose"},
      {"tool --token", "tool --token"},
      {"PASSWORD=x cmd", "PASSWORD=[masked] cmd"},
      {"export TOKEN=x; ls", "export TOKEN=[masked]; ls"},
      {"TOKEN='a b c' ls", "TOKEN='[masked]' ls"},
      {"TOKEN=\"a \\\" b\" ls", "TOKEN=\"[masked]\" ls"},
      {"TOKEN=a\"b c\"d ls", "TOKEN=[masked] ls"},
      {"TOKEN=a\\ b ls", "TOKEN=[masked] ls"},
      {"docker run -e \"TOKEN=abc\" x", "docker run -e \"TOKEN=[masked]\" x"},
      {"TOKEN='unclosed text", "TOKEN=[masked]"},
      {"TOKEN+=abc ls", "TOKEN+=[masked] ls"},
      {"TOKEN=$OTHER ls", "TOKEN=$OTHER ls"},
      {"TOKEN=\"${OTHER}\" ls", "TOKEN=\"${OTHER}\" ls"},
      {"TOKEN=$(cat f) ls", "TOKEN=$(cat f) ls"},
      {"TOKEN=$(gen --password=x1) ls", "TOKEN=$(gen --password=[masked]) ls"},
      {"[ $token == x ]", "[ $token == x ]"},
      {"curl 'https://h/?token=abc&x=1'", "curl 'https://h/?token=[masked]&x=1'"},
      {"curl -u user:pass https://h", "curl -u user:[masked] https://h"},
      {"curl -uuser:pass https://h", "curl -uuser:[masked] https://h"},
      {"curl --user user:pass https://h", "curl --user user:[masked] https://h"},
      {"curl --user=user:pass https://h", "curl --user=user:[masked] https://h"},
      {"curl -u user https://h", "curl -u user https://h"},
      {"docker run -u 1000:1000 x", "docker run -u 1000:1000 x"},
      {"tool --user a:b", "tool --user a:b"},
      {"sshpass -p hunter22 ssh h", "sshpass -p [masked] ssh h"},
      {"mysql -uroot -phunter22 db", "mysql -uroot -p[masked] db"},
      {"mkdir -p a/b", "mkdir -p a/b"},
      {"curl -H 'Authorization: Bearer abc' h", "curl -H 'Authorization: Bearer [masked]' h"},
      {"curl -H \"Authorization: Basic dTpw\" h", "curl -H \"Authorization: Basic [masked]\" h"},
      {"curl -H 'X-Api-Key: a b' h", "curl -H 'X-Api-Key: [masked]' h"},
      {"curl -H Authorization:\\ Bearer\\ abc h", "curl -H Authorization:\\ Bearer\\ [masked] h"},
      {"Authorization: Bearer abc\nHost: h", "Authorization: Bearer [masked]\nHost: h"},
      {"curl -H \"Authorization: Bearer $T\" h", "curl -H \"Authorization: Bearer $T\" h"},
      {"curl -H 'Cookie: a=b; c=d' h", "curl -H 'Cookie: [masked]' h"},
      {"got Bearer a1b2c3d4e5 back", "got Bearer [masked] back"},
      {"Bearer authentication failed", "Bearer authentication failed"},
      {"Basic usage", "Basic usage"},
      {"https://user:pass@host/x", "https://user:[masked]@host/x"},
      {"git clone https://" + token("x", 30) + "@host/x", "git clone https://[masked]@host/x"},
      {"git clone ssh://git@host/x", "git clone ssh://git@host/x"},
      {"https://user:$PASS@host", "https://user:$PASS@host"},
      {"https://host:80/a@b", "https://host:80/a@b"},
      {"{\"password\": \"a\\\"b\", \"x\": 1}", "{\"password\": \"[masked]\", \"x\": 1}"},
      {"{'token' : 'abc'}", "{'token' : '[masked]'}"},
      {"-d \"{\\\"token\\\": \\\"abc\\\"}\"", "-d \"{\\\"token\\\": \\\"[masked]\\\"}\""},
      {"{\"password\": 5}", "{\"password\": 5}"},
      {"unexpected token: }", "unexpected token: }"},
      {"kubectl create secret generic x --from-literal=password=abc",
       "kubectl create secret generic x --from-literal=password=[masked]"},
      {"grep -r password src", "grep -r password src"},
      {"cat token.txt", "cat token.txt"},
      {"ls", "ls"},
      {"", ""},
  };
  const Masker masker;
  for (const auto& [text, expected] : rows) BOOST_TEST(masker.masked(text) == expected);
}

BOOST_AUTO_TEST_CASE(tokens_of_known_shape_are_masked_wherever_they_stand) {
  const std::string tokens[] = {token("ghp_", 36),
                                token("gho_", 36),
                                token("ghs_", 36),
                                token("github_pat_", 60),
                                token("glpat-", 20),
                                token("AKIA", 16, "ABCD1234"),
                                token("ASIA", 16, "ABCD1234"),
                                token("xoxb-", 30),
                                token("sk_live_", 24),
                                token("sk-", 48),
                                token("sk-ant-api03-", 60),
                                token("AIza", 35),
                                token("npm_", 36),
                                token("pypi-", 60),
                                token("hf_", 34),
                                token("eyJ", 20) + "." + token("eyJ", 30) + "." + token("", 20)};
  const Masker masker;
  for (const std::string& each : tokens) {
    for (const std::string before : {"echo ", "a/", "x=", "\"", ":", "key-", ""}) {
      for (const std::string after : {" b", "\"", "", "/x", "\n"}) {
        BOOST_TEST(masker.masked(before + each + after) == before + "[masked]" + after);
      }
    }
  }
  for (const std::string text : {"ghp_short", "sk-learn", "disk-usage-of-all-the-things-here", "AKIA",
                                 "npm_config_registry_of_the_project_here", "eyJ", "eyJhbGci.x"}) {
    BOOST_TEST(masker.masked(text) == text);
  }
}

BOOST_AUTO_TEST_CASE(private_keys_are_masked_to_their_end) {
  const std::string dashes(5, '-');
  const std::string begin = dashes + "BEGIN RSA PRIVATE KEY" + dashes, end = dashes + "END RSA PRIVATE KEY" + dashes;
  const Masker masker;
  BOOST_TEST(masker.masked("a\n" + begin + "\nMII\nABC\n" + end + "\nb") == "a\n" + begin + "[masked]" + end + "\nb");
  BOOST_TEST(masker.masked(begin + "\nMII\nABC") == begin + "[masked]");
  const std::string certificate = dashes + "BEGIN CERTIFICATE" + dashes + "\nMII";
  BOOST_TEST(masker.masked(certificate) == certificate);
}

BOOST_AUTO_TEST_CASE(values_of_secret_variables_are_masked_but_no_ordinary_words) {
  const Masker masker({"API_TOKEN=longer-value", "OTHER_SECRET=longer", "DB_PASSWORD=true", "X_TOKEN=12345",
                       "Y_SECRET=Disabled", "HOME=/home/somebody", "DATABASE_URL=postgres://u:quite-secret@h/d", "junk",
                       "B_TOKEN=longer-value"});
  BOOST_TEST(masker.masked("a longer-value b longer c") == "a [masked] b [masked] c");
  BOOST_TEST(masker.masked("longer-valuelonger") == "[masked][masked]");
  BOOST_TEST(masker.masked("true 12345 disabled Disabled /home/somebody") ==
             "true 12345 disabled Disabled /home/somebody");
  BOOST_TEST(masker.masked("it is quite-secret") == "it is [masked]");
  // Overlapping values are masked as one.
  BOOST_TEST(Masker({"A_TOKEN=abcdefgh", "B_TOKEN=efghijkl"}).masked("-abcdefghijkl-") == "-[masked]-");
}

BOOST_AUTO_TEST_CASE(any_bytes_are_masked_in_linear_time) {
  std::mt19937 random(7);
  const std::string alphabet = "abeyJ-_.:/@='\"\\ $(){}\n\xC3\xA9uptoken";
  const Masker masker({"A_TOKEN=aaaaaaab"});
  for (int round = 0; round < 3000; ++round) {
    std::string text = round % 2 == 0 ? "curl mysql sshpass " : "";
    for (auto left = random() % 60; left > 0; --left)
      text += random() % 9 == 0 ? std::string("password") : std::string(1, alphabet[random() % alphabet.size()]);
    masker.masked(text);
  }
  // What is quadratic takes minutes for these, and what is linear well under a second.
  for (const std::string part : {"sk-", "eyJ-", "-----BEGIN ", "TOKEN='", "\"token\" ", "://", "--token ", "a",
                                 "aaaaaaa", "TOKEN=", " -u", "'", "-", "eyJ.", "Bearer ", "Authorization: "}) {
    std::string text = "curl mysql sshpass ";
    while (text.size() < (1 << 20)) text += part;
    BOOST_TEST(!masker.masked(text).empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()
