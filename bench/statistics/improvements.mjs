import { Draw, logistic, pair, source, usualEase } from './draw.mjs';

const { roundSizes, roundLevels, isSettled } = await source('report/compare/experiment-rounds.ts');
const { compareHeldOut, heldOutRepeats, stepErrorRate } = await source('report/compare/held-out.ts');
const { comparePairs } = await source('shared/stats/compare-pairs.ts');
const { answerOf } = await source('shared/stats/answer.ts');

const question = { smallestDifference: 0.05, isHigherBetter: true };
const repeats = 10;
const mostSteps = 3;

/** Ideas change how easy a case is: by the same amount in each case, or by another in each. */
const useless = { training: () => 0, heldOut: () => 0 };
const scattered = { training: (draw) => 2 * draw.normal(), heldOut: (draw) => 2 * draw.normal() };
const helpful = (by) => ({ training: () => by, heldOut: () => by, isGood: true });
/** Gains 29 points on the training cases and loses 13 on all others, as an idea does that holds their answers. */
const overfitted = { training: () => 2.5, heldOut: () => -1 };

const many = (count, idea) => Array.from({ length: count }, () => idea);

/** `ideas` are those of the first step; all further steps have useless ones. */
export const improvementDesigns = [
  { title: '8 training, 4 held out, 5 useless ideas', training: 8, heldOut: 4, ideas: many(5, useless) },
  { title: '20 training, 10 held out, 10 useless ideas', training: 20, heldOut: 10, ideas: many(10, useless) },
  { title: '60 training, 25 held out, 10 useless ideas', training: 60, heldOut: 25, ideas: many(10, useless) },
  {
    title: '20 training, 10 held out, 10 of mixed effect',
    training: 20,
    heldOut: 10,
    ideas: many(10, scattered),
  },
  { title: '20 training, 10 held out, 5 overfitted ideas', training: 20, heldOut: 10, ideas: many(5, overfitted) },
  {
    title: '20 training, 10 held out, 1 of 10 gives +29 points',
    training: 20,
    heldOut: 10,
    ideas: [...many(9, useless), helpful(2.5)],
    power: 0.7,
  },
  {
    title: '40 training, 17 held out, 1 of 10 gives +19 points',
    training: 40,
    heldOut: 17,
    ideas: [...many(9, useless), helpful(1.5)],
    power: 0.7,
  },
  {
    title: '60 training, 25 held out, 1 of 10 gives +13 points',
    training: 60,
    heldOut: 25,
    ideas: [...many(9, useless), helpful(1)],
    power: 0.7,
  },
  // Smaller gains: how often they are found, without a promise.
  ...[
    { training: 20, heldOut: 10, by: 1, points: 13 },
    { training: 60, heldOut: 25, by: 0.772, points: 10 },
    { training: 60, heldOut: 25, by: 0.537, points: 7 },
    { training: 60, heldOut: 25, by: 0.383, points: 5 },
    { training: 150, heldOut: 50, by: 0.772, points: 10 },
    { training: 150, heldOut: 50, by: 0.383, points: 5 },
  ].map(({ training, heldOut, by, points }) => ({
    title: `${training} training, ${heldOut} held out, 1 of 10 gives +${points} points`,
    training,
    heldOut,
    ideas: [...many(9, useless), helpful(by)],
  })),
  {
    title: '20 training, 10 held out, +29 among 9 overfitted',
    training: 20,
    heldOut: 10,
    ideas: [...many(9, overfitted), helpful(2.5)],
  },
];

/** How often an improvement kept an idea that does not help, found the one that does, and how many trials it took. */
function measureImprovements({ title, training, heldOut, ideas, power }, replications, seed) {
  const draw = new Draw(seed);
  const counts = { false: 0, found: 0, trials: 0 };
  for (let replication = 0; replication < replications; replication++) {
    const { kept, trials } = improvement(draw, { training, heldOut, ideas });
    if (kept.some(({ isGood }) => !isGood)) counts.false++;
    if (kept.some(({ isGood }) => isGood)) counts.found++;
    counts.trials += trials / ((training * repeats + heldOut * heldOutRepeats(heldOut)) * (ideas.length + 1));
  }
  const hasGood = ideas.some(({ isGood }) => isGood);
  return {
    title,
    false: counts.false / replications,
    mostFalse: 0.05,
    power: hasGood ? counts.found / replications : undefined,
    leastPower: power,
    trials: counts.trials / replications,
  };
}

