// Blocking and small: the theme stands before the first paint, the time zone
// before the next request. Without JavaScript the form posts and the cookie does it.
"use strict";
{
  const root = document.documentElement;
  const cookie = (name, value) => {
    const age = value ? 365 * 24 * 3600 : 0;
    document.cookie = `${name}=${value}; path=/; max-age=${age}; samesite=lax`;
  };
  const stored = (name) =>
    document.cookie.split("; ").find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
  const show = (value) => {
    if (value === "light" || value === "dark") root.dataset.theme = value;
    else delete root.dataset.theme;
    for (const button of document.querySelectorAll("[data-themes] button")) {
      button.setAttribute("aria-pressed", String(button.value === value));
    }
  };

  show(stored("theme"));
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone && stored("timezone") !== zone) cookie("timezone", zone);

  document.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-themes]") || !event.submitter) return;
    event.preventDefault();
    cookie("theme", event.submitter.value);
    show(event.submitter.value);
  });
  // A page that comes back from the browser's memory may be of another theme.
  addEventListener("pageshow", (event) => event.persisted && show(stored("theme")));
}
