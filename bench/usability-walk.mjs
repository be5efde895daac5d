const trials = 100_000;
const runId = 'r-newest';
const finishedAt = 1_700_000_900_000;
const reason = 'result.total is 42, not 41';

/** The project of the walk: the scenario expects the wrong sum. */
export const walkFiles = {
  'orders.yaml': `name: Orders
call: { command: cat }
cases:
  - { name: late, input: { total: 42 } }
passCriteria:
  - result.total === 41
`,
};

/** Puts a run of 100,000 trials into a store, of which the last one failed; `samples` makes headers and trials. */
export async function fillForWalk(store, { runHeader, finishedTrial }, count = trials) {
  const plain = runHeader(runId).scenarios[0];
  const scenarios = [
    { ...plain, caseCount: count - 1 },
    { ...plain, name: 'Orders', file: 'orders.yaml', caseCount: 1 },
  ];
  const startedAt = finishedAt - 900_000;
  await store.createRun(runHeader(runId, { startedAt, planned: count, status: 'finished', finishedAt, scenarios }));
  for (let first = 0; first < count; first += 1_000) {
    const size = Math.min(1_000, count - first);
    await store.saveTrials(
      Array.from({ length: size }, (_, index) =>
        trialOf(first + index, { finishedTrial, isLast: first + index === count - 1 }),
      ),
    );
  }
}

function trialOf(ordinal, { finishedTrial, isLast }) {
  const outcome = isLast ? 'fail' : 'pass';
  const { record, trace } = finishedTrial(runId, ordinal, { outcome, scenario: isLast ? 'Orders' : 'sample' });
  // The texts that lists show, as every run keeps them.
  const excerpt = { input: JSON.stringify({ total: ordinal }), answer: JSON.stringify({ total: ordinal }) };
  if (!isLast) return { record: { ...record, excerpt, variant: {}, caseId: `case ${ordinal}` }, trace };
  return {
    record: { ...record, file: 'orders.yaml', caseId: 'late', reason, variant: {}, evaluatorResults: [] },
    trace,
  };
}

/**
 * A user finds why the newest failure failed, mends the scenario, runs only that case, compares with before and shares the
 * result. Gives the steps with their clicks and milliseconds, from the first click until what they are for is visible.
 */
export async function usabilityWalk(page, addressOf) {
  const walk = new Walk(page);
  await page.goto(addressOf('/'));
  await walk.main.getByRole('heading', { name: 'Latest run' }).waitFor();
  // Lost with the first load of another page.
  await page.evaluate('window.isSamePage = true');
  await findCause(walk);
  await mendScenario(walk);
  await runAndCompare(walk);
  const link = await share(walk);
  const isSamePage = (await page.evaluate('window.isSamePage')) === true;
  return { steps: walk.steps, clicks: walk.clicks, link, isSamePage };
}

/** People do not press anything sooner after they have seen it. */
const reactionMs = 250;

class Walk {
  steps = [];
  clicks = 0;

  constructor(page) {
    this.page = page;
    this.main = page.locator('main');
  }

  async click(target) {
    this.clicks++;
    await target.click();
  }

  button(name) {
    return this.main.getByRole('button', { name, exact: true });
  }

  async step(name, act, awaited) {
    await this.page.waitForTimeout(reactionMs);
    const [began, before] = [performance.now(), this.clicks];
    await act();
    await awaited.waitFor();
    this.steps.push({ name, ms: performance.now() - began, clicks: this.clicks - before });
  }
}

async function findCause(walk) {
  const { main } = walk;
  await walk.step(
    'open the newest run and see why its newest failure failed',
    () => walk.click(main.getByRole('link', { name: 'Open', exact: true }).first()),
    main.getByRole('region', { name: 'What happened' }).getByText(reason).first(),
  );
}

async function mendScenario(walk) {
  const { main, page } = walk;
  const wrong = main.locator('.cm-content').getByText('result.total === 41');
  await walk.step(
    'open its scenario in the editor',
    () => walk.click(main.getByRole('link', { name: 'orders.yaml', exact: true }).first()),
    wrong,
  );
  await walk.step(
    'mend and save it',
    async () => {
      await walk.click(wrong);
      await page.keyboard.press('End');
      await page.keyboard.press('Backspace');
      await page.keyboard.type('2');
      await page.keyboard.press('Control+s');
    },
    main.getByText('Saved', { exact: true }),
  );
}

async function runAndCompare(walk) {
  const { main, page } = walk;
  await walk.step(
    'go back to the run',
    async () => {
      // The button of the browser.
      walk.clicks++;
      await page.goBack();
    },
    walk.button('Run this case'),
  );
  await walk.step(
    'run only that case',
    () => walk.click(walk.button('Run this case')),
    main.locator('h1').getByText('pass', { exact: true }),
  );
  await walk.step(
    'compare with before',
    () => walk.click(main.getByRole('link', { name: 'Compare', exact: true })),
    walk.button('Show the figures anyway'),
  );
  await walk.step(
    'see the figures of the changed scenario',
    () => walk.click(walk.button('Show the figures anyway')),
    main.getByText('fixed', { exact: true }).first(),
  );
}

/** Gives the link for a colleague. */
async function share(walk) {
  const dialog = walk.page.getByRole('dialog', { name: 'Share this comparison' });
  const link = dialog.getByLabel('Link', { exact: true });
  await walk.step(
    'share the comparison',
    async () => {
      await walk.click(walk.button('Share'));
      await walk.click(dialog.getByRole('button', { name: 'Copy link' }));
    },
    link,
  );
  return link.inputValue();
}
