import { covers, Draw, isDecided, logistic, source, truthOf, usualEase } from './draw.mjs';

const { errorRate, roundSizes, roundLevels, isSettled } = await source('report/compare/experiment-rounds.ts');
const { comparePairs } = await source('shared/stats/compare-pairs.ts');
const { answerOf } = await source('shared/stats/answer.ts');

const question = { smallestDifference: 0.05, isHigherBetter: true };
const always = 'holds at every look';

const unchanged = (draw) => {
  const chance = logistic(usualEase(draw));
  return [chance, chance];
};
const scattered = (draw) => {
  const before = logistic(usualEase(draw));
  const room = Math.min(0.35, before, 1 - before);
  return [before, before + (draw.isTrue(0.5) ? room : -room)];
};
const harder = (by) => (draw) => {
  const ease = usualEase(draw);
  return [logistic(ease), logistic(ease - by)];
};
/** How much harder all cases become, for a pass rate that is 10 points lower. */
const tenPoints = 0.794;
const broken = (share) => (draw) => {
  const chance = logistic(usualEase(draw) + 2);
  return [chance, draw.isTrue(share) ? 0 : chance];
};

/** Up to so many repeats lead to so many looks (`roundSizes`). */
const repeatsByLooks = { 1: 1, 2: 2, 4: 4, 5: 10, 10: 20 };

/** Why an interval may hold the truth more often than in 97 %. */
function wideness(looks, cases) {
  if (looks > 1) return always;
  return cases <= 20 ? 'one repeat of few cases: most are alike' : undefined;
}

/** Nothing changed: each size of suite with each number of looks. */
const falseDecisionDesigns = [6, 20, 50, 200].flatMap((cases) =>
  Object.entries(repeatsByLooks).map(([looks, repeats]) => ({
    title: `${cases} cases, looks: ${looks}, nothing changed`,
    cases,
    repeats,
    chances: unchanged,
    truth: 0,
    wide: wideness(Number(looks), cases),
  })),
);

const gainAndLose = [20, 50, 200].flatMap((cases) =>
  [1, 5, 10].map((looks) => ({
    title: `${cases} cases, looks: ${looks}, cases gain and lose 35 points`,
    cases,
    repeats: repeatsByLooks[looks],
    chances: scattered,
    truth: 0,
    wide: wideness(looks, cases),
  })),
);

/**
 * Something changed. `trials` is the largest share of a fixed plan that may be used on average: stated where the fixed
 * plan itself is large enough to find the change.
 */
const changeDesigns = [
  { title: '50 cases, up to 10, a drop of 4.3 points', cases: 50, repeats: 10, chances: harder(0.35) },
  { title: '20 cases, up to 20, a drop of 10 points', cases: 20, repeats: 20, chances: harder(tenPoints) },
  { title: '50 cases, up to 4, a drop of 10 points', cases: 50, repeats: 4, chances: harder(tenPoints) },
  {
    title: '50 cases, up to 10, a drop of 10 points',
    cases: 50,
    repeats: 10,
    chances: harder(tenPoints),
    power: 0.9,
    trials: 0.6,
  },
  {
    title: '50 cases, up to 20, a drop of 10 points',
    cases: 50,
    repeats: 20,
    chances: harder(tenPoints),
    power: 0.9,
    trials: 0.6,
  },
  {
    title: '100 cases, up to 10, a drop of 10 points',
    cases: 100,
    repeats: 10,
    chances: harder(tenPoints),
    power: 0.95,
    trials: 0.6,
  },
  {
    title: '200 cases, up to 10, a drop of 10 points',
    cases: 200,
    repeats: 10,
    chances: harder(tenPoints),
    power: 0.98,
    trials: 0.4,
  },
  {
    title: '50 cases, up to 10, a drop of 20 points',
    cases: 50,
    repeats: 10,
    chances: harder(1.6),
    power: 0.98,
    trials: 0.4,
  },
  { title: '100 cases, up to 10, 8 % of cases broke', cases: 100, repeats: 10, chances: broken(0.08), power: 0.6 },
].map((design) => ({ ...design, wide: always }));

/**
 * How often an experiment ended wrongly, whether its last interval held the truth, and how many trials it took; beside
 * it, whether the interval of a fixed plan holds the truth, which is looked at once.
 */
