# SPDX-License-Identifier: MIT OR Apache-2.0
# What goes onto a system, from a built tree: make install PREFIX=/usr DESTDIR=/tmp/image

PREFIX = /usr/local
DESTDIR =
bindir = $(PREFIX)/bin
mandir = $(PREFIX)/share/man
bashdir = $(PREFIX)/share/bash-completion/completions
zshdir = $(PREFIX)/share/zsh/site-functions
fishdir = $(PREFIX)/share/fish/vendor_completions.d
# `bootline ingest`
INGEST = target/release/bootline-ingest
STRIP = strip
OBJCOPY = objcopy

## Install

# Not made here: `sudo make install` would build as root.
$(BINARY) $(INGEST):
	@echo 'error: there is no $@' >&2
	@echo '  hint: make build' >&2
	@false

.PHONY: install install-debug uninstall
# A panic's message names its file and line all the same; the functions of a backtrace need `make install-debug`.
install: | $(BINARY) $(INGEST) ## installs the commands, man pages and completions to PREFIX (/usr/local); DESTDIR is put before it
	install -d '$(DESTDIR)$(bindir)' '$(DESTDIR)$(mandir)/man1' '$(DESTDIR)$(bashdir)' '$(DESTDIR)$(zshdir)' '$(DESTDIR)$(fishdir)'
	install -m 755 $(BINARY) '$(DESTDIR)$(bindir)/bootline'
	install -m 755 $(INGEST) '$(DESTDIR)$(bindir)/bootline-ingest'
	$(STRIP) '$(DESTDIR)$(bindir)/bootline' '$(DESTDIR)$(bindir)/bootline-ingest'
	$(BINARY) man '$(DESTDIR)$(mandir)/man1'
	$(INGEST) --man '$(DESTDIR)$(mandir)/man1'
	$(BINARY) completions bash > '$(DESTDIR)$(bashdir)/bootline'
	$(BINARY) completions zsh > '$(DESTDIR)$(zshdir)/_bootline'
	$(BINARY) completions fish > '$(DESTDIR)$(fishdir)/bootline.fish'

# Debuggers, profilers and the command's own backtraces look there.
install-debug: | $(BINARY) ## adds the debug information of the installed command: functions and lines in backtraces and profiles
	install -d '$(DESTDIR)$(bindir)/.debug'
	$(OBJCOPY) --only-keep-debug --compress-debug-sections $(BINARY) '$(DESTDIR)$(bindir)/.debug/bootline.debug'
	chmod 644 '$(DESTDIR)$(bindir)/.debug/bootline.debug'
	$(OBJCOPY) --remove-section .gnu_debuglink --add-gnu-debuglink '$(DESTDIR)$(bindir)/.debug/bootline.debug' '$(DESTDIR)$(bindir)/bootline'

uninstall: ## removes what `make install` and `make install-debug` have put there
	rm -f '$(DESTDIR)$(bindir)/bootline' '$(DESTDIR)$(bindir)/bootline-ingest' '$(DESTDIR)$(bindir)/.debug/bootline.debug'
	rm -f '$(DESTDIR)$(mandir)/man1/bootline.1' '$(DESTDIR)$(mandir)/man1'/bootline-*.1
	rm -f '$(DESTDIR)$(bashdir)/bootline' '$(DESTDIR)$(zshdir)/_bootline' '$(DESTDIR)$(fishdir)/bootline.fish'
	-rmdir '$(DESTDIR)$(bindir)/.debug' 2>/dev/null
