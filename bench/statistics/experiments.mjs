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
const broken = (share) => (draw) => {
  const chance = logistic(usualEase(draw) + 2);
  return [chance, draw.isTrue(share) ? 0 : chance];
};

/** Designs of experiments; `trials` is the largest share of a fixed plan that may be used on average. */
const experimentDesigns = [
  {
    title: '6 cases, up to 10 repeats, nothing changed',
    cases: 6,
    repeats: 10,
    chances: unchanged,
    truth: 0,
    wide: always,
  },
  { title: '20 cases, up to 10, nothing changed', cases: 20, repeats: 10, chances: unchanged, truth: 0, wide: always },
  {
    title: '20 cases, up to 20 in ten looks, nothing changed',
    cases: 20,
    repeats: 20,
    chances: unchanged,
    truth: 0,
    wide: always,
  },
  { title: '50 cases, up to 10, nothing changed', cases: 50, repeats: 10, chances: unchanged, truth: 0, wide: always },
  {
    title: '50 cases, up to 20 in ten looks, nothing changed',
    cases: 50,
    repeats: 20,
    chances: unchanged,
    truth: 0,
    wide: always,
  },
  {
    title: '50 cases, up to 10, cases gain and lose 35 points',
    cases: 50,
    repeats: 10,
    chances: scattered,
    truth: 0,
    wide: always,
  },
  { title: '200 cases, up to 4, nothing changed', cases: 200, repeats: 4, chances: unchanged, truth: 0, wide: always },
  { title: '50 cases, up to 10, a drop of 4.3 points', cases: 50, repeats: 10, chances: harder(0.35), wide: always },
  {
    title: '50 cases, up to 10, a drop of 9.4 points',
    cases: 50,
    repeats: 10,
    chances: harder(0.75),
    wide: always,
    power: 0.9,
    trials: 0.6,
  },
  {
    title: '50 cases, up to 10, a drop of 20 points',
    cases: 50,
    repeats: 10,
    chances: harder(1.6),
    wide: always,
    power: 0.98,
    trials: 0.4,
  },
  {
    title: '200 cases, up to 10, a drop of 9.4 points',
    cases: 200,
    repeats: 10,
    chances: harder(0.75),
    wide: always,
    power: 0.98,
    trials: 0.4,
  },
  {
    title: '100 cases, up to 10, 8 % of cases broke',
    cases: 100,
    repeats: 10,
    chances: broken(0.08),
    wide: always,
    power: 0.6,
  },
];

/** How often an experiment ended wrongly, whether its last interval held the truth, and how many trials it took. */
function measureExperiments(design, replications, seed) {
  const { title, cases, repeats, chances, wide, power: leastPower, trials: mostTrials } = design;
  const draw = new Draw(seed);
  const truth = design.truth ?? differenceOf(chances);
  const rounds = roundSizes(repeats);
  const levels = roundLevels(rounds, errorRate);
  const plan = rounds.map((size, round) => ({ size, level: levels[round] }));
  const counts = { false: 0, right: 0, covered: 0, noDifference: 0, trials: 0 };
  for (let round = 0; round < replications; round++) {
    const { answer, interval, trials } = experiment(draw, cases, plan, chances);
    if (isDecided(answer)) counts[(answer === 'better') === truth > 0 && truth !== 0 ? 'right' : 'false']++;
    if (answer === 'no-difference' && Math.abs(truth) >= 0.05) counts.noDifference++;
    if (covers(interval, truth)) counts.covered++;
    counts.trials += trials / (2 * cases * repeats);
  }
  return {
    title,
    false: counts.false / replications,
    coverage: counts.covered / replications,
    noDifference: Math.abs(truth) >= 0.05 ? counts.noDifference / replications : undefined,
    power: truth === 0 ? undefined : counts.right / replications,
    trials: counts.trials / replications,
    mostTrials,
    leastPower,
    wide,
  };
}

function differenceOf(chances) {
  return truthOf((draw) => {
    const [before, after] = chances(draw);
    return after - before;
  });
}

/** One experiment with two variants, as the program runs it. */
function experiment(draw, count, plan, chances) {
  const cases = Array.from({ length: count }, () => ({ chances: chances(draw), seen: [[], []], counted: [[], []] }));
  let trials = 0;
  let last;
  for (const { size, level } of plan) {
    for (const one of cases) {
      const tried = count >= 6 && isSettled(one.seen) ? 1 : size;
      trials += 2 * tried;
      for (const side of [0, 1]) {
        for (const value of draw.tries(tried, one.chances[side])) {
          one.seen[side].push(value);
          for (let copy = 0; copy < size / tried; copy++) one.counted[side].push(value);
        }
      }
    }
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
  { title: 'Experiments, looked at after each round', designs: experimentDesigns, measure: measureExperiments },
];
