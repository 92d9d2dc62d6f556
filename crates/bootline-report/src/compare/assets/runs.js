// SPDX-License-Identifier: MIT OR Apache-2.0
// The dots of runs, where the page only says where they are: a thousand measures have too many to write each of them.

const data = JSON.parse(document.getElementById("data").textContent);

function drawRuns(picture) {
  for (const dots of picture.querySelectorAll("svg.lane .runs[data-dots]")) {
    const names = data.runs[dots.parentNode.classList.contains("to") ? 1 : 0];
    dots.dataset.dots.split(",").forEach((place, run) => {
      if (place === "") return;
      const [x, y] = place.split(" ");
      const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
      const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
      dot.setAttribute("cx", `${x}%`);
      dot.setAttribute("cy", y);
      dot.setAttribute("r", "4");
      title.textContent = names[run];
      dot.append(title);
      dots.append(dot);
    });
  }
}
