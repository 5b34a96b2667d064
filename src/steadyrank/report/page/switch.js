/* One page for several categories: the words of each lie ready in a template, the rest is drawn anew. */

const SWITCH = (() => {
  const at = (id) => document.getElementById(id);
  const pages = [JSON.parse(at("report-data").textContent)].flat();
  const names = () => [...(at("category")?.options ?? [])].map((option) => option.value);
  const now = () => at("category")?.value ?? "";

  const put = (show, place, keep = false) => {
    at("category").selectedIndex = place;
    for (const part of [...document.querySelectorAll("template")[place].content.children]) at(part.id).replaceWith(part.cloneNode(true));
    show(pages[place], keep);
  };

  const begin = (show) => {
    at("category")?.addEventListener("change", () => put(show, at("category").selectedIndex, true));
    show(pages[0]);
  };

  const find = (show, name) => { if (at("category") && name !== now()) put(show, Math.max(0, names().indexOf(name))); };

  return { begin, find, now };
})();
