/// A shell for which a program writes a completion script.
///
/// The script calls the program with ``completionRequest`` and the words so far, so the script
/// stays valid when the program changes.
enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish

  static let completionRequest = "__complete"

  func script(for program: String) -> String {
    let text =
      switch self {
      case .bash: bashScript
      case .zsh: zshScript
      case .fish: fishScript
      }
    return text.replacing("PROGRAM", with: program)
  }
}

private let bashScript = #"""
  # bash completion for PROGRAM, written by: PROGRAM completions bash
  _PROGRAM() {
    local -a typed=()
    local word value glue=
    local -i place
    # bash takes --flag=value and 08:00 apart; here they are one word.
    for ((place = 1; place <= COMP_CWORD; place++)); do
      word=${COMP_WORDS[place]}
      if ((${#typed[@]})) && [[ $glue || $word == [=:] ]]; then
        typed[${#typed[@]} - 1]+=$word
        if [[ $word == [=:] ]]; then glue=1; else glue=; fi
      else
        typed+=("$word")
      fi
    done
    value=${typed[${#typed[@]} - 1]}
    local prefix=
    if [[ $value == --*=* ]]; then prefix=${value%%=*}= value=${value#*=}; fi
    COMPREPLY=()
    while IFS=$'\t' read -r word _; do
      case $word in
        :file)
          compopt -o filenames 2>/dev/null
          mapfile -t COMPREPLY < <(compgen -f -- "$value")
          ;;
        :folder)
          compopt -o filenames 2>/dev/null
          mapfile -t COMPREPLY < <(compgen -d -- "$value")
          ;;
        *) COMPREPLY+=("${word#"$prefix"}") ;;
      esac
    done < <("${COMP_WORDS[0]/#\~/$HOME}" __complete "${typed[@]}" 2>/dev/null)
  }
  complete -F _PROGRAM PROGRAM

  """#

private let zshScript = #"""
  #compdef PROGRAM
  # zsh completion for PROGRAM, written by: PROGRAM completions zsh
  _PROGRAM() {
    local line word prefix=
    local -a offers
    [[ $words[CURRENT] == --*=* ]] && prefix=${words[CURRENT]%%=*}=
    [[ -n $prefix ]] && compset -P '*='
    for line in "${(@f)$(${(Q)words[1]} __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
      word=${line%%$'\t'*}
      case $word in
        '') ;;
        :file) _files ;;
        :folder) _files -/ ;;
        *)
          word=${word#$prefix}
          if [[ $line == *$'\t'* ]]; then
            offers+=("${word//:/\\:}:${line#*$'\t'}")
          else
            offers+=("${word//:/\\:}")
          fi
          ;;
      esac
    done
    (( $#offers )) && _describe -o PROGRAM offers
  }
  if [[ $funcstack[1] == _PROGRAM ]]; then
    _PROGRAM "$@"
  elif (( $+functions[compdef] )); then
    compdef _PROGRAM PROGRAM
  fi

  """#

private let fishScript = #"""
  # fish completion for PROGRAM, written by: PROGRAM completions fish
  function __PROGRAM_offers
      set -l typed (commandline -opc)
      set -l current (commandline -ct)
      set -l prefix (string match -r -- '^--[^=]*=' $current)
      for line in (command $typed[1] __complete $typed[2..-1] "$current" 2>/dev/null)
          switch $line
              case :file
                  printf "$prefix%s\n" (__fish_complete_path (string replace -- "$prefix" '' "$current"))
              case :folder
                  printf "$prefix%s\n" (__fish_complete_directories (string replace -- "$prefix" '' "$current") '')
              case '*'
                  printf '%s\n' $line
          end
      end
  end
  complete -c PROGRAM -f -a '(__PROGRAM_offers)'

  """#

extension Command {
  package static func completions(for name: String) -> Command {
    let shell = Parameter<Shell>.positional("SHELL", type: .oneOf, help: "bash, zsh or fish.")
    return Command(
      "completions",
      summary: "Writes a completion script for a shell.",
      discussion:
        "The script asks the program for completions, so the script needs no update when the "
        + "program is updated.",
      examples: [
        "source <(\(name) completions bash)":
          "For bash: enable completion now, or in ~/.bashrc for every new shell.",
        "\(name) completions zsh > ~/.zfunc/_\(name)":
          "For zsh: write the script into a folder of the fpath.",
        "\(name) completions fish > ~/.config/fish/completions/\(name).fish":
          "For fish: enable completion from the next start of fish on.",
      ],
      parameters: [shell]
    ) { call in
      try call.output.write(call.arguments[shell].script(for: name))
      return .success
    }
  }
}
