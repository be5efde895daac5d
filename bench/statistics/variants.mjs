import { covers, Draw, isDecided, logistic, source, usualEase } from './draw.mjs';

const { amountPerSuccess } = await source('shared/stats/per-success.ts');
const { compareVariants } = await source('report/compare/variants/compare-variants.ts');

/** One variant as a table of variants sees it: a case for each list of passes. */
function side(label, cases) {
  const totals = { trials: 0, passed: 0, failed: 0, unjudged: 0, cached: 0, costUsd: 0 };
  return {
    label,
    run: {
      runId: 'r',
      startedAt: 0,
      status: 'finished',
      planned: 0,
      assayVersion: null,
      scenarios: null,
      origin: null,
    },
    totals: { ...totals, tried: { trials: 0, costUsd: 0, durationMs: 0 } },
    cases: cases.map((passes, index) => {
      const passed = passes.filter((value) => value === 1).length;
      return {
        ...{ scenario: 'suite', caseId: `c${index}`, variant: { guidance: label }, unjudged: 0 },
        ...{ passed, failed: passes.length - passed, figures: new Map([['pass-rate', passes]]), checks: new Map() },
        ...{ success: null, failure: null, unjudgedTrial: null },
      };
    }),
    ...{ judges: new Map(), toolPins: new Map(), agents: new Map(), subcommands: new Map(), diagnosed: [] },
    ...{ unusable: new Map(), missing: new Map() },
  };
}

const rankDesigns = [
  { title: '4 alike, 20 cases x 5', shifts: [0, 0, 0, 0], cases: 20, repeats: 5 },
  { title: '10 alike, 20 cases x 5', shifts: Array(10).fill(0), cases: 20, repeats: 5 },
  { title: '6 alike, 100 cases x 1', shifts: Array(6).fill(0), cases: 100, repeats: 1 },
  { title: '4, one better by 18 points, 50 cases x 5', shifts: [0, 1.6, 0, 0], cases: 50, repeats: 5, power: 0.9 },
  { title: '4 in steps of 6 to 9 points, 50 cases x 5', shifts: [0, 0.6, 1.2, 1.8], cases: 50, repeats: 5, power: 0.4 },
  { title: '4, two alike at the top, 50 cases x 5', shifts: [0, 0, 1.2, 1.2], cases: 50, repeats: 5 },
  {
    title: '6 with cases that gain and lose, 50 cases x 5',
    shifts: Array(6).fill(0),
    cases: 50,
    repeats: 5,
    scatter: 1.5,
  },
];

/** By which rule a statement is wrong, how often: `best`, a rank of a variant, or a difference to the reference. */
function measureRanks({ title, shifts, cases, repeats, scatter = 0, power: leastPower }, replications, seed) {
  const draw = new Draw(seed);
  const labels = shifts.map((_, index) => `v${index}`);
  const top = Math.max(...shifts);
  const best = labels.filter((_, index) => shifts[index] === top);
  const counts = { best: 0, rank: 0, reference: 0, found: 0 };
  for (let round = 0; round < replications; round++) {
    const eases = Array.from({ length: cases }, () => usualEase(draw));
    const sides = shifts.map((shift, index) =>
      side(
        labels[index],
        eases.map((ease) => draw.tries(repeats, logistic(ease + shift + scatter * draw.normal()))),
      ),
    );
    const table = compareVariants(sides, { by: 'guidance', only: ['pass-rate'] });
    if (best.some((label) => !table.best.labels.includes(label)) && table.best.labels.length > 0)
      counts.best += missedShare(table, best);
    if (best.length === 1 && table.best.labels.length === 1 && table.best.labels[0] === best[0]) counts.found++;
    counts.rank += wrongRanks(table, labels, shifts) / labels.length;
    if (hasFalseDifference(table, labels, shifts)) counts.reference++;
  }
  const share = (count) => count / replications;
  return {
    title,
    false: Math.max(share(counts.best), share(counts.rank), share(counts.reference)),
    ...(best.length === 1 && { power: share(counts.found), leastPower }),
  };
}

