import { compareOne, Draw, logistic, pair, source, usualEase } from './draw.mjs';

const { caseDrops } = await source('shared/stats/broken-cases.ts');

/** Passed and failed trials of a case before and now; broken ones pass with another chance now. */
function tallies(draw, { cases, repeats, broken = 0, before = 0.95, chanceNow = 0 }) {
  const tally = (chance) => {
    const passed = draw.tries(repeats, chance).filter((value) => value === 1).length;
    return { passed, failed: repeats - passed };
  };
  return Array.from({ length: cases }, (_, index) => {
    const chance = index < broken ? before : logistic(usualEase(draw));
    return { before: tally(chance), now: tally(index < broken ? chanceNow : chance) };
  });
}

const designs = [
  { title: '10 cases x 5, nothing changed', cases: 10, repeats: 5 },
  { title: '50 cases x 5, nothing changed', cases: 50, repeats: 5 },
  { title: '200 cases x 5, nothing changed', cases: 200, repeats: 5 },
  { title: '50 cases x 20, nothing changed', cases: 50, repeats: 20 },
  { title: '50 cases x 5, one breaks', cases: 50, repeats: 5, broken: 1 },
  { title: '200 cases x 5, one goes from 5/5 to 0/5', cases: 200, repeats: 5, broken: 1, before: 1, power: 0.95 },
  { title: '50 cases x 10, one passes half as often', cases: 50, repeats: 10, broken: 1, chanceNow: 0.45 },
];

/** False: any unchanged case is called broken. Found: the case that broke is. */
function measure(design, replications, seed) {
  const { broken: changed = 0 } = design;
  const draw = new Draw(seed);
  let [alarms, found] = [0, 0];
  for (let round = 0; round < replications; round++) {
    const called = caseDrops(tallies(draw, design)).map(({ isBroken }) => isBroken);
    if (called.slice(changed).some(Boolean)) alarms++;
    if (changed > 0 && called[0]) found++;
  }
  return {
    title: design.title,
    // A rate of false discoveries, beside a case that is truly broken, is not one of false alarms.
    ...(changed === 0 && { false: alarms / replications, mostFalse: 0.05 }),
    ...(changed > 0 && { power: found / replications, leastPower: design.power }),
  };
}

/** Seven of ten cases always pass, two usually do, and one is a coin: a suite that a team keeps green. */
const steady = (draw) => (draw.isTrue(0.7) ? 1 : draw.isTrue(0.7) ? 0.9 : 0.5);
const usual = (draw) => logistic(usualEase(draw));

/**
 * The best test that there can be, which knows how flaky suites of this kind are, finds 55 % of the usual suites in which 5 % of the
 * cases break, and 80 % of the steady ones, where it is wrong in 6 % of unchanged ones (likelihood ratio, 20,000 replications): one suite of 13 has no case
 * that breaks, and of those that break one in three did not pass before.
 */
const suiteDesigns = [
  { title: '50 x 3, usual suite, nothing changed', cases: 50, repeats: 3, share: 0 },
  { title: '50 x 3, steady suite, nothing changed', cases: 50, repeats: 3, share: 0, chance: steady },
  { title: '50 x 3, suite of coins, nothing changed', cases: 50, repeats: 3, share: 0, chance: () => 0.5 },
  { title: '100 x 3, usual suite, nothing changed', cases: 100, repeats: 3, share: 0 },
  { title: '200 x 5, usual suite, nothing changed', cases: 200, repeats: 5, share: 0, mostFalse: 0.05 },
  { title: '50 x 3, steady suite, 5 % of cases break', cases: 50, repeats: 3, share: 0.05, chance: steady, power: 0.4 },
  { title: '50 x 3, usual suite, 5 % of cases break', cases: 50, repeats: 3, share: 0.05, power: 0.4 },
  { title: '20 x 10, three go from 10/10 to 0/10', cases: 20, repeats: 10, certain: 3, power: 0.95 },
];

/** The answer on these tasks, by the mean or by single cases, as CI takes it. */
function measureSuites(design, replications, seed) {
  const { title, cases, repeats, share = 0, certain = 0, chance = usual, power, mostFalse = 0.06 } = design;
  const draw = new Draw(seed);
  let worse = 0;
  for (let round = 0; round < replications; round++) {
    const pairs = Array.from({ length: cases }, (_, index) => {
      const isCertain = index < certain;
      const before = isCertain ? 1 : chance(draw);
      const after = isCertain || draw.isTrue(share) ? 0 : before;
      const place = { caseId: `c${index}` };
      return pair('pass-rate', place, draw.tries(repeats, before), draw.tries(repeats, after));
    });
    const tally = ({ passed, failed }) => ({ passed, failed });
    const drops = caseDrops(pairs.map(({ a, b }) => ({ before: tally(a), now: tally(b) })));
    const { answer } = compareOne('pass-rate', pairs).onTheseTasks;
    if (answer === 'worse' || drops.some(({ isBroken }) => isBroken)) worse++;
  }
  const rate = worse / replications;
  return power === undefined ? { title, false: rate, mostFalse } : { title, power: rate, leastPower: power };
}

export const sections = [
  { title: 'Cases that are called broken', designs, measure },
  { title: 'Suites that are worse on these tasks', designs: suiteDesigns, measure: measureSuites },
];
