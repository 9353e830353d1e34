// The catalog is live: when a tool is switched, changed or new, the list follows.

let due = 0;

document.addEventListener("peg:frame", ({ detail }) => {
  if (detail.kind !== "catalog") return;
  clearTimeout(due);
  due = setTimeout(follow, 300);
});

function follow() {
  const list = document.getElementById("results");
  if (!list || document.hidden) return;
  const focus = list.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  htmx.ajax("GET", location.pathname + location.search, { target: list, swap: "outerHTML" }).then(() => {
    if (focus) document.querySelector(`#results a[href="${CSS.escape(focus)}"]`)?.focus();
  });
}

// "/" leads to the search, as people expect.
document.addEventListener("keydown", (event) => {
  const search = document.querySelector("[data-shortcut='/']");
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (event.key !== "/" || typing || !search || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  search.focus();
  search.select();
});
