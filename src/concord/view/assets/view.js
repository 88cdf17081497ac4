"use strict";
const box = document.getElementById("live");
const SVG = "http://www.w3.org/2000/svg";
const KINDS = { ok: "ok", refused: "refused", unreadable: "unreadable", "no answer found": "unreadable" };
const kind = (name) => KINDS[name] || "other";
function strips(table, groups) {
  const rows = groups.map(([name, counts]) => {
    const row = document.createElement("tr"), total = counts.reduce((sum, one) => sum + one[1], 0);
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("class", "strip");
    svg.setAttribute("viewBox", "0 0 100 4");
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    let at = 0;
    for (const [outcome, n] of counts) {
      const part = document.createElementNS(SVG, "rect");
      const box = { x: at, width: 100 * n / total, height: 4, class: kind(outcome) };
      for (const [key, value] of Object.entries(box)) part.setAttribute(key, value);
      svg.append(part);
      at += 100 * n / total;
    }
    const cells = [name, counts.map(([outcome, n]) => n + " " + outcome).join(", ")];
    for (const text of cells) row.append(Object.assign(document.createElement("td"), { textContent: text }));
    const last = document.createElement("td");
    last.append(svg);
    row.append(last);
    return row;
  });
  table.replaceChildren(...rows);
}
async function look() {
  try {
    const got = await fetch(box.dataset.feed);
    if (!got.ok) return;
    const run = await got.json();
    const bar = document.getElementById("bar");
    bar.max = Math.max(run.planned, 1);
    bar.value = run.done;
    document.getElementById("counts").textContent = run.words;
    strips(document.getElementById("groups"), run.strips);
    document.getElementById("latest").textContent = run.latest;
    document.getElementById("failed").hidden = run.latest === "";
    document.getElementById("readings").textContent = run.readings;
    document.getElementById("misread").textContent = run.misread;
    document.getElementById("reading").hidden = run.readings === "";
  } catch (fault) {
    document.getElementById("counts").textContent = "the view is closed";
  }
}
if (box) { look(); setInterval(look, 1000); }
const list = document.getElementById("runs");
async function again() {
  try {
    const got = await fetch(location.href);
    if (!got.ok) return;
    const found = new DOMParser().parseFromString(await got.text(), "text/html");
    list.replaceChildren(...found.getElementById("runs").children);
    const ticks = document.getElementById("results");
    const is_used = ticks.querySelector(":checked, :focus");
    if (!is_used) ticks.replaceChildren(...found.getElementById("results").children);
  } catch (fault) {
    return;
  }
}
if (list) setInterval(again, 3000);
