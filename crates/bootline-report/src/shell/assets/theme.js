// SPDX-License-Identifier: MIT OR Apache-2.0
// Light or dark: by the button, else as the system is.

class Theme {
  /** `colours` of the style sheet are read for a canvas; `changed` is called when they are others. */
  constructor(colours, changed) {
    this.choice = "system";
    this.colours = colours;
    this.changed = changed;
    this.read();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.refresh());
    const button = document.getElementById("theme");
    button.addEventListener("click", () => {
      this.choice = { system: "light", light: "dark", dark: "system" }[this.choice];
      button.textContent = `Theme: ${this.choice}`;
      if (this.choice === "system") delete document.documentElement.dataset.theme;
      else document.documentElement.dataset.theme = this.choice;
      this.refresh();
    });
  }

  refresh() {
    this.read();
    this.changed();
  }

  read() {
    // `light-dark()` is told apart only where it colours something.
    const probe = document.createElement("i");
    probe.hidden = true;
    document.body.append(probe);
    for (const name of this.colours) {
      probe.style.color = `var(--${name})`;
      this[name] = getComputedStyle(probe).color;
    }
    const style = getComputedStyle(document.documentElement);
    this.sans = style.getPropertyValue("--sans");
    this.mono = style.getPropertyValue("--mono");
    probe.remove();
  }
}
