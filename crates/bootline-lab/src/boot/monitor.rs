// SPDX-License-Identifier: MIT OR Apache-2.0
//! QEMU's monitor (QMP): one JSON document a line.
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// How long QEMU may take for a reply; it starts meanwhile, perhaps on a busy host.
const PATIENCE: Duration = Duration::from_secs(30);

/// The monitor of a QEMU, which need not have started yet.
#[derive(Debug)]
pub(super) struct Monitor {
    replies: BufReader<UnixStream>,
    commands: UnixStream,
    /// Whether both sides have agreed on what they speak.
    has_greeted: bool,
}

impl Monitor {
    /// The monitor at the other end of `stream`. Nothing is sent yet.
    pub fn new(stream: UnixStream) -> io::Result<Monitor> {
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Monitor { commands: stream.try_clone()?, replies: BufReader::new(stream), has_greeted: false })
    }

    /// Stores the screen in a file. Whether QEMU reports success.
    pub fn screendump(&mut self, file: &Path) -> bool {
        let arguments = serde_json::json!({"execute": "screendump", "arguments": {"filename": file}});
        self.execute(&arguments.to_string())
    }

    /// Takes the link of a network controller down. Whether QEMU reports success.
    pub fn unplug(&mut self, controller: &str) -> bool {
        let arguments = serde_json::json!({"execute": "set_link", "arguments": {"name": controller, "up": false}});
        self.execute(&arguments.to_string())
    }

    /// Lets a paused guest run. Whether QEMU reports success.
    pub fn resume(&mut self) -> bool {
        self.execute(r#"{"execute":"cont"}"#)
    }

    /// Whether QEMU reports success. Events in between are passed over.
    fn execute(&mut self, command: &str) -> bool {
        if !self.has_greeted {
            // The greeting comes first, by itself.
            let greeted = self.replies.read_line(&mut String::new()).is_ok_and(|n| n > 0);
            if !greeted || !self.ask(r#"{"execute":"qmp_capabilities"}"#) {
                return false;
            }
            self.has_greeted = true;
        }
        self.ask(command)
    }

    fn ask(&mut self, command: &str) -> bool {
        if writeln!(self.commands, "{command}").is_err() {
            return false;
        }
        loop {
            let mut line = String::new();
            match self.replies.read_line(&mut line) {
                Ok(1..) if line.starts_with("{\"return\"") => return true,
                Ok(1..) if line.starts_with("{\"error\"") => return false,
                Ok(1..) => (),
                _ => return false,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// What the monitor says to these commands, if QEMU replies so.
    fn said(replies: &'static str, ask: impl FnOnce(&mut Monitor) -> bool) -> (bool, String) {
        let (ours, mut qemus) = UnixStream::pair().unwrap();
        let qemu = thread::spawn(move || {
            qemus.write_all(replies.as_bytes()).unwrap();
            qemus.shutdown(std::net::Shutdown::Write).unwrap();
            io::read_to_string(qemus).unwrap()
        });
        let mut monitor = Monitor::new(ours).unwrap();
        let answer = ask(&mut monitor);
        drop(monitor);
        (answer, qemu.join().unwrap())
    }

    #[test]
    fn a_command_follows_the_greeting_and_passes_over_events() {
        let replies =
            "{\"QMP\": {}}\r\n{\"return\": {}}\r\n{\"event\": \"RESUME\"}\r\n{\"return\": {}}\r\n{\"return\": {}}\r\n";
        let (answer, heard) = said(replies, |m| m.unplug("unplugged") && m.resume());
        let expected = "{\"execute\":\"qmp_capabilities\"}\n\
            {\"arguments\":{\"name\":\"unplugged\",\"up\":false},\"execute\":\"set_link\"}\n{\"execute\":\"cont\"}\n";
        assert_eq!((answer, heard.as_str()), (true, expected));
    }

    #[test]
    fn an_error_and_an_end_are_no_success() {
        let refused = "{\"QMP\": {}}\r\n{\"return\": {}}\r\n{\"error\": {}}\r\n";
        assert!(!said(refused, |m| m.unplug("x")).0);
        assert!(!said("{\"QMP\": {}}\r\n", Monitor::resume).0);
        assert!(!said("", Monitor::resume).0);
    }
}
