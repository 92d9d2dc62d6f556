// SPDX-License-Identifier: MIT OR Apache-2.0
use std::cell::RefCell;
use std::rc::Rc;

use super::super::gpio_chip::LineState;
use super::*;

/// Chips that a test makes up.
#[derive(Clone, Default)]
struct MadeUp {
    chips: Vec<MadeUpChip>,
    /// Lines that were taken: chip, offset, edges.
    taken: Rc<RefCell<Vec<(u64, u32, LineEdges)>>>,
}

#[derive(Clone, Default)]
struct MadeUpChip {
    path: PathBuf,
    id: u64,
    lines: Vec<LineState>,
    /// What opening it, asking for a line, and taking one fails with.
    open: Option<i32>,
    state: Option<i32>,
    request: Option<i32>,
    taken: Rc<RefCell<Vec<(u64, u32, LineEdges)>>>,
}

impl GpioChips for MadeUp {
    type Chip = MadeUpChip;

    fn present(&self) -> Vec<PathBuf> {
        self.chips.iter().map(|chip| chip.path.clone()).collect()
    }

    fn open(&self, device: &Path) -> io::Result<MadeUpChip> {
        let chip = self.chips.iter().find(|chip| chip.path == device);
        let chip = chip.ok_or_else(|| io::Error::from_raw_os_error(libc::ENOENT))?;
        fail(chip.open)?;
        Ok(MadeUpChip { taken: Rc::clone(&self.taken), ..chip.clone() })
    }
}

impl GpioChip for MadeUpChip {
    fn id(&self) -> u64 {
        self.id
    }

    fn delay(&self) -> Dur {
        Dur::from_millis(1)
    }

    fn line_count(&self) -> io::Result<u32> {
        Ok(self.lines.len() as u32)
    }

    fn state(&self, offset: u32) -> io::Result<LineState> {
        fail(self.state)?;
        Ok(self.lines[offset as usize].clone())
    }

    fn request(&self, offset: u32, edges: LineEdges) -> io::Result<File> {
        fail(self.request)?;
        self.taken.borrow_mut().push((self.id, offset, edges));
        File::open("/dev/null")
    }
}

fn fail(error: Option<i32>) -> io::Result<()> {
    error.map_or(Ok(()), |error| Err(io::Error::from_raw_os_error(error)))
}

fn chip(number: u64, names: &[&str]) -> MadeUpChip {
    let lines = names.iter().map(|name| LineState { name: (*name).to_owned(), consumer: None });
    let path = format!("/dev/gpiochip{number}").into();
    MadeUpChip { path, id: number, lines: lines.collect(), ..MadeUpChip::default() }
}

fn machine(chips: &[MadeUpChip]) -> MadeUp {
    MadeUp { chips: chips.to_vec(), ..MadeUp::default() }
}

fn take_marks(chips: &MadeUp, marks: &[&str]) -> Result<Vec<WatchedLine>, GpioError> {
    let requests: Vec<MarkRequest> = marks.iter().map(|mark| mark.parse().unwrap()).collect();
    take_lines(&requests, chips)
}

/// Two chips, whose lines are named as on a board.
fn board() -> MadeUp {
    machine(&[chip(0, &["", "PWR_GOOD", "READY"]), chip(1, &["", "READY"])])
}

#[track_caller]
fn refuse(chips: &MadeUp, mark: &str, words: &str, hint: &str) {
    let error = take_marks(chips, &[mark]).unwrap_err();
    assert_eq!(error.to_string(), words);
    assert_eq!(error.hint().as_deref(), Some(hint));
}

#[test]
fn lines_are_found_by_offset_and_by_name() {
    let rising = LineEdges { rising: true, falling: false };
    let check = |mark: &str, chip: u64, offset: u32| {
        let board = board();
        let lines = take_marks(&board, &[mark]).unwrap();
        assert_eq!(
            (lines.len(), lines[0].marks.len(), &board.taken.borrow()[..]),
            (1, 1, &[(chip, offset, rising)][..])
        );
    };
    check("gpio:gpiochip0/0", 0, 0);
    check("gpio:/dev/gpiochip1/1=x", 1, 1);
    check("gpio:gpiochip1/READY", 1, 1);
    check("gpio:PWR_GOOD", 0, 1);
}

/// However a line is named, it is taken once; only the edges that are asked for interrupt.
#[test]
fn marks_of_one_line_share_it() {
    let board = board();
    let marks = ["gpio:PWR_GOOD=on", "dsr=other", "!gpio:gpiochip0/1=off", "!gpio:gpiochip1/0=idle"];
    let lines = take_marks(&board, &marks).unwrap();
    let names: Vec<Vec<&str>> = lines.iter().map(|l| l.marks.iter().map(|m| m.name.as_str()).collect()).collect();
    assert_eq!(names, [vec!["on", "off"], vec!["idle"]]);
    let both = LineEdges { rising: true, falling: true };
    let falling = LineEdges { rising: false, falling: true };
    assert_eq!(board.taken.borrow()[..], [(0, 1, both), (1, 0, falling)]);
    assert!(take_marks(&machine(&[]), &["dsr=app-ready"]).unwrap().is_empty(), "other marks need no chip");
}

#[test]
fn a_second_name_of_a_chip_makes_no_second_line() {
    let mut also = chip(4, &["", "PWR_GOOD"]);
    also.id = 0;
    let pi = machine(&[chip(0, &["", "PWR_GOOD"]), also]);
    assert_eq!(take_marks(&pi, &["gpio:PWR_GOOD", "gpio:gpiochip4/1=again"]).unwrap().len(), 1);
}

