// SPDX-License-Identifier: MIT OR Apache-2.0
//! JUnit XML: what CI servers (Jenkins, GitLab, GitHub's reporters) show as tests.
//!
//! The form is that of Ant's task with Surefire's attributes, which all of them read: `testsuites` > `testsuite` >
//! `properties`, `testcase` > `failure`, `error` or `skipped`, `system-out`. Times are seconds. XML 1.0 has no way to
//! write most control characters, not even by number: they are shown by their code, as everywhere else.
use std::fmt::Write as _;
use std::io::{self, Write};

use super::emitter::Emitter;
use super::escape::escaped;
use bootline_capture::units::Dur;

/// A file of results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TestSuites {
    /// What ran: `bootline check`.
    pub name: String,
    /// In order.
    pub suites: Vec<TestSuite>,
}

/// Cases that belong together: those of one boot, of one gate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TestSuite {
    /// Shown as its title.
    pub name: String,
    /// What is known of all its cases: the kernel, the clock.
    pub properties: Vec<(String, String)>,
    /// How long everything took, if that is not the sum of its cases: initcalls are within phases, phases within the
    /// boot.
    pub time: Option<Dur>,
    /// In order.
    pub cases: Vec<TestCase>,
}

/// One case.
#[derive(Clone, Debug, PartialEq)]
pub struct TestCase {
    /// The group in which a server files it: `bootline.phase`.
    pub class: String,
    /// Name by which servers follow the case from run to run: it must not contain what differs between runs.
    pub name: String,
    /// How long it took; servers plot it over runs.
    pub time: Option<Dur>,
    /// Its outcome.
    pub outcome: TestOutcome,
    /// Additional output, whatever the outcome.
    pub output: String,
}

/// The outcome of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestOutcome {
    /// It passed.
    Passed,
    /// It failed.
    Failed {
        /// In one line.
        message: String,
        /// The evidence.
        details: String,
    },
    /// It can't be decided, because something is wrong with the input.
    Error {
        /// In one line.
        message: String,
        /// The evidence.
        details: String,
    },
    /// It does not apply.
    Skipped {
        /// Why.
        message: String,
    },
}

impl TestCase {
    /// One that passed.
    pub fn passed(class: &str, name: impl Into<String>, time: Option<Dur>) -> TestCase {
        let outcome = TestOutcome::Passed;
        TestCase { class: class.to_owned(), name: name.into(), time, outcome, output: String::new() }
    }

    /// Sets the outcome.
    pub fn with(self, outcome: TestOutcome) -> TestCase {
        TestCase { outcome, ..self }
    }

    /// Sets the additional output.
    pub fn output(self, output: impl Into<String>) -> TestCase {
        TestCase { output: output.into(), ..self }
    }
}

impl TestSuite {
    /// How long it took: as stated, else the sum of its cases.
    fn time(&self) -> Dur {
        self.time.unwrap_or_else(|| self.cases.iter().filter_map(|c| c.time).sum())
    }
}

/// Results as JUnit XML.
#[derive(Clone, Copy, Debug)]
pub struct JunitEmitter<'a>(pub &'a TestSuites);

impl Emitter for JunitEmitter<'_> {
    fn emit(&self, out: &mut dyn Write) -> io::Result<()> {
        let JunitEmitter(all) = self;
        out.write_all(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")?;
        let cases: Vec<&TestCase> = all.suites.iter().flat_map(|s| &s.cases).collect();
        let time = all.suites.iter().map(TestSuite::time).sum();
        writeln!(out, "<testsuites name=\"{}\"{}>", attribute(&all.name), counts(&cases, time, false))?;
        for suite in &all.suites {
            let cases: Vec<&TestCase> = suite.cases.iter().collect();
            writeln!(out, "  <testsuite name=\"{}\"{}>", attribute(&suite.name), counts(&cases, suite.time(), true))?;
            if !suite.properties.is_empty() {
                out.write_all(b"    <properties>\n")?;
                for (name, value) in &suite.properties {
                    let (name, value) = (attribute(name), attribute(value));
                    writeln!(out, "      <property name=\"{name}\" value=\"{value}\"/>")?;
                }
                out.write_all(b"    </properties>\n")?;
            }
            suite.cases.iter().try_for_each(|c| out.write_all(case(c).as_bytes()))?;
            out.write_all(b"  </testsuite>\n")?;
        }
        out.write_all(b"</testsuites>\n")
    }
}

fn counts(cases: &[&TestCase], time: Dur, skipped: bool) -> String {
    let count = |is: fn(&TestOutcome) -> bool| cases.iter().filter(|c| is(&c.outcome)).count();
    let skipped = match count(|o| matches!(o, TestOutcome::Skipped { .. })) {
        n if skipped => format!(" skipped=\"{n}\""),
        _ => String::new(),
    };
    format!(
        " tests=\"{}\" failures=\"{}\" errors=\"{}\"{skipped} time=\"{time}\"",
        cases.len(),
        count(|o| matches!(o, TestOutcome::Failed { .. })),
        count(|o| matches!(o, TestOutcome::Error { .. }))
    )
}

