// Runs axe-core on pages and pictures them, reports of daad in what a reader does with them, too:
// node docs/pictures.js FOLDER PAGE.html ...; needs chromium, and playwright-core and axe-core on NODE_PATH.
const { chromium } = require("playwright-core"), fs = require("fs"), path = require("path");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [, , out, ...pages] = process.argv;

const middle = async (found) => {
  const one = found.nth(Math.floor(await found.count() / 2));
  await one.scrollIntoViewIfNeeded();
  await one.hover({ force: true });
};
const graph = (part) => async (tab) => {
  await tab.locator("#part").selectOption(part);
  await tab.locator(`.view[data-part="${part}"]`).focus();
  for (const key of ["+", "+", "ArrowRight"]) await tab.keyboard.press(key);
};
const STATES = {
  line: (tab) => middle(tab.locator("tr.ccs[data-line]")),
  chosen: async (tab) => { await tab.locator("#adjoint-text [data-line]").first().focus(); await tab.keyboard.press("Enter"); },
  stage: async (tab) => { for (let k = 0; k < 3; k++) await tab.locator("#after").click(); },
  last: async (tab) => { await tab.locator("#stage").focus(); await tab.keyboard.press("End"); },
  program: graph("ccs"), adjoint: graph("adjoint"), joint: graph("joint"),
  vertex: (tab) => tab.locator(".view:not([hidden]) .vertex[data-line]").first().hover({ force: true }),
  memory: (tab) => middle(tab.locator(".hit")),
};

async function examine(tab, name) {
  const { violations } = await tab.evaluate(() => axe.run());
  const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  const nodes = violations.reduce((n, v) => n + v.nodes.length, 0);
  console.log(`${name}: ${violations.length} rules, ${nodes} elements, overflow ${wide}`);
  for (const v of violations) console.log(`   ${v.id} [${v.impact}] x${v.nodes.length}: ${v.nodes.slice(0, 2).map(n => n.html.slice(0, 110) + " | " + n.target.join(" ") + " | " + ((n.any[0]||n.all[0]||n.none[0]||{}).message||"").slice(0, 130)).join("\n        ")}`);
  await tab.screenshot({ path: `${out}/${name}.png` });
}

(async () => {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  for (const page of pages) for (const scheme of ["light", "dark"]) for (const width of [1200, 400]) {
    const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height: 900 }, reducedMotion: "reduce", bypassCSP: true });
    const tab = await context.newPage();
    tab.on("pageerror", (error) => console.log(`   ${error}`));
    await tab.goto("file://" + path.resolve(page));
    await tab.evaluate(axe);
    const name = `${path.basename(page, ".html")}_${scheme}_${width}`;
    await examine(tab, name);
    const states = (await tab.locator("#stage").count()) ? Object.entries(STATES) : [];
    for (const [state, reach] of states) { await reach(tab); await examine(tab, `${name}_${state}`); }
    await context.close();
  }
  await browser.close();
})();
