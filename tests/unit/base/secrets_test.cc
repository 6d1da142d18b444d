// base/secrets/secrets.h: what looks like a secret is masked, and what does not stays.
#include "base/secrets/secrets.h"

#include <boost/test/unit_test.hpp>
#include <cctype>
#include <chrono>
#include <random>

using namespace wtool::secrets;

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
      {"the option --password of ls is not known", "the option --password of ls is not known"},
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

BOOST_AUTO_TEST_CASE(no_form_of_a_secret_in_a_command_is_left) {
  const Masker masker;
  for (const std::string line : {
           "tool --password S3cretPw99",
           "PGPASSWORD=S3cretPw99 psql",
           "curl -b 'session=S3cretPw99' x",
           "mysql -uroot -pS3cretPw99",
           "openssl rsa -passin pass:S3cretPw99",
           "redis-cli -a S3cretPw99",
           "vault login S3cretPw99",
           "vault login -no-print -method=token S3cretPw99",
           "vault token revoke S3cretPw99",
           "vault operator unseal 'S3cretPw99'",
           "zip -P S3cretPw99 a b",
           "unzip -P S3cretPw99 a",
           "smbclient -U bob%S3cretPw99 //h/s",
           "wget --http-password=S3cretPw99 x",
           "curl 'http://h/?api_key=S3cretPw99'",
           "curl 'http://h/?access_token=S3cretPw99'",
           "env API_TOKEN=S3cretPw99 x",
           "export DB_PASS=S3cretPw99",
           "echo 'password: S3cretPw99'",
           "git -c http.extraHeader=\"Authorization: token S3cretPw99\" fetch",
           "npm config set //registry.example.org/:_authToken S3cretPw99",
           "npm config set //registry.example.org/:_authToken=S3cretPw99",
           "aws configure set aws_secret_access_key=S3cretPw99",
           "twine upload -u u -p S3cretPw99 x",
           "psql \"postgres://u:S3cretPw99@h/d\"",
           "ldapsearch -w S3cretPw99",
           "sqlite3 x \"PRAGMA key='S3cretPw99'\"",
           "tool --secret=S3cretPw99",
           "tool -secret S3cretPw99",
           "ssh-keygen -N S3cretPw99 -f k",
           "echo \"bob:S3cretPw99\" | chpasswd",
           "tool --password='S3cretPw99 x'",
           "tool --password\tS3cretPw99",
           "tool --pwd=S3cretPw99",
           "tool --credentials=S3cretPw99",
           "tool \"Server=h;User Id=a;Password=S3cretPw99;\"",
           "curl -H X-Auth-Token:S3cretPw99 x",
           "curl -H \"X-Auth-Token: S3cretPw99\" x",
           "curl -H \"Private-Token: S3cretPw99\" x",
           "curl --header=\"PRIVATE-TOKEN: S3cretPw99\"",
           "curl --user bob:S3cretPw99 x",
           "curl -ubob:S3cretPw99 x",
           "curl -su bob:S3cretPw99 x",
           "curl -sSfu bob:S3cretPw99 x",
           "docker login -u bob -p S3cretPw99 registry.example.org",
           "docker login registry.example.org -pS3cretPw99",
           "sudo docker login -p S3cretPw99 -u bob",
           "echo S3cretPw99 | docker login -u bob --password-stdin",
           "docker login --password-stdin <<< S3cretPw99",
           "curl -u 'bob:S3cretPw99' https://h",
           "curl -sU bob:S3cretPw99 https://h",
           "curl --proxy-user bob:S3cretPw99 https://h",
           "curl --oauth2-bearer S3cretPw99 https://h",
           "curl -d 'user=bob&password=S3cretPw99' https://h",
           "curl -d '{\"password\": \"S3cretPw99\"}' https://h",
           "curl -d '{\"password\":\"S3cretPw99\"}' https://h",
           "curl --cookie 'session=S3cretPw99; theme=dark' x",
           "curl 'https://h/?a=1&key=S3cretPw99'",
           "curl 'https://h/?sig=S3cretPw99&a=1'",
           "curl https://h/?token=S3cretPw99",
           "curl 'https://h/x?X-Amz-Signature=S3cretPw99'",
           "curl https://hooks.slack.com/services/T000/B000/S3cretPw99",
           "curl -X POST hooks.slack.com/services/T000/B000/S3cretPw99 -d x",
           "curl -d 'p%61ssword=S3cretPw99' x",
           "curl -d 'password%3DS3cretPw99' x",
           "curl https://h/?password=S3cret%50w99-S3cretPw99",
           "7z x -pS3cretPw99 a.7z",
           "7z a -pS3cretPw99 -mhe a.7z f",
           "http -a bob:S3cretPw99 https://h",
           "http --auth bob:S3cretPw99 https://h",
           "https -a S3cretPw99 -A bearer h",
           "mongo -u u -p S3cretPw99 db",
           "mongodump -u u -pS3cretPw99",
           "ldapsearch -xw S3cretPw99",
           "smbclient //h/s -U 'bob%S3cretPw99'",
           "openssl enc -aes-256-cbc -pass pass:S3cretPw99",
           "openssl pkcs12 -export -passout pass:S3cretPw99",
           "openssl rsa -passin 'pass:S3cretPw99'",
           "npm config set _authToken S3cretPw99",
           "aws configure set aws_secret_access_key S3cretPw99",
           "git config user.password S3cretPw99",
           "tool PASSWORD:S3cretPw99",
           "echo \"password: S3cretPw99\"",
           "echo '  api_key:   S3cretPw99'",
           "printf 'user: bob\\npassword: S3cretPw99\\n'",
           "echo '{user: bob, password: S3cretPw99}'",
           "echo \"- token: S3cretPw99\" > f",
           "tool --pass\"\"word=S3cretPw99",
           "tool --pass''word S3cretPw99",
           "tool \"--password\" S3cretPw99",
           "tool --pass\\word=S3cretPw99",
           "tool --PassWord S3cretPw99",
           "tool --api.key=S3cretPw99",
           "tool -token S3cretPw99",
           "tool --pwd S3cretPw99",
           "tool --pw=S3cretPw99",
           "keytool -storepass S3cretPw99 -list",
           "java -Ddb.password=S3cretPw99 -jar a.jar",
           "sh -c 'redis-cli -a S3cretPw99 ping'",
           "ssh host \"mysql -pS3cretPw99 -e 'select 1'\"",
           "bash -c \"tool --password \\\"S3cretPw99\\\"\"",
           "sudo -u x env FOO=1 redis-cli -h h -a S3cretPw99",
           "redis-cli -u redis://:S3cretPw99@h",
           "htpasswd -bc f bob S3cretPw99",
           "echo bob:S3cretPw99 | sudo chpasswd",
           "echo S3cretPw99 | sudo -S ls",
           "psql -c \"ALTER USER bob WITH PASSWORD 'S3cretPw99'\"",
           "psql -c \"ALTER USER bob PASSWORD 'S3cretPw99'\"",
           "psql -c \"alter role \\\"bob\\\" login password 'S3cretPw99'\"",
           "psql <<E\nCREATE ROLE bob WITH\n  LOGIN\n  PASSWORD 'S3cretPw99';\nE",
           "psql -c \"CREATE GROUP g PASSWORD 'S3cretPw99'\"",
           "psql -c \"CREATE ROLE application_owner WITH NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT LOGIN "
           "NOREPLICATION NOBYPASSRLS CONNECTION LIMIT 10 VALID UNTIL '2030-01-01' PASSWORD 'S3cretPw99'\"",
           "psql -c \"CREATE ROLE bob WITH LOGIN PASSWORD 'S3cretPw99'\"",
           "psql -c \"CREATE ROLE bob PASSWORD'S3cretPw99'\"",
           "psql <<E\nCREATE ROLE bob PASSWORD\n  'S3cretPw99';\nE",
           "psql -c \"ALTER ROLE bob PASSWORD E'S3cretPw99'\"",
           "psql -c \"ALTER ROLE bob PASSWORD U&'S3cretPw99'\"",
           "psql -c 'ALTER ROLE bob PASSWORD $$S3cretPw99$$'",
           "psql -c 'ALTER ROLE bob PASSWORD $t$S3cretPw99$t$'",
           "psql -c \"ALTER ROLE \\\"b;b\\\" PASSWORD 'S3cretPw99'\"",
           "mysql -e \"SET PASSWORD FOR 'bob'@'h' = 'S3cretPw99'\"",
           "mysql -e \"CREATE USER 'b' IDENTIFIED BY 'S3cretPw99'\"",
           "mysql -e 'SET PASSWORD FOR bob@h = \"S3cretPw99\"'",
           "mysql -e \"SET PASSWORD FOR 'a=b'@'h' = 'S3cretPw99'\"",
           "mysql -e \"SET PASSWORD FOR 'b'@'h' = PASSWORD('S3cretPw99')\"",
           "mysql -e \"SET PASSWORD = PASSWORD('S3cretPw99')\"",
           "mysql -e \"CREATE USER 'b' IDENTIFIED WITH caching_sha2_password BY 'S3cretPw99'\"",
           "mysql -e \"CREATE USER 'b' IDENTIFIED WITH 'caching_sha2_password' BY 'S3cretPw99'\"",
           "mysql -e \"CREATE USER 'b' IDENTIFIED BY 'a'' S3cretPw99'\"",
           "sqlcmd -Q \"CREATE LOGIN bob WITH PASSWORD = N'S3cretPw99'\"",
           "psql -c \"ALTER ROLE bob PASSWORD 'a''! S3cretPw99'\"",
           "psql -c \"ALTER ROLE bob PASSWORD E'ab\\\\' S3cretPw99'\"",
           "psql -c 'ALTER ROLE bob PASSWORD '\\''S3cretPw99'\\'''",
           "tool 'Server=h;Uid=a;Pwd=S3cretPw99;'",
           "sqlcmd -S h -U sa -P S3cretPw99",
           "mosquitto_pub -h h -u u -P S3cretPw99 -t x",
           "isql -U sa -P S3cretPw99",
           "lftp -u bob,S3cretPw99 h",
           "nmcli dev wifi connect home password S3cretPw99",
           "git clone https://bob:S3cretPw99@h/r",
           "git clone https://bob:S3cret%50S3cretPw99@h/r",
           "kubectl create secret generic x --from-literal=password=S3cretPw99",
           "echo 'password = \"S3cretPw99\"' > config.toml",
           "echo \"Login with password: S3cretPw99 now\"",
           "az login -u u -p S3cretPw99",
           "gh secret set NAME --body S3cretPw99",
           "ssh-keygen -qN S3cretPw99 -f k",
           "PASSWORD=S3cretPw99 ./run",
           "PASS'WORD'=S3cretPw99 ./run",
           "export API_TOKEN=\"S3cretPw99\"",
           "TOKEN+=S3cretPw99",
       }) {
    const std::string masked = masker.masked(line);
    BOOST_TEST(masked.find("S3cretPw99") == std::string::npos, masked);
    // The rest stays, so that the line can still be read.
    BOOST_TEST(masked.substr(0, 4) == line.substr(0, 4), masked);
    BOOST_TEST(masked.find(mask) != std::string::npos, masked);
  }
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

BOOST_AUTO_TEST_CASE(ordinary_lines_stay_as_they_are) {
  // F: a file, W: a word to look for, N: a number, H: a host, B: a branch.
  const std::vector<std::string> lines = {"ls -la F",
                                          "cat F",
                                          "grep -rn W F",
                                          "grep -rn 'W = ' F",
                                          "grep -i \"W:\" F",
                                          "rg W --type cpp",
                                          "rg -n 'W: ' F",
                                          "git log --grep=W",
                                          "git log --grep W -- F",
                                          "git commit -m 'Add W to F'",
                                          "git commit -m \"fix: W is N\"",
                                          "git checkout B",
                                          "git push origin B",
                                          "git diff HEAD~N -- F",
                                          "git show HEAD:F",
                                          "git config user.name W",
                                          "git config credential.helper store",
                                          "echo 'W: W or W'",
                                          "git clone https://H/W.git",
                                          "git clone git@H:W/B.git",
                                          "git remote set-url origin https://H/W",
                                          "git fetch origin B:B",
                                          "git tag -a vN -m 'W'",
                                          "git stash push -m W",
                                          "docker run -p N:N W",
                                          "docker run --rm -v F:F W:latest",
                                          "docker build -t W:N .",
                                          "docker build --secret id=W,src=F .",
                                          "docker compose -p W up -d",
                                          "docker login H",
                                          "docker ps --format '{{.Names}}: {{.Status}}'",
                                          "docker secret ls",
                                          "kubectl get secret W -o yaml",
                                          "kubectl get pods -n W",
                                          "kubectl -n W delete secret W",
                                          "kubectl apply -f F",
                                          "kubectl create token W",
                                          "kubectl describe secrets/W",
                                          "helm upgrade W ./W -p N",
                                          "ssh -p N H",
                                          "ssh H 'ls F'",
                                          "scp -P N F H:F",
                                          "rsync -avz -e 'ssh -p N' F H:F",
                                          "mkdir -p F/W",
                                          "cp -p F W",
                                          "tar -xzf F -C W",
                                          "zip -r W.zip F",
                                          "unzip -o W.zip -d F",
                                          "7z x W.7z",
                                          "curl -sSf https://H/F",
                                          "curl -o F https://H/W?page=N",
                                          "curl -H 'Accept: application/json' https://H/W",
                                          "curl -X POST -d @F https://H/W",
                                          "curl -u \"$USER:$PASS\" https://H",
                                          "curl -b F -c F https://H",
                                          "curl 'https://H/search?q=W&page=N'",
                                          "wget -q https://H/F",
                                          "openssl x509 -in F -noout -text",
                                          "openssl rand -hex N",
                                          "openssl rsa -in F -passin file:F",
                                          "openssl enc -d -in F -pass env:W",
                                          "redis-cli -n N get W",
                                          "redis-cli -h H keys 'W:*'",
                                          "mysql -u root -p W < F",
                                          "mysqldump -h H W > F",
                                          "psql -h H -p N -U W -d W",
                                          "psql -c 'select count(*) from W'",
                                          "sqlite3 F 'select W from W where id = N'",
                                          "mongosh --port N W",
                                          "npm test",
                                          "npm run W",
                                          "npm run W:B",
                                          "npm config get W",
                                          "npm install --save-dev W@N",
                                          "npx W --max-tokens N",
                                          "yarn add W",
                                          "pip install -r F",
                                          "python3 F --max_tokens=N",
                                          "python3 -m W --tokenizer F",
                                          "pytest -k W F",
                                          "pytest -p no:W",
                                          "cargo test W -- --nocapture",
                                          "cargo build -p W",
                                          "go test ./... -run W",
                                          "go build -o W ./F",
                                          "make -j N W",
                                          "cmake -B F -DCMAKE_BUILD_TYPE=Release",
                                          "ninja -C F W",
                                          "ctest -R W --output-on-failure",
                                          "find . -name 'W*' -type f",
                                          "find F -path '*/W/*' -print",
                                          "sed -n 'N,Np' F",
                                          "sed -i 's/W/B/g' F",
                                          "awk -F: '{print $N}' F",
                                          "sort -u F | uniq -c",
                                          "head -n N F",
                                          "tail -f F",
                                          "wc -l F",
                                          "diff -u F W",
                                          "chmod 0600 F",
                                          "chown W:W F",
                                          "ps aux | grep W",
                                          "kill -TERM N",
                                          "systemctl status W",
                                          "journalctl -u W -n N",
                                          "df -h F",
                                          "du -sh F",
                                          "echo \"W: $N\"",
                                          "echo 'the W is in F'",
                                          "echo \"no W given\" >&2",
                                          "printf '%s\\n' W",
                                          "test -f F && cat F",
                                          "export PATH=F:$PATH",
                                          "export W_FILE=F",
                                          "env | sort",
                                          "cd F && ls",
                                          "pass show W",
                                          "gpg --list-secret-keys W",
                                          "ssh-keygen -t ed25519 -f F",
                                          "ssh-add F",
                                          "gh auth status",
                                          "gh secret list",
                                          "gh pr create --title 'W' --body 'about W'",
                                          "gh api repos/W/B/actions/secrets",
                                          "gh run view N --log",
                                          "vault kv get secret/W",
                                          "vault token lookup",
                                          "aws s3 ls s3://W/F",
                                          "aws sts get-session-token --duration-seconds N",
                                          "aws secretsmanager list-secrets",
                                          "az account get-access-token",
                                          "gcloud auth print-access-token",
                                          "terraform plan -var-file=F",
                                          "ansible-playbook -i F F --ask-vault-pass",
                                          "ansible-playbook F --vault-password-file F",
                                          "jq '.W' F",
                                          "jq -r '.W.B' F",
                                          "yq '.W' F",
                                          "tree -L N F",
                                          "xargs -a F rm --",
                                          "vim F",
                                          "less F",
                                          "file F",
                                          "stat F",
                                          "touch F",
                                          "rm -f F",
                                          "mv F W",
                                          "ln -s F W",
                                          "date +%s",
                                          "sleep N",
                                          "id W",
                                          "useradd -m W",
                                          "crontab -l",
                                          "ip a s",
                                          "ping -c N H",
                                          "dig H",
                                          "nc -z H N",
                                          "ffmpeg -i F -b:v N F",
                                          "tokei F",
                                          "ruby -e 'puts N'",
                                          "java -jar F --spring.profiles.active=W",
                                          "java -cp F Main",
                                          "node F --port N",
                                          "perl -ne 'print' F",
                                          "base64 -d F",
                                          "sha256sum -c F",
                                          "tee -a F",
                                          "error: unexpected W at F:N",
                                          "warning: W is deprecated (F:N)",
                                          "F:N: note: the W is invalid: expected N",
                                          "W not found: see https://H/F#W",
                                          "INFO W loaded in N ms"};
  const std::vector<std::string> files = {"src/main.cc",   "password.cc",       "docs/tokens.md", "secret.yaml",
                                          "a/b/token.txt", "README.md",         "./cookies",      "credentials.h",
                                          "/etc/passwd",   "~/.ssh/id_ed25519", "tests/auth.py",  "key.pem",
                                          "passwords.txt", "auth/token.go"};
  const std::vector<std::string> words = {
      "password", "token",  "secret", "main",        "auth",  "TODO",    "tokens", "user",    "api_key",  "cookie",
      "parser",   "passwd", "login",  "credentials", "build", "session", "key",    "release", "tokenize", "secrets"};
  const std::vector<std::string> numbers = {"1", "10", "8080", "22", "100", "3"};
  const std::vector<std::string> hosts = {"example.org", "registry.example.org", "localhost", "192.0.2.7"};
  const std::vector<std::string> branches = {"main", "fix-token-refresh", "v1.2", "feature/password-reset"};
  std::mt19937 random(11);
  const auto any_of = [&](const std::vector<std::string>& of) { return of[random() % of.size()]; };
  const Masker masker;
  constexpr int most = 10;
  int count = 0;
  std::string shown;
  for (int i = 0; i < 10000; ++i) {
    const std::string& form = lines[static_cast<std::size_t>(i) % lines.size()];
    std::string line;
    for (std::size_t at = 0; at < form.size(); ++at) {
      const auto is_letter = [&](std::size_t of) {
        return of < form.size() && std::isalpha(static_cast<unsigned char>(form[of])) != 0;
      };
      const bool alone = !is_letter(at + 1) && (at == 0 || !is_letter(at - 1)) && (at == 0 || form[at - 1] != '-');
      const std::size_t which = alone ? std::string("FWNHB").find(form[at]) : std::string::npos;
      line += which == std::string::npos ? std::string(1, form[at])
              : which == 0               ? any_of(files)
              : which == 1               ? any_of(words)
              : which == 2               ? any_of(numbers)
              : which == 3               ? any_of(hosts)
                                         : any_of(branches);
    }
    const std::string masked = masker.masked(line);
    if (masked == line) continue;
    ++count;
    shown += masked + '\n';
  }
  BOOST_TEST(count <= most, count << " of 10000 lines:\n" << shown);
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
  // Quadratic work takes minutes for these texts, and linear work well under a second.
  for (const std::string part : {"sk-",
                                 "eyJ-",
                                 "-----BEGIN ",
                                 "TOKEN='",
                                 "\"token\" ",
                                 "://",
                                 "--token ",
                                 "a",
                                 "aaaaaaa",
                                 "TOKEN=",
                                 " -u",
                                 "'",
                                 "-",
                                 "eyJ.",
                                 "Bearer ",
                                 "Authorization: ",
                                 "token:",
                                 "password: ",
                                 "\"password: ",
                                 "x='",
                                 "\\'",
                                 "%41",
                                 "--token=\"a b\" ",
                                 "redis-cli -a ",
                                 "echo x | chpasswd ",
                                 "by ",
                                 "PRAGMA key ",
                                 "hooks.slack.com/services/",
                                 "?key=",
                                 "&key=$a",
                                 "\"a 'b \"",
                                 "<<<",
                                 "token = ",
                                 "with password '",
                                 "password\t"}) {
    std::string text = "curl mysql sshpass ";
    while (text.size() < (1 << 20)) text += part;
    BOOST_TEST(!masker.masked(text).empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()
