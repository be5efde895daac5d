import {
  compareAll,
  compareOne,
  covers,
  Draw,
  isDecided,
  logistic,
  mean,
  pair,
  pairOfFigures,
  source,
  usualEase,
} from './draw.mjs';

const { checkRegressions } = await source('report/compare/regressions.ts');
const { diagnose } = await source('report/compare/diagnosis.ts');
const { collectSide } = await source('report/compare/side-collector.ts');
const { recordsOf, sideSource } = await source('testing/fakes/compare/compared-sides.ts');
const { compareCollected } = await source('report/compare/compare-sides.ts');
const { cohenKappa } = await source('shared/stats/kappa.ts');
const { passRate } = await source('shared/stats/pass-rate.ts');
const { pairedVariance, planRepeats } = await source('shared/stats/plan-repeats.ts');
const { comparePairs } = await source('shared/stats/compare-pairs.ts');

const name = 'pass-rate';

const sideOf = (records, label) => collectSide(sideSource(label, records));

const signs = (tries) => tries.map((value) => (value === 1 ? '+' : '-')).join('');

/** An unchanged usual suite of 20 cases against its own baseline. */
function baselineAlarms(repeats) {
  return async (draw) => {
    const chances = Array.from({ length: 20 }, () => logistic(usualEase(draw)));
    const side = (label) => {
      const cases = Object.fromEntries(
        chances.map((chance, index) => [`c${index}`, signs(draw.tries(repeats, chance))]),
      );
      const gates = ({ outcome }) => ({ gates: [{ gate_type: 'works', passed: outcome === 'pass', message: '' }] });
      return sideOf(recordsOf(cases, gates), label);
    };
    return checkRegressions(await side('main'), await side('now'), {}).outcome === 'fail';
  };
}

/** Two variants of the same guidance: how often one of them is blamed for something that the other is not. */
function guidanceBlame(trials) {
  return (draw) => {
    const trial = (index) => {
      const total = 4 + Math.floor(8 * draw.random());
      const errors = draw.tries(total, 0.2).filter((value) => value === 1).length;
      const figures = { total_commands: total, error_count: errors, error_rate: errors / total };
      return {
        trialId: `t${index}`,
        repeat: index + 1,
        outcome: 'pass',
        commands: [],
        interaction: {
          ...figures,
          ...{ help_invocations: draw.tries(2, 0.4).filter(Boolean).length, retry_count: 0, retry_rate: 0 },
          ...{ first_try_success_rate: 1 - errors / total, unique_subcommands: 3, iteration_ratio: 1.2 },
          ...{ completed: true, subcommands: {} },
        },
      };
    };
    const [a, b] = [0, 1].map(() => Array.from({ length: trials }, (_, index) => trial(index)));
    const blamed = (own, others) =>
      new Set(
        diagnose(own, { others })
          .filter(({ isGood }) => !isGood)
          .map(({ pattern, title }) => pattern ?? title),
      );
    const [ofA, ofB] = [blamed(a, b), blamed(b, a)];
    return [...ofA].some((each) => !ofB.has(each)) || [...ofB].some((each) => !ofA.has(each));
  };
}

/** Ten variants that are the same; the best is held against the worst. */
function tenVariants(draw) {
  const chances = Array.from({ length: 20 }, () => logistic(usualEase(draw)));
  const variants = Array.from({ length: 10 }, () => chances.map((chance) => draw.tries(5, chance)));
  const sorted = variants.sort((a, b) => mean(a.flat()) - mean(b.flat()));
  const [worst, best] = [sorted[0], sorted[9]];
  const pairs = chances.map((_, index) => pair(name, { caseId: `c${index}` }, worst[index], best[index]));
  return isDecided(compareOne(name, pairs, { pairsOfVariants: 45 }).answer);
}

/** A coin of which the passes were taken over from an earlier run. */
async function reusedPasses(draw) {
  const cases = (isReused) => {
    const endings = Object.fromEntries(
      Array.from({ length: 36 }, (_, index) => [`c${index}`, signs(draw.tries(1, 0.5))]),
    );
    return recordsOf(endings, ({ outcome }) => ({ cachedFrom: isReused && outcome === 'pass' ? 'earlier' : null }));
  };
  const reused = cases(true).map((record) =>
    record.outcome === 'fail' && draw.isTrue(0.5) ? { ...record, outcome: 'pass' } : record,
  );
  const { metrics } = compareCollected(await sideOf(cases(false), 'a'), await sideOf(reused, 'b'), {});
  return metrics.some(({ name: figure, answer }) => figure === name && isDecided(answer));
}

/** Durations of two runs one after the other on a machine that is busier at one time: decided without a caution. */
async function drifting(draw) {
  const busy = [0.2 * draw.normal(), 0.2 * draw.normal()];
  const records = (side) =>
    recordsOf(Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`c${index}`, '+++'])), () => ({
      durationMs: 1_000 * Math.exp(busy[side] + 0.2 * draw.normal()),
    }));
  const { metrics } = compareCollected(await sideOf(records(0), 'a'), await sideOf(records(1), 'b'), {});
  const duration = metrics.find((metric) => metric.name === 'duration-ms');
  return isDecided(duration.answer) || (isDecided(duration.typical.answer) && duration.caution === null);
}

