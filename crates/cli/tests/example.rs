//! The example log is what its generator says, and the README's first command works on it.

mod support;

#[path = "../examples/generate_log.rs"]
#[allow(dead_code, reason = "its `main` is for the command line")]
mod generate_log;

use support::{catraca, replay};

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");

#[test]
fn the_example_log_is_what_its_generator_writes() {
    let committed = std::fs::read_to_string(format!("{EXAMPLES}/access.log")).unwrap();
    assert!(
        generate_log::log() == committed,
        "run: cargo run -p catraca-cli --example generate_log > examples/access.log"
    );
}

#[test]
fn the_first_command_of_the_readme() {
    let (log, policies) = (format!("{EXAMPLES}/access.log"), format!("{EXAMPLES}/policies.yaml"));
    let run = catraca(&["replay", &log, "--policies", &policies]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.lines().all(|line| line.chars().count() <= 80), "{}", run.out);
    for says in ["default: 5/s burst 10", "203.0.113.7", "malformed", "lines a second", "decisions a second"] {
        assert!(run.out.contains(says), "{says}: {}", run.out);
    }
}

#[test]
fn the_example_shows_what_it_was_made_for() {
    let (log, policies) = (format!("{EXAMPLES}/access.log"), format!("{EXAMPLES}/policies.yaml"));
    let run = replay(&log, &policies, &[]);
    let [malformed, out_of_order, denied] = run.numbers(["malformed", "out_of_order", "denied"]);
    assert!(malformed == 1 && out_of_order >= 1 && denied > 100, "{}", run.out);
    assert_eq!(run.json("denied_most")[0]["key"], "203.0.113.7");
    let login = replay(&log, &policies, &["--policy", "auth_login"]);
    let most = login.json("denied_most");
    assert!(most.as_array().unwrap().iter().any(|caller| caller["key"] == "203.0.113.66"), "{most}");
    let by_network = replay(&log, &policies, &["--key", "ip/64"]);
    assert!(by_network.number("denied") > denied && by_network.number("keys") < run.number("keys"));
    assert_eq!(by_network.json("denied_most")[1]["key"], "2001:db8:bad:cafe::/64");
}
