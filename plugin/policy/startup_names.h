// Files from which programs take commands that they execute on their own, sooner or later.
#pragma once

#include <string_view>

namespace wtool::policy {

// Names, separated by blanks, of files and folders of known programs: shells, editors, debuggers, session managers,
// version control, assistants. No such list is complete. The sandbox keeps them unchanged in each of its write roots
// (sandbox.protect: default), and execute_run asks before it writes them in any folder. docs/guide/sandbox.md has them
// as a table.
inline constexpr std::string_view startup_names =
    ".gitmodules .gitconfig .config/git .hg/hgrc .hgrc .config/hg .config/jj "
    ".bashrc .bashrc.d .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion .profile .inputrc "
    ".zshrc .zprofile .zshenv .zlogin .zlogout .zshrc.zwc .zprofile.zwc .zshenv.zwc .zlogin.zwc .zlogout.zwc .kshrc "
    ".mkshrc .yashrc .yash_profile .xonshrc .config/xonsh .cshrc .tcshrc .login .logout .config/fish .config/nushell "
    ".pam_environment "
    ".xprofile .xsession .xsessionrc .xinitrc .config/autostart .config/plasma-workspace/env .config/systemd "
    ".config/environment.d .local/share/systemd "
    ".local/share/applications .local/share/dbus-1 .local/bin "
    ".envrc .direnvrc .config/direnv .tool-versions .mise.toml .mise.local.toml mise.toml mise.local.toml .mise "
    "mise/config.toml mise/config.local.toml .config/mise .config/mise.toml .config/mise.local.toml "
    ".ssh .gnupg/gpg.conf .gnupg/gpg-agent.conf .tmux.conf .config/tmux .screenrc "
    ".vimrc .exrc .gvimrc .vim .nvimrc .nvim.lua .config/nvim "
    ".lesskey .less .lessfilter .config/lesskey .selected_editor .nanorc .config/nano "
    ".emacs .emacs.el .emacs.elc .emacs.d .config/emacs .dir-locals.el .dir-locals-2.el .helix .config/helix "
    ".vscode .idea .zed .config/zed .config/Code/User "
    ".gdbinit .lldbinit .pdbrc .perldb .Rprofile .Renviron .irbrc .pryrc .iex.exs .ghci .ocamlinit .octaverc .psqlrc "
    ".sqliterc "
    ".npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .cargo/config .cargo/config.toml "
    ".mcp.json .claude .claude.json .cursor .codex .gemini .windsurf .opencode opencode.json opencode.jsonc .roo .kiro "
    ".kilocode .qwen .amazonq .trae .crush.json crush.json .aider.conf.yml "
    ".wtool wtool.yaml .clada .config/wtool tools-allow.json apps/tools/caws/tools-allow.json";

}  // namespace wtool::policy
