# Completion of wtool for fish: asks `wtool complete` what fits. fish reads this file from
# share/fish/vendor_completions.d.
function __wtool_complete
    set -l words (commandline --current-process --tokenize --cut-at-cursor)
    set -l token (commandline --current-token --cut-at-cursor)
    # fish passes the words as they are typed, with a tilde that is not expanded.
    set -l program (string replace --regex '^~/' "$HOME/" -- $words[1])
    for candidate in ($program complete $words[2..-1] $token 2>/dev/null)
        if test $candidate != :files
            echo $candidate
        else if set -l parts (string split --max 1 = -- $token); and string match --quiet -- '--*=*' $token
            for path in (__fish_complete_path $parts[2])
                echo $parts[1]=$path
            end
        else
            __fish_complete_path $token
        end
    end
end
complete --command wtool --no-files --arguments '(__wtool_complete)'