export const sections = [
  { title: 'Improvements: ideas that were kept', designs: improvementDesigns, measure: measureImprovements },
];

/** One improvement of up to three steps, as the program carries it out. */
function improvement(draw, { training, heldOut, ideas }) {
  const eases = { training: easesOf(draw, training), heldOut: easesOf(draw, heldOut) };
  const kept = [];
  let trials = 0;
  for (let step = 1; step <= mostSteps; step++) {
    const proposed = step === 1 ? ideas : many(ideas.length, useless);
    const tried = tryIdeas(draw, eases.training, proposed, step);
    trials += tried.trials;
    const better = tried.arms.filter(({ answer }) => answer === 'better').sort((a, b) => b.difference - a.difference);
    let best;
    for (const candidate of better) {
      const shifts = eases.heldOut.map(() => candidate.idea.heldOut(draw));
      const confirmed = confirm(draw, eases.heldOut, shifts, better.length);
      trials += confirmed.trials;
      if (confirmed.result !== 'gained') continue;
      best = { ...candidate, heldOutShifts: shifts };
      break;
    }
    if (!best) break;
    kept.push(best.idea);
    eases.training = eases.training.map((ease, index) => ease + best.shifts[index]);
    eases.heldOut = eases.heldOut.map((ease, index) => ease + best.heldOutShifts[index]);
  }
  return { kept, trials };
}

function easesOf(draw, count) {
  return Array.from({ length: count }, () => usualEase(draw) - 1.2);
}

const rounds = roundSizes(repeats);
const levelsByRate = new Map();

/** Computed once for each rate. */
function levelsOf(rate) {
  const levels = levelsByRate.get(rate) ?? roundLevels(rounds, rate);
  levelsByRate.set(rate, levels);
  return levels;
}

/** The experiment of one step: the reference and all ideas, with a look after each round. */
function tryIdeas(draw, eases, ideas, step) {
  const levels = levelsOf(stepErrorRate(step) / ideas.length);
  const own = (ease) => ({ chance: logistic(ease), seen: [], counted: [] });
  const reference = eases.map(own);
  const arms = ideas.map((idea) => {
    const shifts = eases.map(() => idea.training(draw));
    return { idea, shifts, cases: eases.map((ease, index) => own(ease + shifts[index])), answer: 'not-enough-data' };
  });
  let trials = 0;
  for (const [round, size] of rounds.entries()) {
    const open = arms.filter(({ answer }) => answer === 'not-enough-data');
    if (open.length === 0) break;
    for (const index of eases.keys()) {
      const sides = [reference[index], ...open.map(({ cases }) => cases[index])];
      const isAtRest = eases.length >= 6 && isSettled(sides.map(({ seen }) => seen));
      for (const side of sides) trials += addTrials(draw, side, isAtRest ? 1 : size, size);
    }
    for (const arm of open) {
      const pairs = eases.map((_, index) => ({
        unit: `c${index}`,
        a: reference[index].counted,
        b: arm.cases[index].counted,
      }));
      const found = comparePairs(pairs, { largestDifference: 1, level: levels[round] });
      Object.assign(arm, { answer: answerOf(found, question), difference: found.difference });
    }
  }
  return { arms, trials };
}

function addTrials(draw, { chance, seen, counted }, tried, size) {
  for (const value of draw.tries(tried, chance)) {
    seen.push(value);
    for (let copy = 0; copy < size / tried; copy++) counted.push(value);
  }
  return tried;
}

function confirm(draw, eases, shifts, candidates) {
  const count = heldOutRepeats(eases.length);
  const pairs = eases.map((ease, index) =>
    pair(
      'pass-rate',
      { caseId: `h${index}` },
      draw.tries(count, logistic(ease)),
      draw.tries(count, logistic(ease + shifts[index])),
    ),
  );
  return { result: compareHeldOut(pairs, candidates)?.result, trials: 2 * count * eases.length };
}