/** Of the variants that are the best: how many the statement leaves out. */
function missedShare({ best: { labels } }, best) {
  return best.filter((label) => !labels.includes(label)).length / best.length;
}

function wrongRanks({ variants }, labels, shifts) {
  return variants.filter(({ label, rank }) => {
    const own = shifts[labels.indexOf(label)];
    const better = shifts.filter((shift) => shift > own).length;
    const worse = shifts.filter((shift) => shift < own).length;
    return rank.best > better + 1 || rank.worst < shifts.length - worse;
  }).length;
}

function hasFalseDifference({ variants }, labels, shifts) {
  return variants.some(({ label, differences: [metric] }) => {
    if (!metric || !isDecided(metric.answer)) return false;
    const truth = shifts[labels.indexOf(label)] - shifts[0];
    return truth === 0 || (metric.answer === 'better') !== truth > 0;
  });
}

const world = (ease, easeSpread, costSpread, rare = 0) => ({
  drawCase(draw) {
    const hardness = draw.normal();
    return { chance: logistic(ease + easeSpread * hardness), log: costSpread * draw.normal() - 0.3 * hardness };
  },
  /** Failed trials take half as much again; rare ones twenty times as much. */
  drawTrial(draw, { chance, log }) {
    const passed = draw.isTrue(chance) ? 1 : 0;
    const usual = Math.exp(log + 0.4 * draw.normal()) * (passed ? 1 : 1.5);
    return { passed, spent: rare > 0 && draw.isTrue(rare) ? 20 * usual : usual };
  },
});

const few = 'few successes';
const perSuccessDesigns = [
  { title: '10 cases x 5', world: world(1.2, 2.5, 0.6), cases: 10, repeats: 5 },
  { title: '20 cases x 1', world: world(1.2, 2.5, 0.6), cases: 20, repeats: 1 },
  { title: '20 cases x 5', world: world(1.2, 2.5, 0.6), cases: 20, repeats: 5 },
  { title: '50 cases x 5', world: world(1.2, 2.5, 0.8), cases: 50, repeats: 5 },
  { title: '200 cases x 1, costs differ much', world: world(1.2, 2.5, 1), cases: 200, repeats: 1 },
  { title: '20 cases x 5, nearly all pass', world: world(4, 1, 0.6), cases: 20, repeats: 5 },
  { title: '20 cases x 5, one in six passes', world: world(-2.5, 1.5, 0.6), cases: 20, repeats: 5, wide: few },
  { title: '50 cases x 5, 1 % of trials cost 20 times', world: world(1.2, 2.5, 0.6, 0.01), cases: 50, repeats: 5 },
];

function measurePerSuccess({ title, world: { drawCase, drawTrial }, cases, repeats, wide }, replications, seed) {
  const truth = perSuccessOf(drawCase, drawTrial);
  const draw = new Draw(seed);
  let covered = 0;
  for (let round = 0; round < replications; round++) {
    const sample = Array.from({ length: cases }, (_, index) => {
      const drawn = drawCase(draw);
      const trials = Array.from({ length: repeats }, () => drawTrial(draw, drawn));
      const mean = (key) => trials.reduce((sum, trial) => sum + trial[key], 0) / repeats;
      return { unit: `c${index}`, spent: mean('spent'), passed: mean('passed'), tried: repeats };
    });
    const { interval } = amountPerSuccess(sample);
    if (covers({ low: interval.low, high: interval.high ?? Number.POSITIVE_INFINITY }, truth)) covered++;
  }
  return { title, coverage: covered / replications, wide };
}

function perSuccessOf(drawCase, drawTrial) {
  const draw = new Draw(99);
  let [spent, passed] = [0, 0];
  for (let index = 0; index < 400_000; index++) {
    const trial = drawTrial(draw, drawCase(draw));
    spent += trial.spent;
    passed += trial.passed;
  }
  return spent / passed;
}

export const sections = [
  { title: 'Ranks and the best of many variants', designs: rankDesigns, measure: measureRanks },
  { title: 'Cost per success', designs: perSuccessDesigns, measure: measurePerSuccess },
];
