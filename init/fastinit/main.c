// SPDX-License-Identifier: MIT OR Apache-2.0
/*
 * fastinit: starts an application first, then the real init.
 *
 * Purpose
 *   As process 1 (init= or rdinit=): process_1.c. From a command line or a unit: see usage below and fastinit(8).
 *
 * Calling contexts
 *   Process 1; its child, the starter, which alone reads the configuration; commands. All single-threaded.
 *
 * Locking
 *   None.
 *
 * Lifetime
 *   Process 1 becomes the real init, or stays until it shuts the system down. The starter ends when all programs have
 *   started, unless it supervises them.
 *
 * What this disturbs
 *   The real init begins later, by the time that the starts take: at most 90 ms after fastinit's own start, unless the configuration says otherwise.
 */
#include "fastinit.h"

#include "adopt.h"
#include "config_file.h"
#include "log.h"
#include "process_1.h"
#include "readahead.h"

static int print(int fd, const char *words)
{
	call_write(fd, words, length(words));
	return fd == 2 ? 2 : 0;
}

static int check(const char *path)
{
	static struct config config;
	int problems = config_read(&config, path, true);

	if (problems < 0) {
		print(2, path);
		print(2, ": ");
		print(2, error_words(problems));
		print(2, "\n");
		return 2;
	}
	return problems > 0;
}

/* Of another init, these signals ask for something else. */
static bool is_process_1(void)
{
	struct statx self, there;

	if (call_stat("/proc/self/exe", &self) < 0 || call_stat("/proc/1/exe", &there) < 0)
		return true;
	return self.stx_ino == there.stx_ino && self.stx_dev_major == there.stx_dev_major &&
	       self.stx_dev_minor == there.stx_dev_minor;
}

static int signal_process_1(int signal)
{
	int error;

	if (!is_process_1()) {
		print(2, "fastinit: process 1 is not fastinit: ask your init, for example with systemctl\n");
		return 1;
	}
	error = call_kill(1, signal);
	if (error < 0) {
		print(2, "fastinit: process 1: ");
		print(2, error_words(error));
		print(2, "\n");
	}
	return error < 0;
}

static int usage(void)
{
	return print(2, "usage: fastinit check [FILE]\n"
			"       fastinit record [-t SECONDS] FILE\n"
			"       fastinit replay FILE\n"
			"       fastinit poweroff | reboot | halt\n"
			"       fastinit adopt PROGRAM            (from its unit)\n"
			"       fastinit generator FOLDER...      (from systemd)\n"
			"       fastinit --version\n"
			"As process 1 it starts the programs of " CONFIG_PATH ": see fastinit(8).\n");
}

/* `[-t SECONDS] FILE` */
static int record(char **words)
{
	unsigned long seconds = 30;

	if (*words && same(*words, "-t") && words[1]) {
		seconds = parse_number(words[1]);
		words += 2;
	}
	if (!*words || seconds > 3600)
		return usage();
	return readahead_begin() < 0 || readahead_record(*words, seconds * 1000);
}

int run(char **argv, char **envp)
{
	const char *name = argv[0] ? base_name(argv[0]) : "";
	const char *verb, *first;
	int pid;

#ifdef FAULTS
	faults_prepare(envp);
#endif
	pid = call_pid();
	if (pid == 1 || (pid < 0 && call_pid() == 1))
		process_1(argv, envp);
	log_begin();
	if (same(name, "fastinit-generator"))
		return argv[1] ? generate(argv[1]) : usage();
	verb = argv[0] && argv[1] ? argv[1] : "";
	first = *verb ? argv[2] : NULL;
	if (same(verb, "check"))
		return check(first ? first : CONFIG_PATH);
	if (same(verb, "generator") && first)
		return generate(first);
	if (same(verb, "record"))
		return record(argv + 2);
	if (same(verb, "replay") && first)
		return readahead_replay(first);
	if (same(verb, "adopt") && first)
		return adopt(first, envp);
	if (same(verb, "poweroff"))
		return signal_process_1(SIGUSR2);
	if (same(verb, "reboot"))
		return signal_process_1(SIGTERM);
	if (same(verb, "halt"))
		return signal_process_1(SIGUSR1);
	if (same(verb, "--version"))
		return print(1, "fastinit " FASTINIT_VERSION "\n");
	return usage();
}
