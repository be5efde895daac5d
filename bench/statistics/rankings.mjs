import { covers, Draw, logistic, mean, source } from './draw.mjs';

const { bradleyTerry } = await source('shared/stats/bradley-terry.ts');
const { comparePairs } = await source('shared/stats/compare-pairs.ts');

/** What a judge says of two answers to one case, ties included; each answer has its luck. */
function points(draw, difference, tieShare) {
  if (draw.isTrue(tieShare)) return 0.5;
  return draw.isTrue(logistic(difference)) ? 1 : 0;
}

function rounds(draw, { cases, strengths, spread, ties }) {
  const contests = [];
  for (let index = 0; index < cases; index++) {
    const own = strengths.map((strength) => strength + spread * draw.normal());
    for (let first = 0; first < own.length; first++) {
      for (let second = 0; second < first; second++) {
        contests.push({ unit: `c${index}`, first, second, points: points(draw, own[first] - own[second], ties) });
      }
    }
  }
  return contests;
}

function trueShares({ strengths, spread, ties }) {
  const draw = new Draw(99);
  const count = 40_000;
  return strengths.map((own, index) =>
    mean(
      strengths.flatMap((other, place) => {
        if (place === index) return [];
        let sum = 0;
        for (let round = 0; round < count; round++) {
          sum += logistic(own - other + spread * (draw.normal() - draw.normal()));
        }
        return [ties / 2 + (1 - ties) * (sum / count)];
      }),
    ),
  );
}

const few = 'few cases: wide quantiles, and a little of each ending beforehand';
const designs = [
  { title: '2 variants, 8 cases', cases: 8, strengths: [0, 0.8], spread: 0.5, ties: 0.2, wide: few },
  { title: '3 variants, 6 cases', cases: 6, strengths: [0, 0.5, 1], spread: 0.5, ties: 0.2, wide: few },
  { title: '3 variants, 20 cases', cases: 20, strengths: [0, 0.5, 1], spread: 0.5, ties: 0.2 },
  { title: '4 alike, 10 cases', cases: 10, strengths: [0, 0, 0, 0], spread: 0.5, ties: 0.2 },
  { title: '4 alike, 20 cases, cases differ much', cases: 20, strengths: [0, 0, 0, 0], spread: 2, ties: 0.2 },
  { title: '5 variants, 50 cases', cases: 50, strengths: [0, 0.4, 0.8, 1.2, 1.6], spread: 1, ties: 0.2 },
  {
    title: '4 variants, one nearly always wins, 20 cases',
    cases: 20,
    strengths: [0, 0, 0, 4],
    spread: 0.5,
    ties: 0.05,
    power: 0.95,
  },
  {
    title: '3 variants, clear order, 10 cases',
    cases: 10,
    strengths: [0, 3, 6],
    spread: 0.3,
    ties: 0.05,
    wide: few,
    power: 0.75,
  },
];

/** The variant that is better than every other at a level for all pairs, as the program decides it. */
function leaderOf(contests, count) {
  const level = 0.05 / ((count * (count - 1)) / 2);
  const isBetter = (own, other) => {
    const met = contests.filter(({ first, second }) => [first, second].every((one) => one === own || one === other));
    const cases = met.map(({ unit, first, points }) => {
      const share = first === own ? points : 1 - points;
      return { unit, a: [1 - share], b: [share] };
    });
    return comparePairs(cases, { largestDifference: 1, level }).interval.low > 0;
  };
  const all = Array.from({ length: count }, (_, index) => index);
  return all.find((own) => all.every((other) => other === own || isBetter(own, other)));
}

/** False: a leader that is not the best, or not the only one. */
function measure(design, replications, seed) {
  const { title, strengths, wide, power: leastPower } = design;
  const draw = new Draw(seed);
  const truth = trueShares(design);
  const best = Math.max(...strengths);
  const isAlone = strengths.filter((strength) => strength === best).length === 1;
  const counts = { covered: 0, right: 0, false: 0 };
  for (let round = 0; round < replications; round++) {
    const contests = rounds(draw, design);
    const found = bradleyTerry(contests, strengths.length);
    counts.covered += mean(found.map(({ interval }, index) => (covers(interval, truth[index]) ? 1 : 0)));
    const leader = leaderOf(contests, strengths.length);
    if (leader !== undefined) counts[isAlone && strengths[leader] === best ? 'right' : 'false']++;
  }
  return {
    title,
    false: counts.false / replications,
    coverage: counts.covered / replications,
    power: isAlone ? counts.right / replications : undefined,
    leastPower,
    wide,
  };
}

export const sections = [{ title: 'Rankings of variants by a judge', designs, measure }];
