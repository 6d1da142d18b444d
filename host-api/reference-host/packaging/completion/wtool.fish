# Completion of wtool for fish: asks `wtool complete` what fits. fish reads this file from
# share/fish/vendor_completions.d.
function __wtool_complete
    set -l words (commandline --current-process --tokenize --cut-at-cursor)
    for candidate in ($words[1] complete $words[2..-1] (commandline --current-token --cut-at-cursor) 2>/dev/null)
        if test $candidate = :files
            __fish_complete_path (commandline --current-token --cut-at-cursor)
        else
            echo $candidate
        end
    end
end
complete --command wtool --no-files --arguments '(__wtool_complete)'
