// SPDX-License-Identifier: MIT OR Apache-2.0
//! The arguments that say how logs are to be read, the same in every verb that reads some.
use bootline_boot::{BootOptions, ConsoleArg};
use bootline_input::BootReader;
use bootline_input::unusable::BootNeeds;
use bootline_input::whole_boot::WholeBoot;
use bootline_records::Format;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// What ends a boot, and what logs don't say of themselves.
#[derive(Clone, Debug, Args)]
pub struct ReadingArgs {
    /// Text in the record that ends the boot, instead of init's start
    #[arg(long, value_name = "TEXT")]
    marker: Option<String>,
    #[command(flatten)]
    source: SourceArgs,
}

/// What logs don't say of themselves.
#[derive(Clone, Debug, Args)]
pub struct SourceArgs {
    /// The serial console and its speed, if a log does not show them: ttyS0,115200n8
    #[arg(long, value_name = "NAME,BAUD", value_parser = parse_console)]
    console: Option<ConsoleArg>,
    /// The format of the logs, if it is not recognised
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    input_format: Option<Format>,
}

impl ReadingArgs {
    /// The format, if it was named.
    pub fn format(&self) -> Option<Format> {
        self.source.input_format
    }

    /// A reader of boots that are of use if they have these.
    pub fn reader(self, needs: BootNeeds) -> BootReader {
        self.source.reader(self.marker, needs)
    }
}

impl SourceArgs {
    /// A reader of boots that end with this marker and are of use if they have these.
    pub fn reader(self, marker: Option<String>, needs: BootNeeds) -> BootReader {
        BootReader {
            options: BootOptions { marker, console: self.console, ..BootOptions::default() },
            format: self.input_format,
            kernel_log: None,
            whole: WholeBoot::default(),
            needs,
        }
    }
}

fn format_parser() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name)).try_map(|name| name.parse::<Format>())
}

fn parse_console(text: &str) -> Result<ConsoleArg, String> {
    let (name, options) = text.split_once(',').unwrap_or((text, ""));
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let console = ConsoleArg::parse(text);
    if !is_name || console.baud.is_none() && !options.is_empty() {
        return Err("expected a console such as ttyS0,115200n8".to_owned());
    }
    Ok(console)
}
