// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline kernels`
mod build;
mod documents;
mod place;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use bootline_images::arch::Arch;
use bootline_images::kernels::{
    self, BuiltName, ConsoleClass, FetchProgress, Kernel, KernelName, Listing, NamedKernel, Refresh, Row, Store,
};
use bootline_input::{Exit, Failure};
use bootline_report::JsonLine;
use bootline_terminal::Terminal;
use clap::Subcommand;

use self::documents::{kernel_json, listing_json};
use self::place::{StoreArgs, failed, open};
use crate::output_file::print;

/// Age of the list of suites after which the mirror is asked again. Suites change with each upload; a list that is a
/// day old still names the right series.
const GOOD_FOR: Duration = Duration::from_secs(24 * 3600);

#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Stock Debian kernels come from the mirror in this host's apt configuration, through a
private apt state: nothing is installed, and root is not needed. Fetched kernels work without
a network. What they lack is built from source, under a name, by `kernels build`.

Examples:
  bootline kernels
  bootline kernels fetch 6.18-rt arm64:7.2
  bootline kernels build tiny --from 6.12 --fragment ip-pnp
  bootline boot --kernel \"$(bootline kernels fetch 6.12)\""
)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    list: List,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Fetches kernels into the cache, and writes their paths to standard output
    Fetch(Fetch),
    /// Builds a kernel from source into the cache, and writes its path to standard output
    Build(build::Build),
}

#[derive(Debug, clap::Args)]
struct List {
    /// List only this architecture
    #[arg(long)]
    arch: Option<Arch>,
    /// Ask the mirror now [default: when the last answer is a day old]
    #[arg(long, conflicts_with = "offline")]
    refresh: bool,
    /// Do not ask the mirror
    #[arg(long)]
    offline: bool,
    #[command(flatten)]
    place: StoreArgs,
}

#[derive(Debug, clap::Args)]
struct Fetch {
    /// Series, optionally with an architecture: 6.1, 6.18-rt, 7.2-cloud, arm64:7.2, armhf:6.12
    #[arg(required = true, value_name = "SERIES")]
    requests: Vec<KernelName>,
    /// The architecture of series without one
    #[arg(long, default_value = "amd64")]
    arch: Arch,
    /// If a series is gone, take the nearest one whose console behaves the same
    #[arg(long)]
    nearest: bool,
    /// Fetch a newer version than the cached one, if there is one
    #[arg(long, conflicts_with = "nearest")]
    upgrade: bool,
    #[command(flatten)]
    place: StoreArgs,
}

pub fn run(args: Args, terminal: &Terminal) -> Result<Exit, Failure> {
    match args.what {
        Some(What::Fetch(fetch)) => run_fetch(fetch, terminal),
        Some(What::Build(build)) => build::run(&build, terminal),
        None => run_list(args.list, terminal),
    }
}

/// A kernel for the lab: one that was built here, or the stock kernel of a series, from the cache or fetched. A different series is
/// taken only on request (`kernels fetch --nearest`). `arch` is that of a name without one.
pub fn named(name: &NamedKernel, arch: Option<Arch>, terminal: &Terminal) -> Result<Kernel, Failure> {
    let store = store()?;
    let own = match name {
        NamedKernel::Built { arch, .. } => *arch,
        NamedKernel::Stock(name) => name.arch,
    };
    if let (Some(own), Some(stated)) = (own, arch.filter(|stated| own != Some(*stated))) {
        let what = format!("`{name}` is for {}, not {}", own.debian_name(), stated.debian_name());
        return Err(Failure::new(Exit::USAGE, what).hint("leave out `--arch`"));
    }
    let name = match name {
        NamedKernel::Built { name, arch: own } => return store.built(name, own.or(arch)).map_err(|e| failed(&e)),
        NamedKernel::Stock(name) => name,
    };
    let mut steps = FetchSteps::new(terminal);
    let found = store.fetch(name.series, name.arch.or(arch).unwrap_or(Arch::Amd64), &mut |p| steps.tell(&p));
    steps.end();
    found.map_err(|e| failed(&e))
}

/// Whether a kernel of this name was built here, be it damaged.
pub fn is_built(name: &BuiltName, arch: Option<Arch>) -> Result<bool, Failure> {
    // Without a place for kernels there are none.
    let Some(folder) = kernels::cache_folder(None, |name| std::env::var_os(name)) else { return Ok(false) };
    if !folder.exists() {
        return Ok(false);
    }
    Ok(!matches!(store()?.built(name, arch), Err(kernels::Error::NotBuilt { .. })))
}

/// The folder of a kernel's modules: from the cache, or fetched.
pub fn modules(kernel: &Kernel, terminal: &Terminal) -> Result<PathBuf, Failure> {
    let mut steps = FetchSteps::new(terminal);
    let found = store()?.modules(kernel, &mut |p| steps.tell(&p));
    steps.end();
    found.map_err(|e| failed(&e))
}

/// The cache of stock kernels.
pub fn store() -> Result<Store, Failure> {
    open(&StoreArgs { cache: None, mirror: None, json: false })
}

