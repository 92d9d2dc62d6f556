// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline loaders`
use std::fmt::Write as _;
use std::path::PathBuf;

use bootline_images::loaders::{Loader, LoaderError, LoaderImage, LoaderRow, LoaderStore};
use bootline_input::{Exit, Failure};
use bootline_report::{JsonLine, LoaderImageJson, LoaderJson, LoadersJson};
use bootline_terminal::Terminal;
use clap::Subcommand;

use crate::build_steps::BuildSteps;
use crate::output_file::print;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Boot loaders are built from Debian's packages, which come from the mirror in this host's apt
configuration through a private apt state. Nothing is installed, and root is not needed. U-Boot is
compiled, which needs a cross compiler, bison, flex and OpenSSL's headers (`scripts/setup loader`);
GRUB and its firmware are put together from binary packages. What is built boots without a network.

Examples:
  bootline loaders list
  bootline loaders build u-boot grub-bios grub-efi
  bootline boot --loader u-boot --kernel arm64:6.12 --baud 9600 -o loaded")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Lists the boot loaders, and what the cache has
    List(List),
    /// Builds boot loaders, and writes the paths of their images to standard output
    Build(Build),
}

#[derive(Debug, clap::Args)]
struct List {
    #[command(flatten)]
    place: Place,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct Build {
    /// Names of boot loaders
    #[arg(required = true, value_name = "LOADER")]
    loaders: Vec<Loader>,
    #[command(flatten)]
    place: Place,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Default, clap::Args)]
struct Place {
    /// Where to keep boot loaders [default: $BOOTLINE_CACHE/loaders, or bootline/loaders in the user's cache]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// A mirror of the Debian archive, if this host's apt has none
    #[arg(long, value_name = "URL")]
    mirror: Option<String>,
}

pub fn run(args: Args, terminal: &Terminal) -> Result<Exit, Failure> {
    match args.what {
        What::List(list) => run_list(&list),
        What::Build(build) => run_build(build, terminal),
    }
}

fn run_list(list: &List) -> Result<Exit, Failure> {
    let rows = open(&list.place)?.list();
    match list.json {
        true => print(&JsonLine(listing_json(&rows)))?,
        false => print(&table(&rows))?,
    };
    Ok(Exit::FINE)
}

fn run_build(build: Build, terminal: &Terminal) -> Result<Exit, Failure> {
    let store = open(&build.place)?;
    for loader in build.loaders {
        let image = image_in(&store, loader, terminal)?;
        let json = LoaderImageJson {
            schema: "bootline-loader/1",
            loader: loader.name().to_owned(),
            arch: loader.arch().to_string(),
            version: image.manifest.version.clone(),
            firmware: image.manifest.firmware.as_ref().map(|f| format!("{} {}", f.name, f.version)),
            path: image.path().to_string_lossy().into_owned(),
            sha256: image.sha256(),
        };
        match build.json {
            true => print(&JsonLine(json))?,
            false => print(&format!("{}\n", image.path().display()))?,
        };
    }
    Ok(Exit::FINE)
}

/// A boot loader: from the cache, or built.
pub fn image(loader: Loader, terminal: &Terminal) -> Result<LoaderImage, Failure> {
    image_in(&open(&Place::default())?, loader, terminal)
}

fn image_in(store: &LoaderStore, loader: Loader, terminal: &Terminal) -> Result<LoaderImage, Failure> {
    let mut steps = BuildSteps::new(terminal);
    let image = store.image(loader, &mut |p| steps.tell(&p.to_string(), p.counts()));
    steps.end();
    image.map_err(|e| failed(&e))
}

fn open(place: &Place) -> Result<LoaderStore, Failure> {
    let folder = LoaderStore::folder(place.cache.as_deref(), |name| std::env::var_os(name)).ok_or_else(|| {
        Failure::new(Exit::LAB, "no place for boot loaders: neither HOME nor XDG_CACHE_HOME is set")
            .hint("set another folder: BOOTLINE_CACHE=DIR")
    })?;
    let store = LoaderStore::open(&folder).map_err(|e| failed(&e))?;
    Ok(match &place.mirror {
        Some(mirror) => store.with_mirror(mirror),
        None => store,
    })
}

fn failed(error: &LoaderError) -> Failure {
    let failure = Failure::new(Exit::LAB, error.to_string());
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

fn table(rows: &[LoaderRow]) -> String {
    let mut text = format!("{:9}  {:5}  {:20}  contents\n", "loader", "boots", "in cache");
    for LoaderRow { loader, cached } in rows {
        let version = cached.as_ref().map_or("-", |image| &image.manifest.version);
        _ = writeln!(text, "{loader:9}  {:5}  {version:20}  {}", loader.arch(), loader.about());
    }
    text
}

fn listing_json(rows: &[LoaderRow]) -> LoadersJson {
    let row = |row: &LoaderRow| LoaderJson {
        loader: row.loader.name().to_owned(),
        arch: row.loader.arch().to_string(),
        about: row.loader.about().to_owned(),
        version: row.cached.as_ref().map(|image| image.manifest.version.clone()),
    };
    LoadersJson { schema: "bootline-loaders/1", loaders: rows.iter().map(row).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loaders_that_are_not_built_are_listed() {
        let dir = tempfile::tempdir().unwrap();
        let rows = LoaderStore::open(dir.path()).unwrap().list();
        let text = table(&rows);
        assert!(text.lines().nth(1).unwrap().starts_with("u-boot     arm64  -       "), "{text}");
        assert_eq!(listing_json(&rows).loaders[0].version, None);
    }
}
