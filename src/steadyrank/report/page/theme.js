/* Light or dark, as the system has it until a reader chooses. */

(() => {
  const at = (id) => document.getElementById(id);
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const set = (dark) => {
    root.dataset.theme = dark ? "dark" : "light";
    at("theme").textContent = dark ? "Light mode" : "Dark mode";
    at("theme").setAttribute("aria-pressed", String(dark));
    at("theme").setAttribute("aria-label", dark ? "Use light colours" : "Use dark colours");
  };
  let own = false;
  set(system.matches);
  system.addEventListener("change", (event) => { if (!own) set(event.matches); });
  at("theme").addEventListener("click", () => { own = true; set(root.dataset.theme !== "dark"); });
})();