fn case(case: &TestCase) -> String {
    let mut out = String::new();
    let time = case.time.map(|t| format!(" time=\"{t}\"")).unwrap_or_default();
    _ = write!(out, "    <testcase classname=\"{}\" name=\"{}\"{time}", attribute(&case.class), attribute(&case.name));
    let mut inner = String::new();
    match &case.outcome {
        TestOutcome::Passed => {}
        TestOutcome::Failed { message, details } => message_element(&mut inner, "failure", message, details),
        TestOutcome::Error { message, details } => message_element(&mut inner, "error", message, details),
        TestOutcome::Skipped { message } => _ = writeln!(inner, "      <skipped message=\"{}\"/>", attribute(message)),
    }
    if !case.output.is_empty() {
        _ = writeln!(inner, "      <system-out>{}</system-out>", content(&case.output));
    }
    if inner.is_empty() {
        out.push_str("/>\n");
    } else {
        _ = write!(out, ">\n{inner}    </testcase>\n");
    }
    out
}

fn message_element(out: &mut String, element: &str, message: &str, details: &str) {
    let (message, details) = (attribute(message), content(details));
    _ = writeln!(out, "      <{element} message=\"{message}\" type=\"{element}\">{details}</{element}>");
}

/// An attribute's value: one line.
fn attribute(text: &str) -> String {
    entities(&escaped(text))
}

/// An element's text: its line ends are kept.
fn content(text: &str) -> String {
    text.split('\n').map(|line| entities(&escaped(line))).collect::<Vec<_>>().join("\n")
}

fn entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            // Unicode characters that XML does not allow.
            '\u{fffe}' | '\u{ffff}' => _ = write!(out, "\\u{{{:x}}}", c as u32),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn all_outcomes() {
        let words = |s: &str| s.to_owned();
        let failed = TestOutcome::Failed {
            message: words("+0.17 s (limit +0.05 s)"),
            details: words("95 %: 0.11..0.23 s\nrecord 7: <a & 'b'>"),
        };
        let suite = TestSuite {
            name: words("board \"a\""),
            properties: vec![(words("clock"), words("arrival"))],
            time: Some(Dur::from_millis(1_600)),
            cases: vec![
                TestCase::passed("bootline.phase", "initcalls", Some(Dur::from_millis(1_500))),
                TestCase::passed("bootline.gate", "time-to-init", Some(Dur::from_millis(250))).with(failed),
                TestCase::passed("bootline.gate", "x", None).with(TestOutcome::Skipped { message: words("no runs") }),
                TestCase::passed("bootline.boot", "y", None)
                    .with(TestOutcome::Error { message: words("torn\x1b"), details: String::new() })
                    .output("one\n\ttwo\0"),
            ],
        };
        let all = TestSuites { name: words("bootline check"), suites: vec![suite] };
        let want = "\
<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<testsuites name=\"bootline check\" tests=\"4\" failures=\"1\" errors=\"1\" time=\"1.600000\">
  <testsuite name=\"board &quot;a&quot;\" tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\" time=\"1.600000\">
    <properties>
      <property name=\"clock\" value=\"arrival\"/>
    </properties>
    <testcase classname=\"bootline.phase\" name=\"initcalls\" time=\"1.500000\"/>
    <testcase classname=\"bootline.gate\" name=\"time-to-init\" time=\"0.250000\">
      <failure message=\"+0.17 s (limit +0.05 s)\" type=\"failure\">95 %: 0.11..0.23 s
record 7: &lt;a &amp; &apos;b&apos;&gt;</failure>
    </testcase>
    <testcase classname=\"bootline.gate\" name=\"x\">
      <skipped message=\"no runs\"/>
    </testcase>
    <testcase classname=\"bootline.boot\" name=\"y\">
      <error message=\"torn\\x1b\" type=\"error\"></error>
      <system-out>one
\\ttwo\\x00</system-out>
    </testcase>
  </testsuite>
</testsuites>
";
        assert_eq!(JunitEmitter(&all).to_text(), want);
    }

    proptest! {
            #[test]
            fn no_text_becomes_markup(text in "([<>&\"'\\]\\[!a-z\u{fffe}\u{ffff}]|\\PC|[\\x00-\\x1f]){1,40}") {
                let bare = |text: &str| {
                    let case = TestCase::passed(text, text, None).output(text);
                    let case = case.with(TestOutcome::Failed { message: text.to_owned(), details: text.to_owned() });
                    let properties = vec![(text.to_owned(), text.to_owned())];
                    let suite = TestSuite { name: text.to_owned(), properties, time: None, cases: vec![case] };
                    JunitEmitter(&TestSuites { name: text.to_owned(), suites: vec![suite] }).to_text()
                };
                let marks = |xml: &str| xml.chars().filter(|c| matches!(c, '<' | '>' | '"')).collect::<String>();
                let xml = bare(&text);
                prop_assert_eq!(marks(&xml), marks(&bare("x")));
    let illegal = |c: char| c.is_control() && c != '\n' || matches!(c, '\u{fffe}' | '\u{ffff}');
                let found = xml.chars().any(illegal);
                prop_assert!(!found, "{}", xml);
            }
        }
}
