// What the theme leaves out for people who use a keyboard or a screen reader; axe-core finds nothing afterwards.
function mend() {
  const all = (what, change) => document.querySelectorAll(what).forEach(change);
  all(".caption[role=heading]:not([aria-level])", (caption) => caption.setAttribute("aria-level", "2"));
  all("aside.sidebar-drawer", (aside) => aside.setAttribute("aria-label", "Pages"));
  all("aside.toc-drawer", (aside) => aside.setAttribute("aria-label", "On this page"));
  all(".content-icon-container", (icons) => {
    icons.setAttribute("role", "navigation");
    icons.setAttribute("aria-label", "This page");
  });
  all(".highlight pre, .table-wrapper, div.math, .output pre", (box) => {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  });
  all("#search-results", (found) => {
    if (!document.querySelector("h1")) found.insertAdjacentHTML("beforebegin", "<h1>Search</h1>");
  });
  all("th", (cell) => {
    if (cell.textContent.trim() || cell.querySelector("img")) return;
    const corner = document.createElement("td");
    corner.className = cell.className;
    cell.replaceWith(corner);
  });
}
document.addEventListener("DOMContentLoaded", mend);
addEventListener("load", mend);
addEventListener("resize", mend);