/** A gain of 1.1 points that is certain, where 5 matter: called better without saying so. */
function smallGain(draw) {
  const pairs = Array.from({ length: 60 }, (_, index) => {
    const level = 0.3 + 0.4 * draw.random();
    const scores = (shift) => Array.from({ length: 3 }, () => level + shift + 0.02 * draw.normal());
    return pair('composite-score', { caseId: `c${index}` }, scores(0), scores(0.011));
  });
  const { answer, isLessThanMatters } = compareOne('composite-score', pairs);
  return isDecided(answer) && !isLessThanMatters;
}

/** A pass rate and ten figures beside it, all unchanged: an answer to any of them, on these tasks or for others like them. */
function elevenFigures(question) {
  return (draw) => {
    const pairs = Array.from({ length: 20 }, (_, index) => {
      const chance = logistic(usualEase(draw));
      const levels = Array.from({ length: 10 }, () => 100 * Math.exp(draw.normal()));
      const side = () => ({
        [name]: draw.tries(5, chance),
        ...Object.fromEntries(
          levels.map((level, place) => [
            `metric-${place}`,
            Array.from({ length: 5 }, () => level * Math.exp(0.3 * draw.normal())),
          ]),
        ),
      });
      return pairOfFigures(`c${index}`, side(), side());
    });
    const answerOf = ({ answer, typical, onTheseTasks }) =>
      question === 'these-tasks' ? onTheseTasks.answer : (typical?.answer ?? answer);
    return compareAll(pairs).some((metric) => isDecided(answerOf(metric)));
  };
}

/** Alarms that should hardly ever be raised. */
const alarmDesigns = [
  ...[1, 3, 5, 10].map((repeats) => ({
    title: `baseline check, unchanged, 20 cases x ${repeats}`,
    isAlarm: baselineAlarms(repeats),
    replications: 1_000,
  })),
  { title: 'guidance diagnosis, two alike, 5 trials each', isAlarm: guidanceBlame(5), replications: 400 },
  { title: 'guidance diagnosis, two alike, 25 trials each', isAlarm: guidanceBlame(25), replications: 300 },
  { title: 'ten identical variants, best against worst', isAlarm: tenVariants, replications: 2_000 },
  {
    title: '11 figures, any answer on these tasks, 20 x 5',
    isAlarm: elevenFigures('these-tasks'),
    replications: 400,
  },
  {
    title: '11 figures, any answer for tasks like these, 20 x 5',
    isAlarm: elevenFigures('tasks-like-these'),
    replications: 400,
  },
  { title: 'reused passes of a coin, 36 x 1', isAlarm: reusedPasses, replications: 1_000 },
  { title: 'durations of two runs, decided without caution', isAlarm: drifting, replications: 500 },
  { title: '+1.1 points called better, where 5 matter', isAlarm: smallGain, replications: 1_000 },
];

async function measureAlarms({ title, isAlarm, replications }, seed) {
  const draw = new Draw(seed);
  let alarms = 0;
  for (let round = 0; round < replications; round++) if (await isAlarm(draw)) alarms++;
  return { title, false: alarms / replications };
}

/** One task, two guidances, 25 repeats each: error rates that differ by `change`. */
function oneTask(change) {
  return (draw) => {
    const rate = (centre) => Math.min(1, Math.max(0, Math.round(10 * (centre + 0.12 * draw.normal())) / 10));
    const rates = (centre) => Array.from({ length: 25 }, () => rate(centre));
    const { onTheseTasks } = compareOne('interaction.error_rate', [
      pair('interaction.error_rate', { caseId: 'one' }, rates(0.4), rates(0.4 + change)),
    ]);
    return { isDecided: isDecided(onTheseTasks.answer), isCovered: covers(onTheseTasks.interval, change) };
  };
}

function ofKappa(count, prevalence, kappa) {
  const both = prevalence ** 2 + kappa * prevalence * (1 - prevalence);
  const one = prevalence * (1 - prevalence) * (1 - kappa);
  return (draw) => {
    const table = [
      [0, 0],
      [0, 0],
    ];
    for (let index = 0; index < count; index++) {
      const value = draw.random();
      if (value < both) table[0][0]++;
      else if (value < both + one) table[0][1]++;
      else if (value < both + 2 * one) table[1][0]++;
      else table[1][1]++;
    }
    const found = cohenKappa(table);
    return { isDecided: false, isCovered: found === undefined || covers(found.interval, kappa) };
  };
}

