// SPDX-License-Identifier: MIT OR Apache-2.0
//! The examples for CI do what they say: what their jobs would run is taken out of them and run, with the real command. Only
//! what a test can't have is played: the board, its switch, a kernel's build, what a forge's machine installs.
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;

use bootline_testkit::isolated;
use serde_json::Value;

mod made_up_boot;

/// A boot whose initcall `b_init` takes so many ms.
fn log(b_ms: u32, jitter_us: u32) -> String {
    made_up_boot::log(&[("a_init", 40), ("b_init", b_ms), ("c_init", 30)], jitter_us)
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ci")
}

/// An example as JSON.
fn yaml(name: &str) -> Value {
    let read = "import sys, yaml, json\njson.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)\n";
    let out = isolated("python3").args(["-c", read]).arg(examples().join(name)).output();
    let out = out.expect("python3, as `make setup` installs");
    assert!(out.status.success(), "{name}: {}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap()
}

/// A machine of a forge: a checkout with budget and baseline, and commands that stand for what there is none of here.
struct Machine {
    dir: tempfile::TempDir,
}

impl Machine {
    fn new() -> Machine {
        let dir = tempfile::tempdir().unwrap();
        let machine = Machine { dir };
        fs::create_dir_all(machine.path("bin")).unwrap();
        fs::create_dir_all(machine.path("base")).unwrap();
        for n in 0..10 {
            let run = machine.path(&format!("base/{n:02}"));
            fs::create_dir(&run).unwrap();
            fs::write(run.join("boot.cap"), log(100, n * 7 % 5 * 900)).unwrap();
        }
        fs::copy(examples().join("boot-budget.toml"), machine.path("boot-budget.toml")).unwrap();
        // `boot` and `capture` put what this board says where they are told to; all else is done in earnest.
        machine.command(
            "bootline",
            &format!(
                "case $1 in\n\
                 boot | capture)\n\
                 kind=$1\n\
                 while [ $# -gt 0 ]; do case $1 in -o) out=$2 ;; esac; shift; done\n\
                 n=$(basename \"$out\" .cap)\n\
                 case $kind in boot) mkdir -p \"$out\"; out=$out/boot.cap ;; esac\n\
                 cp \"board/$n.log\" \"$out\" || exit 4 ;;\n\
                 *) exec '{}' \"$@\" ;;\n\
                 esac",
                env!("CARGO_BIN_EXE_bootline")
            ),
        );
        for played in ["sudo", "cargo", "make", "board-power"] {
            machine.command(played, &format!("echo {played} \"$@\" >>played"));
        }
        for played in ["lava-test-case", "lava-test-raise"] {
            machine.command(played, &format!("echo {played} \"$@\" >>signals"));
        }
        let out = machine.shell("bootline check --write-baseline boot-baseline.json base/*/boot.cap");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    fn command(&self, name: &str, script: &str) {
        let path = self.path("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The board's next ten boots.
    fn board(&self, b_ms: u32) {
        fs::create_dir_all(self.path("board")).unwrap();
        for n in 1..=10 {
            fs::write(self.path(&format!("board/{n:02}.log")), log(b_ms, n * 3 % 5 * 900)).unwrap();
        }
        fs::write(self.path("board/dmesg"), log(b_ms, 0)).unwrap();
    }

    /// As GitHub and GitLab run a step's lines.
    fn shell(&self, script: &str) -> Output {
        self.run(&["bash", "-e", "-o", "pipefail", "-c", script])
    }

    fn run(&self, command: &[&str]) -> Output {
        let path = format!("{}:{}", self.path("bin").display(), std::env::var("PATH").unwrap());
        isolated(command[0])
            .args(&command[1..])
            .current_dir(self.dir.path())
            .env("PATH", path)
            .env("GITHUB_STEP_SUMMARY", self.path("summary.md"))
            .env("BOOTLINE", "https://git.example.org/bootline.git")
            .output()
            .unwrap()
    }
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("no {pointer}"))
}

#[test]
fn github() {
    let workflow = yaml("github-actions.yml");
    let job = &workflow["jobs"]["boot-time"];
    assert_eq!(job["runs-on"], "ubuntu-24.04");
    // YAML 1.1 reads the key `on` as a truth.
    assert!(workflow.get("on").or(workflow.get("true")).is_some(), "{workflow}");
    for (b_ms, expected) in [(100, 0), (300, 1)] {
        let machine = Machine::new();
        machine.board(b_ms);
        let mut gate = None;
        for step in job["steps"].as_array().unwrap() {
            let Some(script) = step["run"].as_str() else {
                assert!(step["uses"].as_str().is_some_and(|u| u.starts_with("actions/")), "{step}");
                continue;
            };
            // What follows a failed step runs if it says so.
            if gate.is_some_and(|status| status != 0) && step["if"] != "always()" {
                continue;
            }
            let out = machine.shell(script);
            let status = out.status.code().unwrap();
            if script.starts_with("bootline check") {
                gate = Some(status);
            } else {
                assert_eq!(status, 0, "{script}: {}", String::from_utf8_lossy(&out.stderr));
            }
        }
        assert_eq!(gate, Some(expected));
        assert!(machine.read("boot-time.xml").contains("tests=\"3\""), "{}", machine.read("boot-time.xml"));
        assert!(machine.read("summary.md").starts_with("## "), "{}", machine.read("summary.md"));
        assert!(machine.read("played").contains("make -C linux"), "{}", machine.read("played"));
    }
}

#[test]
fn gitlab() {
    let pipeline = yaml("gitlab-ci.yml");
    let job = &pipeline["boot-time"];
    assert!(pipeline["stages"].as_array().unwrap().contains(&job["stage"]));
    let lines = |key: &str| -> String {
        job[key].as_array().unwrap().iter().map(|l| format!("{}\n", l.as_str().unwrap())).collect()
    };
    for (b_ms, lost, expected) in [(100, None, 0), (300, None, 1), (100, Some("board/04.log"), 0)] {
        let machine = Machine::new();
        machine.board(b_ms);
        // The board didn't come up once: nothing was captured, and the others go on.
        lost.map(|log| fs::remove_file(machine.path(log)));
        let out = machine.shell(&lines("script"));
        assert_eq!(out.status.code(), Some(expected), "{}", String::from_utf8_lossy(&out.stderr));
        let out = machine.shell(&lines("after_script"));
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        for artifact in job["artifacts"]["paths"].as_array().unwrap() {
            assert!(machine.path(artifact.as_str().unwrap()).exists(), "{artifact}");
        }
        assert!(machine.read(text(job, "/artifacts/reports/junit")).contains("<testsuite "));
    }
}

#[test]
fn lava() {
    let job = yaml("lava-job.yaml");
    for key in ["job_name", "device_type", "visibility", "priority"] {
        assert!(job[key].is_string(), "{key}");
    }
    assert!(job["timeouts"]["job"]["minutes"].is_u64());
    let actions: Vec<&str> = job["actions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| a.as_object().unwrap().keys().next().unwrap().as_str())
        .collect();
    assert_eq!(actions, ["deploy", "boot", "test"]);
    let definition = &job["actions"][2]["test"]["definitions"][0];
    assert_eq!(
        (text(definition, "/from"), text(definition, "/repository/metadata/format")),
        ("inline", "Lava-Test Test Definition 1.0")
    );
    let steps: String = definition["repository"]["run"]["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| format!("{}\n", s.as_str().unwrap()))
        .collect();
    // The board has the budget elsewhere.
    assert!(steps.contains("/etc/boot-budget.toml"));
    let on = |machine: &Machine| {
        machine.command("dmesg", "cat board/dmesg");
        let out = machine.run(&["sh", "-c", &steps.replace("/etc/", "")]);
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        machine.read("signals")
    };
    let machine = Machine::new();
    machine.board(100);
    let signals = on(&machine);
    let time = signals.lines().find(|l| l.contains(" time-to-init-at-most ")).unwrap_or_default();
    assert!(time.contains("--result pass --measurement 0.") && time.ends_with("--units seconds"), "{signals}");
    assert!(signals.contains("time-to-init-increase-at-most --result unknown"), "{signals}");
    assert!(signals.contains("lava-test-case console-bytes-at-most --result pass\n"), "{signals}");
    let machine = Machine::new();
    machine.board(4000);
    assert!(on(&machine).contains("time-to-init-at-most --result fail"));
    let machine = Machine::new();
    machine.board(100);
    fs::write(machine.path("board/dmesg"), "nothing of a boot\n").unwrap();
    assert_eq!(on(&machine), "lava-test-case boot-log --result fail\n");
    let machine = Machine::new();
    machine.board(100);
    fs::write(machine.path("boot-budget.toml"), "nonsense").unwrap();
    assert!(on(&machine).starts_with("lava-test-raise bootline check ended with status 2"));
}