#[test]
fn what_is_not_there_is_named() {
    refuse(
        &board(),
        "gpio:gpiochip7/0",
        "no such GPIO chip `/dev/gpiochip7`; there are `/dev/gpiochip0`, `/dev/gpiochip1`",
        "`gpiodetect` shows what each of them is",
    );
    let driver = "is the driver of the chip loaded? `dmesg | grep -i gpio`";
    let none = machine(&[]);
    refuse(&none, "gpio:gpiochip0/0", "no such GPIO chip `/dev/gpiochip0`; this machine has no GPIO chip", driver);
    refuse(&none, "gpio:READY", "no GPIO line is named `READY`: this machine has no GPIO chip", driver);
    let gpioinfo = "`gpioinfo` lists the lines by offset and name";
    refuse(&board(), "gpio:gpiochip0/3", "no line 3 on `/dev/gpiochip0`: its lines are 0 to 2", gpioinfo);
    refuse(&board(), "gpio:NONE", "no GPIO line is named `NONE` on `/dev/gpiochip0`, `/dev/gpiochip1`", gpioinfo);
    refuse(&board(), "gpio:gpiochip1/PWR_GOOD", "no GPIO line is named `PWR_GOOD` on `/dev/gpiochip1`", gpioinfo);
}

#[test]
fn a_name_that_two_lines_have_is_refused() {
    refuse(
        &board(),
        "gpio:READY",
        "2 GPIO lines are named `READY`: `gpio:gpiochip0/2`, `gpio:gpiochip1/1`",
        "name one by its chip and offset: --mark gpio:gpiochip0/2=NAME",
    );
    let twice = machine(&[chip(0, &["READY", "READY"])]);
    let error = take_marks(&twice, &["gpio:gpiochip0/READY"]).unwrap_err();
    assert!(matches!(error, GpioError::Ambiguous { found, .. } if found.len() == 2));
}

#[test]
fn a_line_in_use_is_refused_by_its_consumer() {
    let free = "stop or unload what uses it, or take a line that `gpioinfo` shows as unused";
    let mut board = board();
    board.chips[0].lines[1].consumer = Some("spi0 \u{1b}[2J".into());
    refuse(&board, "gpio:PWR_GOOD", "`gpio:gpiochip0/1` is in use by `spi0 \\u{1b}[2J`", free);
    board.chips[0].lines[1].consumer = Some(String::new());
    refuse(&board, "gpio:PWR_GOOD", "`gpio:gpiochip0/1` is in use", free);
    // Taken between the question and the request.
    board.chips[1].request = Some(libc::EBUSY);
    refuse(&board, "gpio:gpiochip1/0", "`gpio:gpiochip1/0` is in use", free);
}

#[test]
fn what_the_kernel_refuses_is_named() {
    let with = |change: &dyn Fn(&mut MadeUpChip)| {
        let mut chip = chip(0, &["", "READY"]);
        change(&mut chip);
        machine(&[chip])
    };
    let denied = with(&|chip| chip.open = Some(libc::EACCES));
    let error = take_marks(&denied, &["gpio:READY"]).unwrap_err();
    assert!(error.to_string().starts_with("no permission to open `/dev/gpiochip0`"), "{error}");
    assert!(matches!(error, GpioError::NotPermitted { .. }));
    let group = |group: &str| GpioError::NotPermitted { chip: "/dev/gpiochip0".into(), group: Some(group.into()) };
    assert_eq!(group("gpio").hint().unwrap(), "sudo usermod -aG gpio $USER, then log in again");
    assert!(group("root").hint().unwrap().contains("udev rule: SUBSYSTEM==\"gpio\""));

    let old = with(&|chip| chip.state = Some(libc::EINVAL));
    refuse(
        &old,
        "gpio:gpiochip0/1",
        "this kernel can't report the edges of `/dev/gpiochip0`: it has no version 2 of the GPIO interface",
        "marks by GPIO need Linux 5.10 or newer",
    );
    let other = with(&|chip| chip.open = Some(libc::ENOTTY));
    let list = "`gpiodetect` lists the chips; they are /dev/gpiochip0 and so on";
    refuse(&other, "gpio:gpiochip0/1", "`/dev/gpiochip0` is not a GPIO chip", list);
    refuse(
        &with(&|chip| chip.request = Some(libc::ENXIO)),
        "gpio:READY",
        "`gpio:gpiochip0/1` can't report edges: its chip has no interrupts for it",
        "take a line of another chip, or a modem control input: --mark dsr=NAME",
    );
    let error = take_marks(&with(&|chip| chip.request = Some(libc::EIO)), &["gpio:READY"]).unwrap_err();
    assert_eq!(error.to_string(), "can't watch `gpio:gpiochip0/1`: Input/output error (os error 5)");
}

/// The real files of this machine, whether it has a chip or not.
#[test]
fn what_is_no_chip_is_not_opened() {
    use super::super::gpio_chip::HostChips;
    let refused = |mark: &str| take_lines(&[mark.parse().unwrap()], &HostChips).unwrap_err().to_string();
    assert_eq!(refused("gpio:/dev/null/0"), "`/dev/null` is not a GPIO chip");
    assert_eq!(refused("gpio:/proc/version/0"), "`/proc/version` is not a GPIO chip");
    assert!(refused("gpio:/nonexistent/chip/0").starts_with("no such GPIO chip `/nonexistent/chip`"));
}
