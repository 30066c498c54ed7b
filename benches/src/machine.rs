//! What the figures were measured on.

use std::fs::read_to_string;
use std::process::Command;

use catraca::MonotonicClock;

/// One line a fact, as Markdown.
pub fn facts() -> Vec<String> {
    let date = jiff::Timestamp::now().strftime("%Y-%m-%d");
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let processor = field("/proc/cpuinfo", "model name").unwrap_or_else(|| "an unknown processor".to_owned());
    let caches = ["2", "3"].map(|index| {
        let size = read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size"));
        format!("L{index} {}", size.as_deref().map_or("unknown", str::trim))
    });
    let virtual_machine = read_to_string("/proc/cpuinfo").is_ok_and(|text| text.contains(" hypervisor"));
    let memory = field("/proc/meminfo", "MemTotal").and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    let load = read_to_string("/proc/loadavg").unwrap_or_default();
    let packages = ["catraca", "governor", "dashmap", "ahash", "quanta", "criterion"].map(version);
    vec![
        format!("Date: {date}, load average at the start {}.", load.split(' ').next().unwrap_or("unknown")),
        format!(
            "Machine: {processor}{}, {cores} cores, {}, {} GiB of memory.",
            if virtual_machine { " (virtual)" } else { "" },
            caches.join(", "),
            memory.map_or("?".to_owned(), |kib| ((kib + (1 << 19)) >> 20).to_string()), // to the nearest
        ),
        format!("Clock: {:?}. Compiler: {}. Target: {}.", MonotonicClock::source(), compiler(), std::env::consts::ARCH),
        format!("Packages: {}.", packages.join(", ")),
    ]
}

fn field(file: &str, name: &str) -> Option<String> {
    let text = read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn compiler() -> String {
    let output = Command::new("rustc").arg("--version").output();
    output.map_or_else(
        |_| "unknown".to_owned(),
        |output| String::from_utf8_lossy(&output.stdout).split(" (").next().unwrap_or_default().to_owned(),
    )
}

/// A package and its version, out of the lock file.
fn version(package: &str) -> String {
    const LOCK: &str = include_str!("../Cargo.lock");
    let name = format!("name = \"{package}\"\nversion = \"");
    let version = LOCK.split_once(&name).and_then(|(_, rest)| rest.split('"').next());
    format!("{package} {}", version.unwrap_or("unknown"))
}
