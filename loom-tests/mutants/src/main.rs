//! Applies each mutant of `mutants.toml` to a copy of the engine and expects its model to fail.
//!
//! Run from the root of the repository; with names as arguments, only those. Everything it makes is under
//! `target/mutants`. A mutant that no longer applies, does not compile, or survives is an error.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;
use std::{env, fs, io};

use serde::Deserialize;

/// A way to break the protocol.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mutant {
    name: String,
    /// The file to change, from the root of the repository.
    file: String,
    /// A text that stands there exactly once, and what to put in its place.
    find: String,
    replace: String,
    /// The model that notices, as `file::test`.
    model: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mutants {
    mutant: Vec<Mutant>,
}

/// A copy of what the models need, with a build folder of its own.
struct Tree {
    root: PathBuf,
    build: PathBuf,
}

fn main() -> ExitCode {
    let listed = match fs::read_to_string("loom-tests/mutants/mutants.toml") {
        Ok(text) => text,
        Err(error) => return complain(&format!("loom-tests/mutants/mutants.toml: {error}; run from the root")),
    };
    let mutants: Mutants = match toml::from_str(&listed) {
        Ok(mutants) => mutants,
        Err(error) => return complain(&format!("loom-tests/mutants/mutants.toml: {error}")),
    };
    let names: Vec<String> = env::args().skip(1).collect();
    let chosen = |mutant: &&Mutant| names.is_empty() || names.contains(&mutant.name);
    let mutants: Vec<&Mutant> = mutants.mutant.iter().filter(chosen).collect();
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let workers = thread::available_parallelism().map_or(1, usize::from).min(4);
    thread::scope(|scope| {
        for worker in 0..workers {
            let (mutants, next, failed) = (&mutants, &next, &failed);
            scope.spawn(move || {
                let tree = Tree::new(worker);
                while let Some(mutant) = mutants.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let begun = Instant::now();
                    let verdict = tree.as_ref().map_err(|error| error.to_string()).and_then(|tree| tree.try_on(mutant));
                    failed.fetch_add(usize::from(verdict.is_err()), Ordering::Relaxed);
                    let (mark, said) = match verdict {
                        Ok(said) => ("ok", said),
                        Err(said) => ("FAILED", said),
                    };
                    println!("mutant {} ... {mark}: {said} ({:.1?})", mutant.name, begun.elapsed());
                }
            });
        }
    });
    let failed = failed.into_inner();
    println!("{} passed, {failed} failed", mutants.len() - failed);
    if failed == 0 && !mutants.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn complain(message: &str) -> ExitCode {
    eprintln!("{message}");
    ExitCode::FAILURE
}

impl Tree {
    fn new(worker: usize) -> io::Result<Tree> {
        let base = env::current_dir()?.join("target/mutants");
        let (root, build) = (base.join(format!("tree-{worker}")), base.join(format!("build-{worker}")));
        if root.exists() {
            fs::remove_dir_all(&root)?;
        }
        for part in [
            "Cargo.toml",
            "src",
            "loom-tests/Cargo.toml",
            "loom-tests/Cargo.lock",
            "loom-tests/src",
            "loom-tests/tests",
        ] {
            copy(Path::new(part), &root.join(part))?;
        }
        Ok(Tree { root, build })
    }

    /// What became of a mutant: good news, or bad.
    fn try_on(&self, mutant: &Mutant) -> Result<String, String> {
        let path = self.root.join(&mutant.file);
        let sound = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", mutant.file))?;
        let found = sound.matches(&mutant.find).count();
        if found != 1 {
            return Err(format!("{} holds the text to replace {found} times, not once", mutant.file));
        }
        let broken = sound.replacen(&mutant.find, &mutant.replace, 1);
        let verdict = fs::write(&path, broken).map_err(|error| error.to_string()).and_then(|()| self.judge(mutant));
        fs::write(&path, sound).map_err(|error| error.to_string())?;
        verdict
    }

    fn judge(&self, mutant: &Mutant) -> Result<String, String> {
        let (file, test) = mutant.model.split_once("::").ok_or("a model is named file::test")?;
        if !self.cargo(&["--no-run", "--test", file]) {
            return Err("does not compile".into());
        }
        if self.cargo(&["--test", file, "--", "--exact", test]) {
            return Err(format!("survived {}", mutant.model));
        }
        Ok(format!("caught by {}", mutant.model))
    }

    fn cargo(&self, arguments: &[&str]) -> bool {
        let status = Command::new("cargo")
            .args(["test", "--quiet", "--locked"])
            .args(arguments)
            .current_dir(self.root.join("loom-tests"))
            .env("CARGO_TARGET_DIR", &self.build)
            .env("RUSTFLAGS", "--cfg catraca_loom")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status.is_ok_and(|status| status.success())
    }
}

/// Copies a file or a folder.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(from, to).map(drop)
}