fn run_fetch(fetch: Fetch, terminal: &Terminal) -> Result<Exit, Failure> {
    let store = open(&fetch.place)?;
    for request in fetch.requests {
        let (series, arch) = (request.series, request.arch.unwrap_or(fetch.arch));
        let mut steps = FetchSteps::new(terminal);
        let mut told = |p: FetchProgress| steps.tell(&p);
        let kernel = if fetch.nearest {
            store.fetch_or_nearest(series, arch, &mut told).map(|s| s.kernel)
        } else if fetch.upgrade {
            store.upgrade(series, arch, &mut told)
        } else {
            store.fetch(series, arch, &mut told)
        };
        steps.end();
        let kernel = kernel.map_err(|e| failed(&e))?;
        match fetch.place.json {
            true => print(&JsonLine(kernel_json(&kernel)))?,
            false => print(&format!("{}\n", kernel.path.display()))?,
        };
    }
    Ok(Exit::FINE)
}

fn run_list(list: List, terminal: &Terminal) -> Result<Exit, Failure> {
    let store = open(&list.place)?;
    let refresh = match (list.refresh, list.offline) {
        (true, _) => Refresh::Always,
        (_, true) => Refresh::Never,
        _ => Refresh::OlderThan(GOOD_FOR),
    };
    let mut steps = FetchSteps::new(terminal);
    let mut listings = Vec::new();
    for arch in Arch::ALL.into_iter().filter(|a| list.arch.is_none_or(|wanted| wanted == *a)) {
        listings.push(store.list(arch, refresh, &mut |p| steps.tell(&p)).map_err(|e| failed(&e))?);
    }
    steps.end();
    let (mut built, damaged) = store.all_built();
    built.retain(|kernel| list.arch.is_none_or(|wanted| wanted == kernel.arch));
    for error in &damaged {
        terminal.say(&format!("not listed: {error}"));
    }
    match list.place.json {
        true => print(&JsonLine(listing_json(&listings, &built)))?,
        false => print(&table(&listings, &built))?,
    };
    match listings.iter().find_map(|l| l.stale.as_ref()) {
        // Known or cached series are listed in spite of a failure; without any, the failure is returned.
        Some(error) if listings.iter().all(|l| l.rows.is_empty()) && built.is_empty() => Err(failed(error)),
        Some(error) => {
            terminal.say(&format!("the mirror was not asked: {error}"));
            Ok(Exit::FINE)
        }
        None => Ok(Exit::FINE),
    }
}

fn table(listings: &[Listing], built: &[Kernel]) -> String {
    let mut rows: Vec<[String; 6]> =
        listings.iter().flat_map(|l| l.rows.iter().map(|r| cells(r, l.age.is_some()))).collect();
    rows.extend(built.iter().map(built_cells));
    let head = ["series", "version", "suite", "download", "in cache", "serial console"].map(str::to_owned);
    let width = |i: usize| rows.iter().chain([&head]).map(|r| r[i].len()).max().unwrap_or(0);
    let widths: [usize; 5] = std::array::from_fn(width);
    let mut text = String::new();
    for row in [&head].into_iter().chain(&rows) {
        for (cell, width) in row.iter().zip(widths) {
            _ = write!(text, "{cell:width$}  ");
        }
        _ = writeln!(text, "{}", row[5]);
    }
    text
}

fn cells(row: &Row, asked: bool) -> [String; 6] {
    let offered = row.offered.as_ref();
    let cached = match (&row.cached, offered) {
        (Some(version), Some(offered)) if *version == offered.version => "yes".to_owned(),
        (Some(version), _) => version.clone(),
        (None, _) => "-".to_owned(),
    };
    [
        format!("{}:{}", row.arch, row.series),
        // A series is gone only if the suites were asked.
        offered.map_or(if asked { "gone" } else { "-" }.to_owned(), |p| p.version.clone()),
        offered.map_or("-".to_owned(), |p| p.suite.clone()),
        offered.map_or("-".to_owned(), |p| format!("{:.0} MB", p.size as f64 / 1e6)),
        cached,
        ConsoleClass::of(row.arch, row.series).to_string(),
    ]
}

/// One that was built here: from which release, and what it was built of.
fn built_cells(kernel: &Kernel) -> [String; 6] {
    let class = ConsoleClass::of(kernel.arch, kernel.series).to_string();
    [kernel.name(), kernel.release.clone(), "built here".to_owned(), "-".to_owned(), "yes".to_owned(), class]
}

/// Shows the steps of a fetch on stderr: on a terminal, percentages replace each other; otherwise each step is shown
/// once.
pub struct FetchSteps<'a> {
    terminal: &'a Terminal,
    last: String,
    open: bool,
}

impl<'a> FetchSteps<'a> {
    /// Shows nothing yet.
    pub fn new(terminal: &'a Terminal) -> FetchSteps<'a> {
        FetchSteps { terminal, last: String::new(), open: false }
    }

    /// Shows a step.
    pub fn tell(&mut self, progress: &FetchProgress) {
        let text = progress.to_string();
        let counts = matches!(progress, FetchProgress::Refreshing { .. } | FetchProgress::Downloading { .. });
        if !counts {
            self.end();
            self.terminal.say(&text);
            return;
        }
        let step = text.split_once(": ").map_or(text.as_str(), |(step, _)| step);
        if self.terminal.stderr_is_tty {
            if self.open && step != self.last {
                self.end();
            }
            // Returns to the margin and erases the rest of a longer text.
            _ = write!(std::io::stderr(), "\r{text}\x1b[K");
            self.open = true;
        } else if step != self.last {
            self.terminal.say(step);
        }
        self.last = step.to_owned();
    }

    /// Ends the line, so that other text can follow.
    pub fn end(&mut self) {
        if self.open {
            self.terminal.say("");
            self.open = false;
        }
    }
}

#[cfg(test)]
mod tests;
