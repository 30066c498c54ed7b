//! The command: from its arguments to its report.

use std::path::{Path, PathBuf};
use std::time::Instant;

use catraca_policy::{Policy, PolicyFile, Storage};
use same_file::Handle;

use crate::args::ReplayArgs;
use crate::failure::{Failure, say};
use crate::log::source::{Size, Source};
use crate::replay::output::Output;
use crate::replay::pass::Pass;
use crate::replay::{notes, report};

/// Decides every line of the logs and reports.
pub(crate) fn replay(args: ReplayArgs) -> Result<(), Failure> {
    let started = Instant::now();
    let file = PolicyFile::load(&args.policies).map_err(|error| Failure::Failed(error.to_string()))?;
    let policy = choose(&file, args.policy.as_deref())?;
    let sources: Vec<Source> = args.logs.iter().map(|log| Source::named(log)).collect();
    let size = inspect(&sources)?;
    if let Some(path) = &args.decisions {
        refuse_overwriting(path, &args)?;
    }
    if policy.storage() == Storage::Redis {
        say("note: the policy says storage: redis; a replay decides in memory");
    }
    let is_json = args.json;
    let output = match args.decisions.as_deref() {
        Some(path) if path == Path::new("-") => Output::Stderr,
        _ => Output::Stdout,
    };
    let mut pass = Pass::new(args, policy, size)?;
    let unread = pass.read(&sources)?;
    let summary = pass.finish(policy, started, unread.is_none())?;
    for note in notes::of(&summary) {
        say(&format!("note: {note}"));
    }
    output.print(&if is_json { report::json(&summary)? } else { report::text(&summary) })?;
    match unread {
        Some(error) => Err(Failure::Failed(error)),
        None if summary.decided == 0 && summary.malformed > 0 => {
            let message = "no line could be read: is this an access log, and --format the right one?";
            Err(Failure::Failed(message.to_owned()))
        }
        None => Ok(()),
    }
}

/// The policy of this name, or the one that is meant where none is named.
fn choose<'a>(file: &'a PolicyFile, name: Option<&str>) -> Result<&'a Policy, Failure> {
    let found = match (name, file.policies()) {
        (Some(name), _) => file.get(name),
        (None, [only]) => Some(only),
        (None, _) => file.get("default"),
    };
    found.ok_or_else(|| {
        let names: Vec<&str> = file.names().collect();
        let (file, names) = (file.file(), names.join(", "));
        Failure::Usage(match name {
            Some(name) => format!("{file} has no policy `{name}`, only {names}"),
            None => format!("{file} has no policy `default`: choose one of {names} with --policy"),
        })
    })
}

/// Looks at all logs before the first is read: a missing one is no surprise for the end of a long run. Their size,
/// where it is known.
fn inspect(sources: &[Source]) -> Result<Size, Failure> {
    if sources.iter().filter(|source| matches!(source, Source::Stdin)).count() > 1 {
        return Err(Failure::Usage("standard input (-) can be read only once".into()));
    }
    sources.iter().try_fold(Size::ZERO, |total, source| match source.inspect() {
        Ok(size) => Ok(total.plus(size)),
        Err(error) => Err(Failure::Failed(format!("{}: {error}", source.name()))),
    })
}

/// A file of decisions that is one of the files being read would destroy it, under whatever name.
fn refuse_overwriting(path: &Path, args: &ReplayArgs) -> Result<(), Failure> {
    // Only of plain files: to look at a pipe is to wait for its writer.
    let identity = |path: &Path| path.is_file().then(|| Handle::from_path(path).ok()).flatten();
    let Some(target) = identity(path) else {
        return Ok(()); // it is not there yet, or nothing that could be lost
    };
    let is_target = |input: &PathBuf| match input.as_os_str() == "-" {
        true => Handle::stdin().is_ok_and(|input| input == target),
        false => identity(input).is_some_and(|input| input == target),
    };
    if args.logs.iter().chain([&args.policies]).any(is_target) {
        return Err(Failure::Usage(format!(
            "--decisions {}: this file is read; it would be overwritten",
            path.display()
        )));
    }
    Ok(())
}
