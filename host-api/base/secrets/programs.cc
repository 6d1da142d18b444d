#include "base/secrets/programs.h"

#include <string>
#include <unordered_map>

#include "base/lasting.h"

namespace wtool::secrets {

namespace {

constexpr std::string_view any_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789#";
constexpr std::string_view curl_flags = "sSfkLvgiIGNOaqjlnpJZRB#0123456";
constexpr std::string_view with_login =
    "docker podman nerdctl buildah skopeo helm oras crane regctl oc az cf ibmcloud "
    "cloudctl harbor registry kubectl acr npm jfrog jf";
constexpr std::string_view mongo =
    "mongo mongosh mongodump mongorestore mongoexport mongoimport mongostat mongotop "
    "mongofiles bsondump";
constexpr std::string_view mysql =
    "mysql mysqldump mysqladmin mysqlimport mysqlcheck mysqlshow mysqlslap mysqlpump "
    "mysqlbinlog mysqlsh mariadb mariadb-dump mariadb-admin mariadb-import mycli xtrabackup";
constexpr std::string_view ldap =
    "ldapsearch ldapadd ldapmodify ldapdelete ldapmodrdn ldapwhoami ldapcompare ldappasswd "
    "ldapexop";
constexpr std::string_view smb = "smbclient rpcclient smbget smbcacls smbcquotas smbtree net nmblookup wmic winexe";
constexpr std::string_view snmp = "snmpget snmpgetnext snmpwalk snmpbulkwalk snmpset snmptrap snmpstatus snmptable";
constexpr std::string_view web = "http https xh xhs";

constexpr SecretOption rows[] = {
    {"curl", "uU", "", SecretPart::behind_colon, "", curl_flags},
    {"curl", "E", "", SecretPart::behind_colon, "", curl_flags},
    {"curl", "b", "", SecretPart::behind_equals, "", curl_flags},
    {"curl wget", "", "--user", SecretPart::behind_colon},
    {"curl", "", "--proxy-user", SecretPart::behind_colon},
    {"curl", "", "--cert", SecretPart::behind_colon},
    {web, "a", "--auth", SecretPart::bearer_or_pair},
    {"etcdctl", "", "--user", SecretPart::behind_colon},
    {"siege ab wrk hey", "A", "", SecretPart::behind_colon},
    {with_login, "p", "", SecretPart::whole, "login"},
    {"gh", "b", "--body", SecretPart::whole, "secret"},
    {"aws", "", "--value", SecretPart::whole, "put-parameter"},
    {"redis-cli valkey-cli keydb-cli", "a", "", SecretPart::whole, "", any_letters},
    {"zip unzip zipcloak funzip zipinfo", "P", "", SecretPart::whole, "", any_letters},
    {"7z 7za 7zr 7zz rar unrar p7zip", "p", "", SecretPart::whole, "", "", true},
    {mongo, "p", ""},
    {mysql, "p", "", SecretPart::whole, "", "", true},
    {ldap, "w", "", SecretPart::whole, "", any_letters},
    {"ldappasswd", "sa", ""},
    {smb, "U", "--user", SecretPart::behind_percent},
    {"ssh-keygen", "NP", "", SecretPart::whole, "", any_letters},
    {"sshpass twine sqlcmd-go rdesktop xfreerdp nxc crackmapexec evil-winrm", "p", ""},
    {"sqlcmd bcp tsql osql isql ipmitool mosquitto_pub mosquitto_sub mosquitto_rr", "P", ""},
    {snmp, "AX", ""},
    {"lftp", "u", "", SecretPart::behind_comma},
    {"useradd usermod adduser", "p", ""},
    {"openssl", "kK", ""},
    {"openssl", "", "-passin", SecretPart::named_source},
    {"openssl", "", "-passout", SecretPart::named_source},
    {"openssl", "", "-pass", SecretPart::named_source},
    {"openssl", "", "-password", SecretPart::named_source},
};

std::unordered_map<std::string_view, std::vector<const SecretOption*>> indexed() {
  std::unordered_map<std::string_view, std::vector<const SecretOption*>> index;
  for (const SecretOption& row : rows) {
    for (std::size_t at = 0; at < row.programs.size();) {
      const std::size_t end = std::min(row.programs.find(' ', at), row.programs.size());
      index[row.programs.substr(at, end - at)].push_back(&row);
      at = end + 1;
    }
  }
  return index;
}

}  // namespace

const std::vector<const SecretOption*>& secret_options_of(std::string_view program) {
  static const auto& index = lasting<decltype(indexed())>(indexed());
  static const auto& nothing = lasting<std::vector<const SecretOption*>>();
  const auto found = index.find(program);
  return found == index.end() ? nothing : found->second;
}

}  // namespace wtool::secrets
