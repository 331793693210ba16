// Runs axe-core on pages and pictures them: node docs/pictures.js FOLDER PAGE.html ...; needs chromium, and playwright-core and axe-core on NODE_PATH.
const { chromium } = require("playwright-core"), fs = require("fs"), path = require("path");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [, , out, ...pages] = process.argv;
(async () => {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  for (const page of pages) for (const scheme of ["light", "dark"]) for (const width of [1200, 400]) {
    const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height: 900 }, reducedMotion: "reduce", bypassCSP: true });
    const tab = await context.newPage();
    await tab.goto("file://" + path.resolve(page));
    await tab.evaluate(axe);
    const { violations } = await tab.evaluate(() => axe.run());
    const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    const nodes = violations.reduce((n, v) => n + v.nodes.length, 0);
    const name = path.basename(page, ".html");
    console.log(`${name} ${scheme} ${width}: ${violations.length} rules, ${nodes} elements, overflow ${wide}`);
    for (const v of violations) console.log(`   ${v.id} [${v.impact}] x${v.nodes.length}: ${v.nodes.slice(0, 2).map(n => n.html.slice(0, 110) + " | " + n.target.join(" ") + " | " + ((n.any[0]||n.all[0]||n.none[0]||{}).message||"").slice(0, 130)).join("\n        ")}`);
    await tab.screenshot({ path: `${out}/${name}_${scheme}_${width}.png` });
    await context.close();
  }
  await browser.close();
})();
