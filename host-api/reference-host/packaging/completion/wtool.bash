# Completion of wtool for bash: asks `wtool complete` what fits. The package bash-completion reads this file from
# share/bash-completion/completions/wtool. To load it by hand: `. wtool.bash`.
_wtool() {
  local IFS=$'\n' line files= candidates=()
  local word=${COMP_WORDS[COMP_CWORD]}
  local words=("${COMP_WORDS[@]:1:COMP_CWORD}")
  # `--var name=value` is three words to bash.
  [[ $word == = ]] && word=
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      files=1
      compopt -o filenames
      while IFS= read -r line; do candidates+=("$line"); done < <(compgen -f -- "$word")
    else
      candidates+=("$line")
    fi
  done < <("${COMP_WORDS[0]}" complete "${words[@]}" 2>/dev/null)
  COMPREPLY=("${candidates[@]}")
  # Bash quotes only names of files, but a run or a state may have any name: `$(command)` must stay a word.
  if [[ -z $files && ${#candidates[@]} -gt 0 ]]; then
    COMPREPLY=()
    for line in "${candidates[@]}"; do COMPREPLY+=("$(printf %q "$line")"); done
  fi
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -F _wtool wtool
