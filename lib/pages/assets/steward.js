/* What pages can do with script on; without it everything is there all the same. */

const LIVE_EVERY_MS = 15_000;
const SENT_MS = 4_000;

/* Copy what stands in the element that a button names. */
document.addEventListener("click", async (event) => {
  const button = event.target instanceof Element && event.target.closest("button[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  await navigator.clipboard.writeText(source?.textContent ?? "");
  button.textContent = "Copied";
});

/* A form is sent once, however often it is clicked. */
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "yes";
  // Whoever stops it and tries again is not left without an answer.
  setTimeout(() => delete form.dataset.sent, SENT_MS);
});
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

/* Keys: only those that the page itself names, and never while something is typed. */
const isTyping = (target) =>
  target instanceof Element &&
  target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (event.key === "j" || event.key === "k") return move(event.key === "j" ? 1 : -1, event);
  if (event.key === "x") return toggle(event);
  if (event.key === "?") return help(event);
  const named = document.querySelector(`[aria-keyshortcuts="${CSS.escape(event.key)}"]`);
  if (!named) return;
  event.preventDefault();
  // A button is only taken in hand: what decides asks for one more key.
  named.focus();
  if (named instanceof HTMLAnchorElement) named.click();
});

const rows = () => [...document.querySelectorAll("[data-id]")];
const rowOf = (element) => element?.closest?.("[data-id]");

function move(step, event) {
  const all = rows();
  if (all.length === 0) return;
  event.preventDefault();
  const at = all.indexOf(rowOf(document.activeElement));
  const next = all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + step))];
  next.querySelector("a")?.focus();
}

function toggle(event) {
  const box = rowOf(document.activeElement)?.querySelector("input[type=checkbox]");
  if (!box) return;
  event.preventDefault();
  box.checked = !box.checked;
}

/* What the keys do, from what the page says of itself. */
function help(event) {
  event.preventDefault();
  const shown = document.querySelector("dialog.keys");
  if (shown) return shown.showModal();
  const dialog = document.createElement("dialog");
  dialog.className = "keys";
  const list = document.createElement("dl");
  const line = (key, says) => {
    const name = document.createElement("dt");
    const meaning = document.createElement("dd");
    name.append(Object.assign(document.createElement("kbd"), { textContent: key }));
    meaning.textContent = says;
    list.append(name, meaning);
  };
  if (rows().length > 0) {
    line("j k", "next, previous");
    line("Enter", "open");
    if (document.querySelector("[data-id] input[type=checkbox]")) line("x", "select");
  }
  for (const each of document.querySelectorAll("[aria-keyshortcuts]")) {
    line(each.getAttribute("aria-keyshortcuts"), each.getAttribute("aria-label") ?? each.textContent.trim());
  }
  line("?", "this list");
  const close = Object.assign(document.createElement("button"), { textContent: "Close" });
  close.addEventListener("click", () => dialog.close());
  const title = Object.assign(document.createElement("h2"), { textContent: "Keys" });
  dialog.append(title, list, close);
  document.body.append(dialog);
  dialog.showModal();
}

/* On a narrow screen the page's own name may be beyond the edge. */
document.querySelector(".bar [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });

/* How much of a list is new: told, and never moved under somebody's hand. */
const bar = document.querySelector("[data-live]");
if (bar) {
  const known = new Set(rows().map((row) => row.dataset.id));
  setInterval(() => void look(known), LIVE_EVERY_MS);
}

/* New is what was not there when the page was made; what only slid up from the next page is not. */
async function look(known) {
  if (document.hidden) return;
  const url = new URL(`${location.pathname}.json${location.search}`, location.href);
  url.searchParams.set("limit", "100");
  const answer = await fetch(url).catch(() => undefined);
  if (!answer?.ok) return;
  const { items } = await answer.json();
  const madeAt = Number(bar.dataset.at);
  const isNew = (item) =>
    !known.has(String(item[bar.dataset.live])) &&
    (item.openedAt ?? item.createdAt ?? item.updatedAt ?? item.at) > madeAt;
  const fresh = items.filter(isNew).length;
  if (fresh === 0) return bar.replaceChildren();
  const link = Object.assign(document.createElement("a"), {
    href: location.href,
    textContent: `${fresh} new – show`,
  });
  bar.replaceChildren(link);
}
