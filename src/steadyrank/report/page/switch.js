/* One page for several categories: the words of each lie ready in a template, the rest is drawn anew. */

const SWITCH = (() => {
  const at = (id) => document.getElementById(id);
  const pages = [JSON.parse(at("report-data").textContent)].flat();
  const names = () => [...(at("category")?.options ?? [])].map((option) => option.value);
  const now = () => at("category")?.value ?? "";

  const put = (show, name, keep = false) => {
    const place = Math.max(0, names().indexOf(name));
    at("category").selectedIndex = place;
    for (const part of [...document.querySelectorAll("template")[place].content.children]) at(part.id).replaceWith(part.cloneNode(true));
    show(pages[place], keep);
  };

  const begin = (show) => {
    at("category")?.addEventListener("change", () => put(show, now(), true));
    show(pages[0]);
  };

  return { begin, put, now };
})();
