// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::{Case, apart};
use super::finding::{cite, cite_at};
use super::silence;
use super::wording::{clock, percent, seconds};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_boot::{Span, SpanKind};
use bootline_capture::units::{Dur, Interval};
use bootline_console::KernelVersion;
use bootline_records::Beginnings;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Ini002,
    doc: "The kernel tests each cryptographic algorithm as it registers (cryptomgr_test threads, which initcalls wait \
          for). On a slow CPU or under emulation this is the largest part of a boot without a console: 46 % of one \
          with 7.2. Without initcall_debug the tests print almost nothing; their time shows in crypto's initcalls and \
          in the first one that uses a key (load_system_certificate_list). With fips=1 each test says that it passed.",
    place: TimelinePlace::Evidence,
    check,
};

/// Least cost, and least share of the boot.
const LEAST: (Dur, f64) = (Dur::from_millis(30), 0.01);

/// Initcalls that register algorithms or wait for the test of one.
fn is_crypto(span: &Span) -> bool {
    const PARTS: Beginnings = Beginnings::new(&[
        "crypto",
        "load_system_certificate_list",
        "drbg_init",
        "jent_mod_init",
        "aes_",
        "sha1_",
        "sha256_",
        "sha512_",
        "sha3_",
        "ghash_",
        "rsa_init",
        "ecdsa_init",
    ]);
    span.kind == SpanKind::Initcall && PARTS.are_in(span.name.as_bytes())
}

fn check(case: &Case<'_>) -> Vec<Finding> {
    let command_line = &case.boot.kernel.command_line;
    let off =
        command_line.has("cryptomgr.notests") || command_line.value("cryptomgr.notests").is_some_and(|v| v != "0");
    if off || case.first("alg: self-tests disabled").is_some() {
        return Vec::new();
    }
    let end = case.end();
    let mut spans: Vec<&Span> =
        case.boot.spans().iter().filter(|s| is_crypto(s) && s.end.is_some() && s.start < end).collect();
    spans.sort_by_key(|s| std::cmp::Reverse(s.net()));
    let time_ranges: Vec<TimeRange> =
        spans.iter().filter_map(|s| Some(TimeRange { from: s.start, to: s.end? })).collect();
    // Spans that enclose one another count once.
    let total = apart(&time_ranges).into_iter().fold(Interval::default(), |sum, s| sum + case.net(s.from, s.to));
    let seen = total.best() >= case.threshold(LEAST.0, LEAST.1);
    let said: Vec<usize> = case.find("alg: ").filter(|(_, r)| r.text.starts_with("alg: ")).map(|(i, _)| i).collect();
    if !seen && said.is_empty() {
        return Vec::new();
    }
    // 6.16 replaced the one symbol by the other.
    let without = match case.boot.kernel.version {
        Some(version) if version < KernelVersion::new(6, 16) => {
            SystemChange::config("CONFIG_CRYPTO_MANAGER_DISABLE_TESTS", "y")
        }
        _ => SystemChange::config("CONFIG_CRYPTO_SELFTESTS", "n"),
    };
    // Only with fips=1 does a test say that it passed (alg_test() in crypto/testmgr.c); cryptomgr.notests has no effect then.
    let passed = silence::ending_with(case, &["alg: self-tests for "], Dur::ZERO);
    let passed: Vec<_> = passed
        .into_iter()
        .filter(|s| case.kernel(s.before).is_some_and(|r| r.text.starts_with("alg: ") && r.text.ends_with(" passed")))
        .collect();
    if !seen && silence::cost(&passed).best() >= case.threshold(LEAST.0, LEAST.1) {
        return vec![under_fips(case, &passed)];
    }
    let remedies = vec![
        Remedy::new(
            "skip the crypto self-tests",
            vec![SystemChange::word("cryptomgr.notests")],
            "a broken algorithm or accelerator is not noticed; not allowed under FIPS",
            Risk::Medium,
        ),
        Remedy::new(
            "build without the crypto self-tests",
            vec![without],
            "a broken algorithm or accelerator is never noticed; not allowed under FIPS",
            Risk::Medium,
        ),
    ];
    let (title, cost, why, evidence, time_ranges) = if seen {
        let named: Vec<String> = spans.iter().take(3).map(|s| format!("`{}` {}", s.name, seconds(s.net()))).collect();
        let ids = spans.iter().take(3).flat_map(|s| [Some(s.first), s.last]).flatten();
        (
            format!(
                "crypto's initcalls took {}, {} of the boot",
                seconds(total.best()),
                percent(total.best(), case.total())
            ),
            // Only a part of an initcall is its test.
            Interval::new(Dur::ZERO, total.best(), total.high()),
            format!(
                "{}: {}, net of the console; the log does not separate the tests from the initcalls' own work",
                clock(case),
                named.join(", ")
            ),
            cite(case.boot, ids),
            time_ranges,
        )
    } else {
        let silent: Dur = said
            .iter()
            .filter_map(|i| Some((case.before(*i)?.1, case.at(*i)?)))
            .map(|(a, b)| case.net(a, b).best())
            .sum();
        (
            "crypto's self-tests ran at an unknown cost".to_owned(),
            Interval::new(Dur::ZERO, Dur::ZERO, silent),
            "they run in kthreads and print only the records below; boot with initcall_debug, or once with cryptomgr.notests, to see their cost"
                .to_owned(),
            cite_at(case.boot, said.iter().copied().take(3)),
            Vec::new(),
        )
    };
    vec![Finding { rule: RULE.id, title, cost, part_of: Vec::new(), time_ranges, why, evidence, remedies }]
}

fn under_fips(case: &Case<'_>, passed: &[silence::Silence]) -> Finding {
    let took = seconds(silence::cost(passed).best());
    let title = format!("crypto's self-tests under FIPS took {took}, as far as the log shows");
    let remedies = vec![Remedy::in_words(
        "build in only the algorithms that the boot needs, the others as modules or not at all",
        Effort::Rebuild,
        "a custom kernel configuration, which may have to be certified",
        Risk::Medium,
    )];
    let mut longest: Vec<silence::Silence> = passed.to_vec();
    longest.sort_by_key(|s| std::cmp::Reverse(s.net.best()));
    silence::finding(case, RULE.id, &longest, title, remedies)
}
