// SPDX-License-Identifier: MIT OR Apache-2.0
#include "adopt.h"

#include "condition.h"
#include "config_file.h"
#include "kernel.h"
#include "log.h"

/* The order that fastinit keeps by itself, should the units start the programs. */
static void put_order(struct text *t, const struct program *program)
{
	int i;

	for (i = 0; i < program->condition_count; i++) {
		const struct condition *c = &program->conditions[i];

		if (condition_is_polled(c))
			continue;
		put(t, "After=");
		put(t, c->what);
		put(t, ".service\n");
		if (c->kind != AFTER_EXIT)
			continue;
		put(t, "Requires=");
		put(t, c->what);
		put(t, ".service\n");
	}
}

/* systemd replaces `%`; nothing else of a setting is changed. */
static void put_unit(struct text *t, const struct program *program, const char *config)
{
	static const char *const restarts[] = { "no", "on-failure", "always" };
	int i;

	put(t, "# Made by fastinit\n[Unit]\nDescription=");
	put(t, program->name);
	put(t, " (fastinit)\nSourcePath=");
	put(t, config);
	put(t, "\nDefaultDependencies=no\nConflicts=shutdown.target\nBefore=shutdown.target\n");
	put_order(t, program);
	put(t, "\n[Service]\n");
	if (program->once)
		put(t, "Type=oneshot\nRemainAfterExit=yes\n");
	else
		put(t, "Type=notify\nNotifyAccess=all\n");
	put(t, "ExecStart=" FASTINIT_PATH " adopt ");
	put(t, program->name);
	put(t, "\nSlice=system.slice\n");
	if (!program->once) {
		put(t, "Restart=");
		put(t, restarts[program->restart]);
		put(t, "\nRestartSec=");
		put_number(t, program->restart_delay_ms);
		put(t, "ms\n");
	}
	for (i = 0; i < program->unit_setting_count; i++) {
		put(t, program->unit_settings[i]);
		put(t, "\n");
		/* Without it, nobody could tell systemd anything. */
		if (starts_with(program->unit_settings[i], "RestrictAddressFamilies=A"))
			put(t, "RestrictAddressFamilies=AF_UNIX\n");
	}
}

static int write_unit(const char *folder, const struct program *program, const char *config)
{
	static char unit[8192];
	char path[320], link[320], to[64];
	struct text t = TEXT(unit), p = TEXT(path), l = TEXT(link), w = TEXT(to);
	long done;
	int fd;

	put(&p, folder);
	put(&p, "/");
	put(&p, program->name);
	put(&p, ".service");
	put_unit(&t, program, config);
	if (t.cut || p.cut)
		return -ENAMETOOLONG;
	fd = call_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0)
		return fd;
	done = call_write(fd, unit, t.used);
	call_close(fd);
	if (done < 0)
		return (int)done;
	put(&l, folder);
	put(&l, "/sysinit.target.wants");
	call_mkdir(link, 0755);
	put(&l, "/");
	put(&l, program->name);
	put(&l, ".service");
	put(&w, "../");
	put(&w, program->name);
	put(&w, ".service");
	done = call_symlink(to, link);
	return done == -EEXIST ? 0 : (int)done;
}

int generate(const char *folder)
{
	static struct config config;
	const char *path = config_path();
	int error = config_read(&config, path, false), status = 0, i;

	/* Without a configuration there is nothing to do. */
	if (error == -ENOENT)
		return 0;
	if (error < 0) {
		say(LEVEL_ERROR, path, ": ", error_words(error), NULL);
		return 1;
	}
	for (i = 0; i < config.program_count; i++) {
		if (config.programs[i].invalid)
			continue;
		error = write_unit(folder, &config.programs[i], path);
		if (error < 0) {
			say(LEVEL_ERROR, config.programs[i].name, ": cannot write its unit: ", error_words(error), NULL);
			status = 1;
		}
	}
	return status;
}
