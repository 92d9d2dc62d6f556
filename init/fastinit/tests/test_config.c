// SPDX-License-Identifier: MIT OR Apache-2.0
/*
 * Tests of the parser and of the text functions, as a program of the C library:
 *   test_config           runs the tests
 *   test_config FILE...   parses these files (for valgrind, and for what a fuzzer has found)
 * Built with -DFUZZ it is a target of libFuzzer.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../config.h"

static char problems[4096];

static void collect(void *context, int line, const char *words, const char *about)
{
	size_t n = strlen(problems);

	(void)context;
	snprintf(problems + n, sizeof(problems) - n, "%d: %s%s%s\n", line, words, about ? ": " : "", about ? about : "");
}

/* In memory of its own of exactly the size needed, so that a sanitizer sees each byte beyond. */
static char *parse_bytes(struct config *config, const char *bytes, size_t n)
{
	char *text = malloc(n + 1);

	memcpy(text, bytes, n);
	problems[0] = 0;
	config_parse(config, text, n, collect, NULL);
	return text;
}

/* What must hold for every input. */
static void check_invariants(const struct config *config)
{
	int i, k;

	if (config->program_count > MAX_PROGRAMS || config->step_count > MAX_STEPS || config->hold_program >= config->program_count)
		abort();
	for (i = 0; i < config->program_count; i++) {
		const struct program *p = &config->programs[i];

		if (!p->name[0] || strlen(p->name) >= MAX_NAME || strchr(p->name, '/') || config_program(config, p->name) != i)
			abort();
		if (p->invalid) {
			if (!problems[0])
				abort();
			continue;
		}
		/* What is started runs a path of its own choice, as somebody definite, and waits for something that starts. */
		if (!p->words[0] || p->words[0][0] != '/' || (p->user == UNPARSED) != (p->group == UNPARSED))
			abort();
		for (k = 0; k < p->condition_count; k++)
			if (p->conditions[k].kind >= AFTER_START && config->programs[p->conditions[k].program].invalid)
				abort();
	}
	for (i = 0; i < config->step_count; i++)
		if (config->steps[i].path[0] != '/' || !config->steps[i].argument)
			abort();
}

#ifdef FUZZ
int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t n);
int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t n)
{
	static struct config config;
	char *text = parse_bytes(&config, (const char *)bytes, n);

	check_invariants(&config);
	free(text);
	return 0;
}
#else
static int failed;
static struct config config;
static char *parsed;

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: %s\n%s", __FILE__, __LINE__, #condition, problems); \
			failed = 1; \
		} \
	} while (0)

static void parse(const char *text)
{
	free(parsed);
	parsed = parse_bytes(&config, text, strlen(text));
	check_invariants(&config);
}

static void test_a_whole_configuration(void)
{
	const struct program *p;

	parse("# comment\n[fastinit]\n"
	      "  init = /lib/systemd/systemd\r\n"
	      "hold-for = camera\nhold-at-most = 2s\nsupervise = yes\nconsole = /dev/ttyS1\n"
	      "node = /dev/video0 c 81 256 0660 44:45\nnode = /dev/x b 8 1\n"
	      "module = /lib/a.ko  debug=1 x=2\nlink = /dev/camera video0\ncoldplug = /sys/class/net/eth0\n"
	      "[program camera]\n"
	      "exec = /usr/bin/camera --title \"two words\" \"\" -x\n"
	      "after = device /dev/video0\nafter = ready server\nafter=exit once\n"
	      "user = 1000:44\nnice = -5\nenvironment = A=b c\nunit = MemoryMax=64M\nrestart = on-failure\n"
	      "timeout = 500ms\noutput = /var/log/camera\nargv0 = @camera\ndirectory = /srv\n"
	      "[program server]\nexec = /bin/server\nnotify = yes\n"
	      "[program once]\nexec = /bin/once\nonce = yes");
	CHECK(!problems[0]);
	CHECK(!strcmp(config.init, "/lib/systemd/systemd") && config.after_start == AFTER_START_HAND_OVER);
	CHECK(config.hold_program == 0 && config.hold_ms == 2000 && config.supervise);
	CHECK(config.step_count == 5);
	CHECK(config.steps[0].kind == STEP_NODE && !config.steps[0].block && config.steps[0].major == 81 &&
	      config.steps[0].minor == 256 && config.steps[0].mode == 0660 && config.steps[0].user == 44 &&
	      config.steps[0].group == 45);
	CHECK(config.steps[1].block && config.steps[1].mode == 0600 && config.steps[1].group == 0);
	CHECK(!strcmp(config.steps[2].path, "/lib/a.ko") && !strcmp(config.steps[2].argument, "debug=1 x=2"));
	CHECK(config.program_count == 3);
	p = &config.programs[0];
	CHECK(!strcmp(p->words[2], "two words") && !p->words[3][0] && !strcmp(p->words[4], "-x") && !p->words[5]);
	CHECK(p->condition_count == 3 && p->conditions[1].program == 1 && p->conditions[2].kind == AFTER_EXIT);
	CHECK(p->user == 1000 && p->group == 44 && p->nice == -5 && p->timeout_ms == 500);
	CHECK(p->restart == RESTART_ON_FAILURE && p->variable_count == 1 && p->unit_setting_count == 1);
}

