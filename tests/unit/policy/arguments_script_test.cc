// policy/arguments.h: sed's scripts and awk's programs.
#include "arguments_rows.h"

using namespace wtool::test;
using wtool::policy::judge_arguments;
using wtool::policy::judge_program_text;
using wtool::policy::judge_reach;

BOOST_AUTO_TEST_SUITE(arguments_script)

namespace {

using Kind = ArgumentJudgement::Kind;

// Scripts as they are: the rows of the other tests would need quoting.
void scripts_are(const char* tool, Kind kind, const std::vector<std::string>& scripts) {
  for (const std::string& script : scripts) {
    const ArgumentJudgement judgement = judge_arguments(tool, {tool, script, "file"});
    BOOST_TEST((judgement.kind == kind), tool << " '" << script << "': " << judgement.reason);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(sed_that_prints_and_substitutes_is_safe) {
  all_are_safe({
      "sed -n 1,10p file", "sed -n '1,10p' file", "sed 's/a/b/g' file", "sed -e s/a/b/ -e s/c/d/ file", "sed -E 's/(a)/\\1/' f",
      "sed -r s/a/b/ f", "sed --expression=s/a/b/ f", "sed -ne '/x/p' f", "sed -n -e '/a/,/b/p' f", "sed -u p f", "sed -s -n '$=' a b",
      "sed -z s/a/b/ f", "sed --quiet p f", "sed 5q f", "sed -n '2{p;q}' f", "sed --debug p f", "sed -l 5 l f", "sed --help",
  });
  scripts_are("sed", Kind::safe,
              {
                  "p", "$p", "$!d", "1~2d", "2,4!d", "/a/,+3p", "/a/,~4p", "0,/x/d", "/a/I,/b/Mp", "\\,a/b,p", "\\cxcp", "s/a/b/",
                  "s/a/b/2gIp", "s|/usr|/opt|g", "s#a#b#", "s,a,b,;s,c,d,", "s/[/]/x/g", "s/[^/]*$//", "s/[\\/]/x/", "s/[]/]/x/",
                  "s/[[:space:]/]/x/", "s/a\\/b/c/", "s/.*\\/w x/y/", "s/w/e/g", "s/a/w file/", "s/e/r x/g", "y/abc/xyz/", "y/\\//|/",
                  ":a;N;$!ba;s/\\n/ /g", ":a\ns/x/y/;ta", ":loop; s/a/b/; t loop", "/x/{s/a/b/;b};p", "/x/{n;d}", "/x/{ n; d; }",
                  "{p;p}", "{p};p", "$!{h;d};x;G", "1!G;h;$!d", "n;d", "s/a/b/;# w file", "# w file\np", "#n\np", "a text w file",
                  "a\\\ntext\\\nw file", "a\\\n  text", "i\\text", "1i\\  indented", "$a end", "/x/c\\\nnew", "a hello\np", "=", "l 20",
                  "q5", "/x/Q", "F", "z", "s/a/b\\\nc/", "s/\\(a\\)\\n/\\1/", "s/x/&&/", "/^$/d", "s/^[ \\t]*//;s/[ \\t]*$//",
                  "s/a/b/w /dev/stdout", "w /dev/stderr", "r /dev/stdin", "s/a/b/ ; s/c/d/", "  p  ;  ", ";;p", "", "v 4.2\np",
                  "s/\\[w\\]/x/", "/\\/e/p", "s/\"/'/g", "$ !d", "1 , 3 p", "/a/ , /b/ p", "s\x01" "a\x01" "b\x01" "g", "T;p", "b;p",
              });
}

BOOST_AUTO_TEST_CASE(sed_that_executes_writes_or_reads_other_files_is_unsafe) {
  all_are_unsafe({
      {"sed -i s/a/b/ f", "-i writes"},
      {"sed -i.bak s/a/b/ f", "-i writes"},
      {"sed -ni p f", "-i writes"},
      {"sed -Ei s/a/b/ f", "-i writes"},
      {"sed s/a/b/ -i f", "-i writes"},
      {"sed --in-place s/a/b/ f", "--in-place writes"},
      {"sed --in-pl=x s/a/b/ f", "--in-place writes"},
      {"sed --i s/a/b/ f", "--in-place writes"},
      {"sed -f script f", "not judged here"},
      {"sed -nf script f", "not judged here"},
      {"sed --file=script f", "not judged here"},
      {"sed --posix p f", "how the script is read"},
      {"sed -e p -e 'w x' f", "writes to a file"},
      {"sed -e 'a\\' -e 'text' -e 'w x' f", "writes to a file"},
      {"sed -n p --expression='1e id' f", "executes a program"},
      {"sed -e'1r /etc/passwd' f", "reads another file"},
      {"sed -ne1e f", "executes a program"},
  });
  scripts_are("sed", Kind::unsafe,
              {
                  "e", "1e id", "e id", "1,3e", "$!e id", "/x/e id", "s/a/b/e", "s/a/b/ge", "s/a/b/2e", "s/a/b/eg", "s/a/b/Ie", "s/.*/id/e;p",
                  "w out", "W out", "w  out", "1w out", "s/a/b/w out", "s/a/b/gw out", "s/a/b/pw out", "s|a|b|w out", "s/[/]/x/w out",
                  "s/[/]/w out\\\n/", "p;w out", ";W out", "{w out\n}", "/a/{p;e id\n}", "y/a/b/;w out", "y,a,b,;e", ":a;w out", "ba;w out",
                  "b};w out", "/x/{b};e id", "a text\nw out", "a\\\ntext\nw out", "a\\\n\nw out", "i\\x\nw out", "c x\ne", "# c\nw out", "}w out",
                  "p}w out", "n\nw out", "l 5;e", "q;w out", "r /etc/passwd", "R /etc/passwd", "1r x", "$r x", "r", "\\,x,w out", "\\cxcw out",
                  "/[/]/w out", "/a\\/b/w out", "0,/x/w out", "1~2w out", "/a/,+2w out", "/a/Iw out", "1!w out", "w /dev/stdout x",
                  "w /dev/stdout;p", "s/\\[/x/;w out", "s/a[]]b/x/w out", "s\x01" "a\x01" "b\x01" "w out", "s/a/b/M;w out", "s/a\\\\/b/w out",
              });
}

BOOST_AUTO_TEST_CASE(sed_that_cannot_be_read_is_unsafe) {
  scripts_are("sed", Kind::unsafe,
              {
                  "k", "s/a/b", "s/a", "s", "s\na\nb\n", "/a", "/a/", "{p", "p}", "1,p", "1,+p", "p p", "s/a/b/k", "a", "a\n", "a\\\\\nw out",
                  ":", ": ", ":a}", "s/a\nb/c/", "y/a/b/w out", "y/a", "\\", "1", "!!", "\xC3\xA9", "s\xC3" "a\xC3" "b\xC3",
              });
  // What cannot be read is refused where all arguments are allowed as well; what only reads is not.
  BOOST_TEST((judge_program_text("sed", {"sed", "k"}).kind == Kind::unsafe));
  BOOST_TEST((judge_program_text("sed", {"sed", "r x", "f"}).kind == Kind::safe));
  BOOST_TEST((judge_program_text("sed", {"sed", "-i", "s/a/b/", "f"}).kind == Kind::safe));
  BOOST_TEST((judge_program_text("sed", {"sed", "-f", "x", "e"}).kind == Kind::safe));
  BOOST_TEST((judge_program_text("sed", {"sed", "-i", "s/a/b/w x", "f"}).kind == Kind::unsafe));
  BOOST_TEST((judge_program_text("sed", {"sed", "--unknown", "-e", "1e id", "f"}).kind == Kind::unsafe));
  BOOST_TEST((judge_reach("sed", {"sed", "r /etc/passwd", "f"}).kind == Kind::unsafe));
  BOOST_TEST((judge_reach("sed", {"sed", "s/a/b/", "f"}).kind == Kind::safe));
}

BOOST_AUTO_TEST_CASE(awk_that_prints_is_safe) {
  all_are_safe({
      "awk '{print $1}' f", "awk -F: '{print $1}' /etc/passwd", "awk -F : '{print $1}' f", "awk -v x=1 '{print x}' f",
      "awk -vOFS=, '{print $1,$2}' f", "awk -F '\\t' '$3 > 5' f", "gawk -b '{print}' f", "mawk 1 f", "awk -- '{print}' f", "awk 'NR==1' a b",
      "awk --field-separator=: '{print}' f", "gawk -e '{print}' f", "awk 1 -", "awk 1 x=2 f", "awk --version",
  });
  scripts_are("awk", Kind::safe,
              {
                  "{print $1}", "{ print $NF }", "NR>1", "NR==1,NR==5", "$3 > 5 {print}", "/re/", "!/re/", "/a\\/b/{print}", "/[[:digit:]]+/",
                  "$1 ~ /x|y/", "/a/ && /b/", "/a/ || /b/", "{s+=$1} END {print s}", "END{print NR}", "{a[$1]++} END{for(k in a) print k, a[k]}",
                  "BEGIN{FS=\":\"} {print $1}", "{print length($0)}", "{print length}", "length > 80", "length($0) > 80 {print FILENAME}",
                  "{print ($1 > $2)}", "{print ($1 > $2 ? \"a\" : \"b\")}", "{print($1 > 2)}", "{if ($1 > 2) print $2}", "{if ($1>2) {print $2} else {print $3}}",
                  "{x = $1 > 2; print x}", "{print $1 / $2}", "{print $1/$2/$3}", "{print (a)/2}", "{print a[1]/2/b}", "{x = 4 / 2; y = 6 / 3}",
                  "{if (x) /re/; print}", "{print \"a | b > c system(x)\"}", "{print \"\\\"; system(1)\"}", "# system(\"id\")\n{print}", "{print} # > x",
                  "/system\\(/", "/a|b/", "/>/", "/\"/", "/#/{print}", "{gsub(/\\//, \"-\"); print}", "{gsub(/[\"|>]/, \"\"); print}",
                  "{print substr($0, 1, 5)}", "{printf \"%s %d\\n\", $1, $2}", "{printf(\"%s\\n\", $1)}", "{print $1,\n $2}", "{print a ||\n b}",
                  "function f(x) { return x*2 } {print f($1)}", "{getline; print}", "{getline x; print x}", "BEGIN{while ((getline l) > 0) n++; print n}",
                  "{print > \"/dev/stderr\"}", "{print \"x\" > \"/dev/stdout\"; next}", "{print x >> \"/dev/stderr\"}", "BEGIN{print ENVIRON[\"HOME\"]}",
                  "{x = systime()}", "{print systems, mysystem}", "BEGIN{srand(); print rand()}", "!seen[$0]++", "NF", "1", "", "{print toupper($1)}",
                  "{n=split($0,a,/,/); print a[n]}", "{x++ ; y-- ; print x/y}", "{print -$1, +$2, !$3, $1^2, $1%2}", "{$2=\"\"; print}",
                  "BEGIN{for(i=0;i<3;i++) print i}", "{a[i<2]; print}", "{ print $1 \\\n, $2 }", "BEGIN { printf \"%.2f\\n\", 1e3/7 }", "{print 1.5e-3, .5}",
                  "/x/{f=1} f{print} /y/{f=0}", "{print $1 >= 5}", "{close(\"x\")}", "BEGIN{do {x++} while (x < 5); print x}", "{sum += $1 /2}",
                  "NR % 2 == 0", "$1 == \"a\" && $2 != \"b\"", "{ sub(/^ +/, \"\") } 1", "{x /= 2; print x}", "{ print (1,2) in a }", "\n\n{print}\n",
                  "{print /a/ ? \"y\" : \"n\"}", "{return_value = 1}", "{print index($0, \"|\")}", "BEGIN { OFS = \"\\t\" } { $1 = $1 } 1",
                  // A division, and then strings.
                  "{x = a /\"/; system(\"id\"); \"/ 2}", "{print a[1] /\"/; system(\"id\"); \"/ 2}", "{x = (a) /\"/; system(\"id\"); y = \"/ 2}",
                  "{x++ /\"/; system(\"id\"); \"/ 2}", "/[[:alpha:]\\/]/", "{print $0 ~ /a[^]]b/}",
              });
}

BOOST_AUTO_TEST_CASE(awk_that_executes_writes_or_reads_other_files_is_unsafe) {
  all_are_unsafe({
      {"awk 'BEGIN { system(\"id\") }'", "system()"},
      {"gawk 'BEGIN { \"id\" | getline x; print x }'", "a pipe"},
      {"awk -f prog f", "not judged here"},
      {"awk -fprog f", "not judged here"},
      {"gawk --file=prog f", "not judged here"},
      {"gawk --fil prog f", "not judged here"},
      {"gawk -E prog", "not judged here"},
      {"gawk --exec=prog", "not judged here"},
      {"gawk -i inplace '{print}' f", "not judged here"},
      {"gawk --include inplace '{print}' f", "not judged here"},
      {"gawk -l readdir 1 f", "not judged here"},
      {"gawk --load=x 1 f", "not judged here"},
      {"gawk -dout 1 f", "writes to a file"},
      {"gawk -oout 1 f", "writes to a file"},
      {"gawk --pretty-print=out 1 f", "writes to a file"},
      {"gawk -p 1 f", "writes to a file"},
      {"gawk --prof=x 1 f", "writes to a file"},
      {"gawk -D 1 f", "a debugger"},
      {"mawk -Wexec prog", "another thing"},
      {"mawk -W exec prog", "another thing"},
      {"awk --unknown 1 f", "the option --unknown of awk"},
      {"awk 1 -f prog", "in front of its program"},
      {"gawk -e 1 -e 'BEGIN{system(1)}' f", "system()"},
  });
  scripts_are("awk", Kind::unsafe,
              {
                  "BEGIN{system(\"id\")}", "{system(\"rm \" $1)}", "BEGIN { system (\"id\") }", "BEGIN{1system(\"id\")}", "{print|\"sh\"}", "{print | \"sh\"}",
                  "{print $1 | cmd}", "{printf \"x\" | \"sh\"}", "BEGIN{\"id\"|getline}", "BEGIN{cmd | getline x}", "{print |& \"cat\"}", "{\"id\" |& getline}",
                  "{print > \"out\"}", "{print $1 > $2}", "{print >\"out\"}", "{print >> \"out\"}", "{print $1,$2 > \"out\"}", "{print($1) > \"out\"}",
                  "{print ($1)(2) > \"out\"}", "{printf \"%s\", $1 > \"out\"}", "{printf(\"x\") > \"out\"}", "{print a[1] > \"out\"}", "{if (x) print > \"out\"}",
                  "{if (x) print \"y\"; else print \"z\" > \"out\"}", "{print $1 > \"/dev/stderr\" \"x\"}", "{print $1 > \"/dev/stdout\"x}",
                  "{print > \"/dev/stderr\"; print > \"out\"}", "{print a,\n b > \"out\"}", "{print a ||\n b > \"out\"}", "{print a ? b :\n c > \"out\"}",
                  "{print a \\\n > \"out\"}", "{print a, # c\n b > \"out\"}", "{getline < \"f\"}", "{getline x < \"f\"}", "{getline a[1] < \"f\"}",
                  "BEGIN{while ((getline l < \"/etc/passwd\") > 0) print l}", "{getline $1 < f}", "{getline a[(1)] < \"f\"}", "@include \"x\"", "@load \"x\"",
                  "{f=\"x\"; @f()}", "BEGIN{ARGV[1]=\"/etc/passwd\"; ARGC=2}", "BEGIN{SYMTAB[\"x\"]=1}", "{x = a / system(\"id\") / 2}",
                  "{if (x) /\"/; system(\"id\"); /\"/}",
                  "/a/{print} /\"/{system(\"id\")} /\"/", 
                  "{gsub(/\"/, \"x\"); system(\"id\")}", "{print \"a\\\\\"; system(\"id\")}", "# c\\\nBEGIN{system(\"id\")}", "{print 1 > 2}",
                  "{print \"x\">\"y\"}", "END{print s > \"out\"}", "{print -1 > \"out\"}", "{print !x > \"out\"}", "{for(;;) print > \"out\"}",
              });
}

BOOST_AUTO_TEST_CASE(awk_that_cannot_be_read_is_unsafe) {
  scripts_are("awk", Kind::unsafe,
              {
                  "{print \"a", "{print \"a\nb\"}", "/a", "/a\nb/", "/[/]/", "{getline /x/ 1}", "{x = length / 2}", "{print \\x}", "{0x1system(1)}",
                  "{1e5print}", "{print `x`}", "\xC3\xA9", "/[[:alpha:/]/", "\"\\", "{@/re/}",
              });
  BOOST_TEST((judge_program_text("awk", {"awk", "{print > \"x\"}"}).kind == Kind::unsafe));
  BOOST_TEST((judge_program_text("awk", {"awk", "/[/]/"}).kind == Kind::unsafe));
  BOOST_TEST((judge_program_text("awk", {"awk", "{getline < \"x\"}"}).kind == Kind::safe));
  BOOST_TEST((judge_program_text("gawk", {"gawk", "-i", "inplace", "{print}"}).kind == Kind::safe));
  BOOST_TEST((judge_program_text("awk", {"awk", "-f", "x"}).kind == Kind::safe));
  BOOST_TEST((judge_reach("awk", {"awk", "{getline < \"x\"}"}).kind == Kind::unsafe));
  BOOST_TEST((judge_reach("awk", {"awk", "{print}", "f"}).kind == Kind::safe));
}

BOOST_AUTO_TEST_SUITE_END()
