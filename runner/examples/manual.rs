//! Writes the man pages and the completions of four shells, in the places below `share` where systems look for them:
//!
//!     cargo run -p ikeru --example manual -- ~/.local

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_complete::{Shell, generate_to};
use ikeru::CommandLine;

fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1).context("expected a folder")?;
    let share = Path::new(&folder).join("share");
    let pages = made(share.join("man/man1"))?;
    clap_mangen::generate_to(CommandLine::command(), &pages)?;
    for (shell, place) in [
        (Shell::Bash, "bash-completion/completions"),
        (Shell::Zsh, "zsh/site-functions"),
        (Shell::Fish, "fish/vendor_completions.d"),
        (Shell::PowerShell, "powershell"),
    ] {
        let path = generate_to(
            shell,
            &mut CommandLine::command(),
            "ikeru",
            made(share.join(place))?,
        )?;
        if shell == Shell::Bash {
            // The loader of completions looks for the command's own name.
            fs::rename(&path, path.with_extension(""))?;
        }
    }
    Ok(())
}

/// The folder, made if it is missing.
fn made(folder: PathBuf) -> Result<PathBuf> {
    let name = folder.display().to_string();
    fs::create_dir_all(&folder).with_context(|| format!("{name}: cannot be made"))?;
    Ok(folder)
}