function ofPassRate(cases, repeats, ease, spread, truth) {
  return (draw) => {
    const outcomes = Array.from({ length: cases }, (_, index) => {
      const tries = draw.tries(repeats, logistic(ease + spread * draw.normal()));
      const passed = tries.filter((value) => value === 1).length;
      return { caseKey: `${index}`, passed, failed: repeats - passed };
    });
    return { isDecided: false, isCovered: covers(passRate(outcomes).interval, truth) };
  };
}

const usualRate = 0.6535;

/** Intervals that should hold the truth. */
const intervalDesigns = [
  { title: 'one task, 25 trials each, nothing changed', measure: oneTask(0), replications: 600, isNull: true },
  {
    title: 'one task, 25 trials each, error rate -15 points',
    measure: oneTask(-0.15),
    replications: 600,
    leastPower: 0.9,
  },
  { title: 'kappa 0.6, 20 ratings', measure: ofKappa(20, 0.5, 0.6), replications: 1_000 },
  { title: 'kappa 0.8, 50 ratings, 70 % pass', measure: ofKappa(50, 0.7, 0.8), replications: 1_000 },
  { title: 'kappa 0.97, 100 ratings', measure: ofKappa(100, 0.5, 0.97), replications: 1_000, wide: 'nearly perfect' },
  { title: 'kappa 0.99, 50 ratings', measure: ofKappa(50, 0.5, 0.99), replications: 1_000, wide: 'nearly perfect' },
  { title: 'pass rate of a run, 20 x 5', measure: ofPassRate(20, 5, 1.2, 2.5, usualRate), replications: 4_000 },
  { title: 'pass rate of a run, 10 x 5', measure: ofPassRate(10, 5, 1.2, 2.5, usualRate), replications: 4_000 },
  { title: 'pass rate of a run, 100 x 10', measure: ofPassRate(100, 10, 1.2, 2.5, usualRate), replications: 2_000 },
];

function measureIntervals({ title, measure, replications, isNull, leastPower, wide }, seed) {
  const draw = new Draw(seed);
  const counts = { decided: 0, covered: 0 };
  for (let round = 0; round < replications; round++) {
    const found = measure(draw);
    if (found.isDecided) counts.decided++;
    if (found.isCovered) counts.covered++;
  }
  return {
    title,
    false: isNull ? counts.decided / replications : undefined,
    coverage: counts.covered / replications,
    power: leastPower === undefined ? undefined : counts.decided / replications,
    leastPower,
    wide,
  };
}

const worlds = {
  uniform: (draw) => {
    const ease = usualEase(draw);
    return [logistic(ease), logistic(ease - 0.8)];
  },
  varied: (draw) => {
    const ease = usualEase(draw);
    return [logistic(ease), logistic(ease - (draw.isTrue(0.5) ? 1.6 : 0))];
  },
  allPass: (draw) => [1, draw.isTrue(0.1) ? 0 : 1],
};

/** Plans made from what was seen, and whether so many cases then find the difference. */
const planDesigns = [
  { title: 'plan from one run, 20 x 5', world: worlds.uniform, repeats: 5, isAlone: true },
  { title: 'plan from two runs, 20 x 5', world: worlds.uniform, repeats: 5, isAlone: false },
  { title: 'plan from one run, effects vary, 20 x 5', world: worlds.varied, repeats: 5, isAlone: true },
  { title: 'plan from two runs, effects vary, 20 x 5', world: worlds.varied, repeats: 5, isAlone: false },
  { title: 'plan from one run in which all passed, 20 x 5', world: worlds.allPass, repeats: 5, isAlone: true },
];

function measurePlans({ title, world, repeats, isAlone }, replications, seed) {
  const draw = new Draw(seed);
  const suite = (count, alone) =>
    Array.from({ length: count }, (_, index) => {
      const [before, after] = world(draw);
      const b = alone ? {} : { b: draw.tries(repeats, after) };
      return { unit: `${index}`, a: draw.tries(repeats, before), ...b };
    });
  let difference = 0;
  for (let index = 0; index < 50_000; index++) {
    const [before, after] = world(draw);
    difference += (before - after) / 50_000;
  }
  let found = 0;
  for (let round = 0; round < replications; round++) {
    const { cases } = planRepeats(pairedVariance(suite(20, isAlone)), difference, repeats, true);
    const { interval } = comparePairs(suite(Math.min(cases, 2_000), false), { largestDifference: 1 });
    if (interval.high < 0) found++;
  }
  return { title, delivered: found / replications };
}

/** As many replications as the design takes for each 2,000 of the others. */
const share = (full, replications) => Math.max(100, Math.round((full * replications) / 2_000));
const scaled = (measure) => (design, replications, seed) =>
  measure({ ...design, replications: share(design.replications, replications) }, seed);

export const sections = [
  { title: 'Intervals', designs: intervalDesigns, measure: scaled(measureIntervals) },
  { title: 'Alarms when nothing has changed', designs: alarmDesigns, measure: scaled(measureAlarms) },
  {
    title: 'Power of plans that promise 80 %',
    designs: planDesigns,
    measure: (design, replications, seed) => measurePlans(design, share(400, replications), seed),
  },
];
