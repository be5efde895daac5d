import { answerOf, comparePairs, type PairedCase } from '../compare-pairs.ts';
import { seededRandom } from '../seeded-random.ts';

/** A suite as it could be: how many cases, how often each is tried, and what the change under test does to them. */
export interface SimulatedSuite {
  readonly cases: number;
  readonly repeats: number;
  /** How much harder every case becomes, on the logistic scale; 0 changes nothing. */
  readonly harder: number;
  /** How much single cases gain or lose by chance, in points, with no change on the whole. */
  readonly scatter: number;
}

export interface SimulationResult {
  /** The true mean difference over all cases that there could be. */
  readonly trueDifference: number;
  readonly covered: number;
  readonly better: number;
  readonly worse: number;
  /** What comparing two averages by their sign alone would have called worse. */
  readonly naiveAlarms: number;
}

const smallestDifference = 0.05;
/** Cases that nearly always pass, some that hardly ever do, and few between them: pass rates as suites have them. */
const usualEase = 1.2;
const easeSpread = 2.5;

/** Draws suites, compares each with its changed self, and counts how often the comparison was right. */
export function simulateComparisons(suite: SimulatedSuite, replications: number, seed: number): SimulationResult {
  const random = seededRandom(seed);
  const trueDifference = meanDifference(suite, seed);
  const counts = { covered: 0, better: 0, worse: 0, naiveAlarms: 0 };
  for (let round = 0; round < replications; round++) {
    const cases = Array.from({ length: suite.cases }, () => drawCase(suite, random));
    const found = comparePairs(cases, { smallestDifference, largestDifference: 1 });
    if (!found) continue;
    const answer = answerOf(found, found.pValue, { smallestDifference, isHigherBetter: true });
    if (answer === 'better' || answer === 'worse') counts[answer]++;
    const { interval } = found;
    if (interval && interval.low <= trueDifference && trueDifference <= interval.high) counts.covered++;
    if (found.difference < 0) counts.naiveAlarms++;
  }
  const share = (count: number): number => count / replications;
  return {
    trueDifference,
    covered: share(counts.covered),
    better: share(counts.better),
    worse: share(counts.worse),
    naiveAlarms: share(counts.naiveAlarms),
  };
}

function drawCase(suite: SimulatedSuite, random: () => number): PairedCase {
  const { before, after } = drawChances(suite, random);
  const tries = (chance: number): number[] => Array.from({ length: suite.repeats }, () => (random() < chance ? 1 : 0));
  return { a: tries(before), b: tries(after) };
}

function drawChances({ harder, scatter }: SimulatedSuite, random: () => number) {
  const ease = usualEase + easeSpread * standardNormal(random);
  const shift = scatter === 0 ? 0 : random() < 0.5 ? scatter : -scatter;
  const before = logistic(ease);
  // A case that cannot gain that much cannot lose as much either, so that nothing changes on the whole.
  const room = Math.min(Math.abs(shift), before, 1 - before);
  return { before, after: logistic(ease - harder) + Math.sign(shift) * room };
}

function meanDifference(suite: SimulatedSuite, seed: number): number {
  const random = seededRandom(seed + 1);
  const draws = 200_000;
  let sum = 0;
  for (let draw = 0; draw < draws; draw++) {
    const { before, after } = drawChances({ ...suite, scatter: 0 }, random);
    sum += after - before;
  }
  return sum / draws;
}

function logistic(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

function standardNormal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