static void test_defaults(void)
{
	parse("");
	CHECK(!problems[0] && !config.program_count && !config.init && config.hold_program == -1 && !config.hold_given);
	parse("[fastinit]\nhold-at-most = 010ms\n[program iodine]\nexec = /a");
	CHECK(!problems[0] && config.hold_given && config.hold_ms == 10 && config.program_count == 1);
	parse("[fastinit]\nmodule = \"/lib/a.ko\n");
	CHECK(strstr(problems, "a quote without its end"));
	parse("[program a]\nexec=/a");
	CHECK(!problems[0] && config.programs[0].user == UNPARSED && !config.programs[0].notify);
}

/* One mistake each: the problem, and that it drops the program, but not the other one. */
static void test_mistakes(void)
{
	static const struct {
		const char *line, *problem;
	} mistakes[] = {
		{ "niec = 5", "an unknown key" },
		{ "nice = 20", "not a nice value" },
		{ "nice = -21", "not a nice value" },
		{ "nice =", "a key without a value" },
		{ "user = camera", "not a number" },
		{ "user = 1:", "not a number" },
		{ "user = 4294967296", "not a number" },
		{ "after = ready", "not `KIND PATH`" },
		{ "after = file relative", "not an absolute path" },
		{ "after = moon /x", "an unknown condition" },
		{ "after = start nobody", "waits for a program that is not there" },
		{ "after = ready other", "no `notify = yes`" },
		{ "after = exit other", "no `once = yes`" },
		{ "after = start bad", "never starts" },
		{ "exec = relative", "not an absolute path" },
		{ "exec = /a \"open", "a quote without its end" },
		{ "environment = A", "not `NAME=VALUE`" },
		{ "output = nowhere", "not an output" },
		{ "restart = never", "not a restart" },
		{ "timeout = 5h", "not a time" },
		{ "timeout = 90000s", "not a time" },
		{ "notify = true", "neither `yes` nor `no`" },
		{ "words", "a line without `=`" },
		{ "[program other]", "a second program" },
		{ "[program ../x]", "not a name" },
		{ "[program _x]", "systemd reserves" },
		{ "[program io]", "systemd reserves" },
		{ "[program memory.x]", "systemd reserves" },
		{ "[program bad", "a section without `]`" },
		{ "[service]", "an unknown section" },
	};
	char text[512];
	size_t i;

	for (i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		bool section = mistakes[i].line[0] == '[';

		snprintf(text, sizeof(text), "[program other]\nexec = /other\n[program bad]\nexec = /bad\n%s\n", mistakes[i].line);
		parse(text);
		CHECK(strstr(problems, mistakes[i].problem));
		CHECK(!config.programs[0].invalid);
		CHECK(section || config.programs[1].invalid);
		if (failed)
			fprintf(stderr, "with `%s`\n", mistakes[i].line);
	}
}

static void test_order(void)
{
	parse("[program a]\nexec=/a\nafter=start b\n[program b]\nexec=/b\nafter=start c\n[program c]\nexec=/c\nafter=start b\n"
	      "[program d]\nexec=/d\n");
	CHECK(config.programs[0].invalid && config.programs[1].invalid && config.programs[2].invalid);
	CHECK(!config.programs[3].invalid);
	parse("[fastinit]\nhold-for=b\n[program a]\nexec=/a\n[program b]\nexec=b\n");
	CHECK(config.hold_program == -1 && strstr(problems, "hold-for"));
}

static void test_limits(void)
{
	static char text[100000];
	size_t n = 0;
	int i;

	for (i = 0; i < MAX_PROGRAMS + 1; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "[program p%d]\nexec = /p\n", i);
	parse(text);
	CHECK(config.program_count == MAX_PROGRAMS && strstr(problems, "too many programs"));
	n = (size_t)snprintf(text, sizeof(text), "[program p]\nexec = /p");
	for (i = 0; i < MAX_WORDS; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " x");
	parse(text);
	CHECK(config.programs[0].invalid && strstr(problems, "too many arguments"));
	n = (size_t)snprintf(text, sizeof(text), "[fastinit]\n");
	for (i = 0; i < MAX_STEPS + 1; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "module = /m\n");
	parse(text);
	CHECK(config.step_count == MAX_STEPS && strstr(problems, "too many nodes"));
	free(parsed);
	parsed = parse_bytes(&config, "[program a]\0exec", 16);
	CHECK(strstr(problems, "a zero byte") && !config.program_count);
}

static void test_text(void)
{
	char small[8];
	struct text t = TEXT(small);

	put(&t, "123456789");
	CHECK(t.cut && !strcmp(small, "1234567"));
	t = TEXT(small);
	put_seconds(&t, 1234567);
	CHECK(!strcmp(small, "0.00123"));
	CHECK(parse_number("0660") == 0660 && parse_number("0") == 0 && parse_number("09") == UNPARSED);
	CHECK(parse_number("") == UNPARSED && parse_number("4294967294") == 4294967294UL && parse_number("4294967295") == UNPARSED);
	CHECK(!strcmp(base_name("/a/b"), "b") && !strcmp(base_name("b"), "b"));
	CHECK(starts_with("abc", "ab") && !starts_with("a", "ab") && same("a", "a") && !same("a", "ab"));
}

static int parse_files(char **files)
{
	for (; *files; files++) {
		static char content[MAX_CONFIG_BYTES];
		FILE *f = fopen(*files, "rb");
		char *text;

		if (!f)
			return 2;
		text = parse_bytes(&config, content, fread(content, 1, sizeof(content), f));
		fclose(f);
		check_invariants(&config);
		free(text);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return parse_files(argv + 1);
	test_a_whole_configuration();
	test_defaults();
	test_mistakes();
	test_order();
	test_limits();
	test_text();
	free(parsed);
	puts(failed ? "FAIL" : "ok: the parser's tests");
	return failed;
}
#endif
