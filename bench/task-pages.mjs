import { median } from './measure.mjs';

const rounds = 5;
/** The first visit of a page loads its program too; a page that has settled asks for nothing any more. */
const settledMs = 800;

const find = (selector) => `document.querySelector(${JSON.stringify(selector)})`;
/** A link or button by its words; the navigation stands beside the page. */
const named = (role, text) =>
  `[...document.querySelectorAll('main ${role}, aside ${role}')].find((one) => one.textContent.trim() === '${text}')`;
const panel = find('aside[aria-label="Chosen case"]');
const heading = (text) => `${find('main h1')}?.textContent.includes('${text}')`;
const rows = (title) => `${heading(title)} && ${find('main [data-row-link]')}`;
const ready = `[...document.querySelectorAll('[role=dialog] button')].find(
  (one) => /run$|start$|copy link/i.test(one.textContent) && !one.disabled)`;

/** Steps of the tasks of users, by the pages that they begin on: what is clicked, and what is there at the end. */
const steps = {
  'newest run and why it failed': ['/', named('a', 'Open'), `/expected \\d+ and got/.test(${panel}?.textContent)`],
  'its trace': ['/runs/r-new', named('a', 'Open trace'), find('main [data-event]')],
  'compare with the run before': [
    '/runs/r-new',
    named('a', 'Compare'),
    `/Answer of B/.test(${find('main')}?.outerHTML)`,
  ],
  'share a comparison': ['/compare?a=r-old&b=r-new', named('button', 'Share'), ready],
  'every trial of a run': [
    '/runs/r-new',
    named('button', 'Trials'),
    `${find('[aria-pressed=true]')}?.textContent.startsWith('Trials') && ${find('main [role=table], main table')}`,
  ],
  'plan of a run of a file': ['/scenarios/edit?file=orders.yaml', named('button', 'Run …'), ready],
  'scores of a scenario': ['/scenarios/edit?file=orders.yaml', named('button', 'Stats'), find('main figure')],
  runs: ['/', named('a', 'Runs'), rows('Runs')],
  'plan of an experiment': ['/runs', named('button', 'New experiment'), ready],
  'collected traces': ['/', named('a', 'Traces'), heading('Traces')],
  'review of what was judged': ['/', named('a', 'Review'), heading('Review')],
  scenarios: ['/', named('a', 'Scenarios'), rows('Scenarios')],
  dashboard: ['/runs', named('a', 'Dashboard'), heading('Dashboard')],
};

/** Milliseconds of each step from the click on, in the page: a driver outside takes longer to look. */
export async function timesOfSteps(page, addressOf) {
  const times = {};
  for (const [name, [path, target, done]] of Object.entries(steps)) {
    const taken = [];
    for (let round = 0; round < rounds; round++) {
      await page.goto(addressOf(path));
      await page.evaluate(until(target));
      await page.waitForTimeout(settledMs);
      taken.push(await page.evaluate(clicked(target, done)));
    }
    times[name] = { first: taken[0], usual: median(taken.slice(1)) };
  }
  return times;
}

function until(condition) {
  return `new Promise((resolve) => {
    const look = () => (${condition} ? resolve() : requestAnimationFrame(look));
    look();
  })`;
}

function clicked(target, done) {
  return `(async () => {
    const began = performance.now();
    (${target}).click();
    await ${until(done)};
    return performance.now() - began;
  })()`;
}