function measureExperiments(design, replications, seed) {
  const { title, cases, repeats, chances, wide, power: leastPower, trials: mostTrials } = design;
  const draw = new Draw(seed);
  const truth = design.truth ?? differenceOf(chances);
  const rounds = roundSizes(repeats);
  const levels = roundLevels(rounds, errorRate);
  const plan = rounds.map((size, round) => ({ size, level: levels[round] }));
  const counts = { false: 0, right: 0, covered: 0, noDifference: 0, trials: 0, fixed: 0, fixedCovered: 0 };
  for (let round = 0; round < replications; round++) {
    const { answer, interval, trials } = experiment(draw, cases, plan, chances);
    if (isDecided(answer)) counts[(answer === 'better') === truth > 0 && truth !== 0 ? 'right' : 'false']++;
    if (answer === 'no-difference' && Math.abs(truth) >= 0.05) counts.noDifference++;
    if (covers(interval, truth)) counts.covered++;
    counts.trials += trials / (2 * cases * repeats);
    const fixed = fixedPlan(draw, cases, repeats, chances);
    if (isDecided(fixed.answer)) counts.fixed++;
    if (covers(fixed.interval, truth)) counts.fixedCovered++;
  }
  return {
    title,
    false: counts.false / replications,
    mostFalse: 0.05,
    coverage: counts.covered / replications,
    fixedCoverage: counts.fixedCovered / replications,
    noDifference: Math.abs(truth) >= 0.05 ? counts.noDifference / replications : undefined,
    power: truth === 0 ? undefined : counts.right / replications,
    trials: counts.trials / replications,
    mostTrials,
    leastPower,
    wide,
    fixedPower: counts.fixed / replications,
    note: truth === 0 ? undefined : `the fixed plan finds ${((100 * counts.fixed) / replications).toFixed(1)} %`,
  };
}

/** An experiment on a drop of 10 points. */
export function measureTenPoints(design, replications) {
  return measureExperiments({ ...design, chances: harder(tenPoints) }, replications, 1);
}

/** All repeats of the plan without a look before the end, as `assay compare` answers. */
function fixedPlan(draw, count, repeats, chances) {
  const pairs = Array.from({ length: count }, (_, index) => {
    const [before, after] = chances(draw);
    return { unit: `c${index}`, a: draw.tries(repeats, before), b: draw.tries(repeats, after) };
  });
  const found = comparePairs(pairs, { largestDifference: 1 });
  return { answer: answerOf(found, question), interval: found.interval };
}

function differenceOf(chances) {
  return truthOf((draw) => {
    const [before, after] = chances(draw);
    return after - before;
  });
}

/** A case of an experiment: chances, all trials, and trials as they count. */
function openCase(chances) {
  return { chances, seen: chances.map(() => []), counted: chances.map(() => []) };
}

/** One more round of all arms; gives the number of trials. */
function runRound(draw, cases, size) {
  let trials = 0;
  for (const one of cases) {
    const tried = cases.length >= 6 && isSettled(one.seen) ? 1 : size;
    trials += one.chances.length * tried;
    for (const [arm, chance] of one.chances.entries()) {
      for (const value of draw.tries(tried, chance)) {
        one.seen[arm].push(value);
        for (let copy = 0; copy < size / tried; copy++) one.counted[arm].push(value);
      }
    }
  }
  return trials;
}

/** Designs of several arms that are all the same. */
const identicalArms = [3, 4, 6].map((arms) => ({
  title: `${arms} identical arms, 20 cases, up to 5 repeats`,
  ...{ arms, cases: 20, repeats: 5 },
}));

/** How often any arm is decided against the reference, at the level that the program gives to each. */
function measureArms({ title, arms, cases: count, repeats }, replications, seed) {
  const draw = new Draw(seed);
  const rounds = roundSizes(repeats);
  const levels = roundLevels(rounds, errorRate / (arms - 1));
  let wrong = 0;
  for (let round = 0; round < replications; round++) {
    const cases = Array.from({ length: count }, () => openCase(Array(arms).fill(logistic(usualEase(draw)))));
    if (rounds.some((size, place) => isAnyArmDecided(draw, cases, size, levels[place]))) wrong++;
  }
  return { title, false: wrong / replications, mostFalse: 0.05 };
}

function isAnyArmDecided(draw, cases, size, level) {
  runRound(draw, cases, size);
  return cases[0].chances.some((_, arm) => {
    if (arm === 0) return false;
    const pairs = cases.map(({ counted }, index) => ({ unit: `c${index}`, a: counted[0], b: counted[arm] }));
    return isDecided(answerOf(comparePairs(pairs, { largestDifference: 1, level }), question));
  });
}

/** One experiment with two variants, as the program runs it. */
function experiment(draw, count, plan, chances) {
  const cases = Array.from({ length: count }, () => openCase(chances(draw)));
  let trials = 0;
  let last;
  for (const { size, level } of plan) {
    trials += runRound(draw, cases, size);
    const pairs = cases.map(({ counted }, index) => ({ unit: `c${index}`, a: counted[0], b: counted[1] }));
    const found = comparePairs(pairs, { largestDifference: 1, level });
    const { interval } = found;
    const answer = answerOf(found, question);
    last = { answer, interval, trials };
    if (answer !== 'not-enough-data') break;
  }
  return last;
}

export const sections = [
  {
    title: 'Experiments in which nothing changed',
    designs: [...falseDecisionDesigns, ...gainAndLose],
    measure: measureExperiments,
  },
  { title: 'Experiments with several identical arms', designs: identicalArms, measure: measureArms },
  { title: 'Experiments in which something changed', designs: changeDesigns, measure: measureExperiments },
];
