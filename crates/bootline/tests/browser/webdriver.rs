// SPDX-License-Identifier: MIT OR Apache-2.0
//! A browser to test the page in: Debian's Chromium, driven over the WebDriver protocol (https://www.w3.org/TR/webdriver2),
//! which is HTTP with JSON.
#![allow(dead_code, reason = "the benchmark uses a part of it")]
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// What takes longer has hung, however busy the host is.
const HANGS: Duration = Duration::from_secs(600);

/// A node of the accessibility tree.
#[derive(Clone, Debug)]
pub struct Accessible {
    pub role: String,
    pub name: String,
    pub description: String,
    pub focusable: bool,
}

/// One browser with one window.
pub struct Browser {
    driver: Child,
    address: String,
    session: String,
    /// Its profile: nothing of the user's own is read or written.
    profile: tempfile::TempDir,
}

impl Browser {
    pub fn start() -> Browser {
        // The driver connects to the browser by this name. A bare Debian 12 in a chroot has no /etc/hosts.
        let resolved = ("localhost", 0).to_socket_addrs();
        assert!(resolved.is_ok(), "localhost does not resolve ({resolved:?}): is it in /etc/hosts?");
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|e| panic!("chromedriver doesn't start ({e}): `scripts/setup browser` installs it"));
        let mut said = BufReader::new(driver.stdout.take().unwrap());
        let port = loop {
            let mut line = String::new();
            assert!(said.read_line(&mut line).unwrap() > 0, "chromedriver names no port");
            if let Some((_, port)) = line.trim_end().trim_end_matches('.').split_once("successfully on port ") {
                break port.to_owned();
            }
        };
        // It may say more, and is not to wait for anybody to read it.
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        let profile = tempfile::tempdir().unwrap();
        let mut browser = Browser { driver, address: format!("127.0.0.1:{port}"), session: String::new(), profile };
        browser.session = browser.open_session();
        browser
    }

    fn open_session(&self) -> String {
        let mut arguments: Vec<String> = [
            "--headless=new",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--no-first-run",
            "--force-device-scale-factor=1",
            "--window-size=1300,950",
        ]
        .map(str::to_owned)
        .into();
        arguments.push(format!("--user-data-dir={}", self.profile.path().display()));
        // Chromium's sandbox refuses root, who is in a container.
        if rustix::process::geteuid().is_root() {
            arguments.push("--no-sandbox".to_owned());
        }
        let hangs = HANGS.as_millis() as u64 / 2;
        let capabilities = json!({ "capabilities": { "alwaysMatch": {
            "timeouts": { "script": hangs, "pageLoad": hangs },
            "goog:chromeOptions": { "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        } } });
        let value = self.request("POST", "/session", Some(&capabilities));
        value["sessionId"].as_str().unwrap_or_else(|| panic!("no session: {value}")).to_owned()
    }

    /// A command of the protocol; its value.
    fn request(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let (status, answer) = self.send(method, path, body).unwrap_or_else(|e| panic!("{method} {path}: {e}"));
        assert!(status.contains(" 200 "), "{method} {path}: {answer:#}");
        answer["value"].clone()
    }

    /// The status line and the content of the answer to a request.
    fn send(&self, method: &str, path: &str, body: Option<&Value>) -> std::io::Result<(String, Value)> {
        let body = body.map_or(String::new(), Value::to_string);
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(HANGS))?;
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.address,
            body.len()
        )?;
        let mut reader = BufReader::new(stream);
        let (mut status, mut length) = (String::new(), 0);
        reader.read_line(&mut status)?;
        loop {
            let mut header = String::new();
            reader.read_line(&mut header)?;
            let Some((name, value)) = header.trim_end().split_once(':') else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().map_err(|_| std::io::ErrorKind::InvalidData)?;
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer)?;
        Ok((status, serde_json::from_slice(&answer)?))
    }

    fn command(&self, method: &str, path: &str, body: Value) -> Value {
        self.request(method, &format!("/session/{}{path}", self.session), Some(&body))
    }

    pub fn open(&self, file: &Path) {
        self.go(&format!("file://{}", file.display()));
    }

    pub fn go(&self, address: &str) {
        self.command("POST", "/url", json!({ "url": address }));
    }

    /// What a function body returns in the page.
    pub fn run(&self, script: &str) -> Value {
        self.command("POST", "/execute/sync", json!({ "script": script, "args": [] }))
    }

    /// What an asynchronous function gives to `done`.
    pub fn run_until_done(&self, script: &str) -> Value {
        let script = format!("const done = arguments[arguments.length - 1];\n{script}");
        self.command("POST", "/execute/async", json!({ "script": script, "args": [] }))
    }

    /// After the page has drawn what was changed.
    pub fn settle(&self) {
        self.run_until_done("requestAnimationFrame(() => requestAnimationFrame(() => done(true)));");
    }

    /// Types with Shift held.
    pub fn shifted(&self, key: &str) {
        let actions = [("keyDown", "\u{e008}"), ("keyDown", key), ("keyUp", key), ("keyUp", "\u{e008}")];
        let actions: Vec<Value> = actions.iter().map(|(what, key)| json!({ "type": what, "value": key })).collect();
        self.command("POST", "/actions", json!({ "actions": [{ "type": "key", "id": "keys", "actions": actions }] }));
        self.settle();
    }

    /// Types, where the focus is; the protocol's own codes stand for keys without a character.
    pub fn keys(&self, keys: &str) {
        let actions: Vec<Value> = keys
            .chars()
            .flat_map(|c| [json!({ "type": "keyDown", "value": c }), json!({ "type": "keyUp", "value": c })])
            .collect();
        self.command("POST", "/actions", json!({ "actions": [{ "type": "key", "id": "keys", "actions": actions }] }));
        self.settle();
    }

    pub fn click(&self, x: f64, y: f64) {
        self.pointer(&[(x, y)], true);
    }

    pub fn hover(&self, x: f64, y: f64) {
        self.pointer(&[(x, y)], false);
    }

    pub fn drag(&self, from: (f64, f64), to: (f64, f64)) {
        self.pointer(&[from, ((from.0 + to.0) / 2.0, to.1), to], true);
    }

    /// Moves along the points; pressed from the first to the last, where asked for.
    fn pointer(&self, points: &[(f64, f64)], pressed: bool) {
        let go = |(x, y): (f64, f64)| json!({ "type": "pointerMove", "duration": 20, "x": x.round() as i64, "y": y.round() as i64 });
        let mut actions = vec![go(points[0])];
        if pressed {
            actions.push(json!({ "type": "pointerDown", "button": 0 }));
        }
        actions.extend(points[1..].iter().map(|p| go(*p)));
        if pressed {
            actions.push(json!({ "type": "pointerUp", "button": 0 }));
        }
        let pointer =
            json!({ "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": actions });
        self.command("POST", "/actions", json!({ "actions": [pointer] }));
        self.settle();
    }

    /// Two fingers, each from one point to another.
    pub fn pinch(&self, fingers: [[(f64, f64); 2]; 2]) {
        let finger = |n: usize, [from, to]: [(f64, f64); 2]| {
            let go = |(x, y): (f64, f64), ms: u32| json!({ "type": "pointerMove", "duration": ms, "x": x.round() as i64, "y": y.round() as i64 });
            let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
            json!({ "type": "pointer", "id": format!("finger{n}"), "parameters": { "pointerType": "touch" }, "actions": [
                go(from, 0), { "type": "pointerDown", "button": 0 }, go(middle, 60), go(to, 60), { "type": "pointerUp", "button": 0 },
            ] })
        };
        let actions: Vec<Value> = fingers.into_iter().enumerate().map(|(n, f)| finger(n, f)).collect();
        self.command("POST", "/actions", json!({ "actions": actions }));
        self.settle();
    }

    pub fn wheel(&self, x: f64, y: f64, by: i64) {
        let scroll =
            json!({ "type": "scroll", "x": x.round() as i64, "y": y.round() as i64, "deltaX": 0, "deltaY": by });
        self.command(
            "POST",
            "/actions",
            json!({ "actions": [{ "type": "wheel", "id": "wheel", "actions": [scroll] }] }),
        );
        self.settle();
    }

    /// A command of the browser's own protocol.
    fn devtools(&self, command: &str, params: Value) -> Value {
        self.command("POST", "/goog/cdp/execute", json!({ "cmd": command, "params": params }))
    }

    pub fn size(&self, width: u32, height: u32) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", metrics);
        self.settle();
    }

    /// What a screen reader is given: role, name and properties of each node that isn't ignored.
    pub fn accessible(&self) -> Vec<Accessible> {
        let tree = self.devtools("Accessibility.getFullAXTree", json!({}));
        let text = |v: &Value| v["value"].as_str().unwrap_or_default().to_owned();
        let node = |n: &Value| Accessible {
            role: text(&n["role"]),
            name: text(&n["name"]),
            description: text(&n["description"]),
            focusable: n["properties"]
                .as_array()
                .is_some_and(|all| all.iter().any(|p| p["name"] == "focusable" && p["value"]["value"] == true)),
        };
        tree["nodes"].as_array().unwrap().iter().filter(|n| n["ignored"] != true).map(node).collect()
    }

    /// `print` or nothing, and features as (name, value).
    pub fn media(&self, media: &str, features: &[(&str, &str)]) {
        let features: Vec<Value> =
            features.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
        self.devtools("Emulation.setEmulatedMedia", json!({ "media": media, "features": features }));
        self.settle();
    }

    /// What the console of the page says, since it was last asked.
    pub fn console(&self) -> Vec<String> {
        self.log("browser").iter().map(|entry| entry["message"].as_str().unwrap().to_owned()).collect()
    }

    /// Addresses that the page asked for, since it was last asked.
    pub fn requests(&self) -> Vec<String> {
        let messages = self
            .log("performance")
            .into_iter()
            .map(|entry| serde_json::from_str::<Value>(entry["message"].as_str().unwrap()).unwrap()["message"].clone());
        let sent = messages.filter(|m| m["method"] == "Network.requestWillBeSent");
        sent.map(|m| m["params"]["request"]["url"].as_str().unwrap().to_owned()).collect()
    }

    fn log(&self, of: &str) -> Vec<Value> {
        self.command("POST", "/se/log", json!({ "type": of })).as_array().unwrap().clone()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Also after a failure: a browser without its driver would run on beside the tests that follow.
        if !self.session.is_empty() {
            _ = self.send("DELETE", &format!("/session/{}", self.session), None);
        }
        _ = self.driver.kill();
        _ = self.driver.wait();
    }
}
