import { covers, Draw, isDecided, logistic, mean, source, usualEase } from './draw.mjs';

const { amountPerSuccess } = await source('shared/stats/per-success.ts');
const { studentQuantile } = await source('shared/stats/distributions.ts');
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
    ...{
      judges: new Map(),
      toolPins: new Map(),
      controls: new Map(),
      agents: new Map(),
      subcommands: new Map(),
      diagnosed: [],
    },
    ...{ unusable: new Map(), missing: new Map() },
  };
}

/** How often a rank range, or the statement which variant is the best, may be wrong. */
const mostFalse = 0.05;

const steps = [0, 0.6, 1.2, 1.8];

const rankDesigns = [
  { title: '4 alike, 20 cases x 5', shifts: [0, 0, 0, 0], cases: 20, repeats: 5 },
  { title: '10 alike, 20 cases x 5', shifts: Array(10).fill(0), cases: 20, repeats: 5 },
  { title: '6 alike, 100 cases x 1', shifts: Array(6).fill(0), cases: 100, repeats: 1 },
  { title: '4, one better by 17 points, 50 cases x 5', shifts: [0, 1.6, 0, 0], cases: 50, repeats: 5, leastPower: 0.9 },
  { title: '4 in steps of 5 to 7 points, 50 cases x 5', shifts: steps, cases: 50, repeats: 5 },
  { title: '4 in steps of 5 to 7 points, as planned, x 5', shifts: steps, cases: 'planned', repeats: 5 },
  { title: '4, two alike at the top, 50 cases x 5', shifts: [0, 0, 1.2, 1.2], cases: 50, repeats: 5 },
  {
    title: '6 with cases that gain and lose, 50 cases x 5',
    shifts: Array(6).fill(0),
    cases: 50,
    repeats: 5,
    scatter: 1.5,
  },
];

/** Tables of variants that differ by shifts of how easy cases are for them. */
function* tablesOf({ shifts, repeats, scatter = 0 }, cases, replications, seed) {
  const draw = new Draw(seed);
  for (let round = 0; round < replications; round++) {
    const eases = Array.from({ length: cases }, () => usualEase(draw));
    const sides = shifts.map((shift, index) =>
      side(
        `v${index}`,
        eases.map((ease) => draw.tries(repeats, logistic(ease + shift + scatter * draw.normal()))),
      ),
    );
    yield compareVariants(sides, { by: 'guidance', only: ['pass-rate'] });
  }
}

/** How often the rank of a variant is wrong, the best is left out, or one is called the best that is not alone the best. */
function measureRanks(design, replications, seed) {
  const { title, shifts, leastPower } = design;
  const isPlanned = design.cases === 'planned';
  const plan = isPlanned ? plannedCases(design) : undefined;
  const labels = shifts.map((_, index) => `v${index}`);
  const top = Math.max(...shifts);
  const best = labels.filter((_, index) => shifts[index] === top);
  const counts = { missed: 0, rank: 0, named: 0, found: 0 };
  for (const table of tablesOf(design, plan ?? design.cases, replications, seed)) {
    const named = table.best.labels;
    counts.missed += best.filter((label) => !named.includes(label)).length / best.length;
    counts.rank += wrongRanks(table, labels, shifts) / labels.length;
    if (named.length === 1) counts[best.length === 1 && named[0] === best[0] ? 'found' : 'named']++;
  }
  const share = (count) => count / replications;
  return {
    title,
    false: Math.max(share(counts.missed), share(counts.rank), share(counts.named)),
    mostFalse,
    ...(best.length === 1 && { [isPlanned ? 'delivered' : 'power']: share(counts.found), leastPower }),
    ...(isPlanned && { note: `${plan} cases` }),
  };
}

/**
 * The cases with which a paired test has 80 % power to tell the best variant from the second, at the level at which each
 * variant is compared with the k - 1 others: the textbook's formula, with the spread of this world.
 */
function plannedCases({ shifts, repeats }) {
  const [best, second] = shifts.toSorted((a, b) => b - a);
  const draw = new Draw(99);
  const share = (chance) => mean(draw.tries(repeats, chance));
  const differences = Array.from({ length: 200_000 }, () => {
    const ease = usualEase(draw);
    return share(logistic(ease + best)) - share(logistic(ease + second));
  });
  const difference = mean(differences);
  const variance = mean(differences.map((each) => (each - difference) ** 2));
  const quantile = (chance) => studentQuantile(2 * chance - 1, 1e6);
  const reach = quantile(1 - mostFalse / (shifts.length - 1) / 2) + quantile(0.8);
  return Math.ceil((reach ** 2 * variance) / difference ** 2);
}

function wrongRanks({ variants }, labels, shifts) {
  return variants.filter(({ label, rank }) => {
    const own = shifts[labels.indexOf(label)];
    const better = shifts.filter((shift) => shift > own).length;
    const worse = shifts.filter((shift) => shift < own).length;
    return rank.best > better + 1 || rank.worst < shifts.length - worse;
  }).length;
}

/** Differences to the reference are those of `assay compare`, which has the same limit. */
const differenceDesigns = rankDesigns.filter(({ shifts }) => new Set(shifts).size < shifts.length);

/** How often any difference to the reference is wrong. */
function measureDifferences(design, replications, seed) {
  const { title, shifts } = design;
  const labels = shifts.map((_, index) => `v${index}`);
  let wrong = 0;
  for (const table of tablesOf(design, design.cases, replications, seed)) {
    if (hasFalseDifference(table, labels, shifts)) wrong++;
  }
  return { title, false: wrong / replications };
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
      const meanOf = (key) => mean(trials.map((trial) => trial[key]));
      return { unit: `c${index}`, spent: meanOf('spent'), passed: meanOf('passed'), tried: repeats };
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
  { title: 'Differences of many variants to the reference', designs: differenceDesigns, measure: measureDifferences },
  { title: 'Cost per success', designs: perSuccessDesigns, measure: measurePerSuccess },
];
