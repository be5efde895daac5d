import { Draw, source } from './draw.mjs';

const { findDrift } = await source('report/compare/drift.ts');

const errorRate = 0.05;
const looks = 100;

/** Sessions of one to three traces; the traces of one have the same chance, which differs between sessions. */
function sessions(draw, count, chance, spread) {
  return Array.from({ length: count }, () => {
    const own = Math.min(1, Math.max(0, chance + spread * (draw.isTrue(0.5) ? 1 : -1)));
    const traces = 1 + Math.floor(draw.random() * 3);
    const passes = draw.tries(traces, own);
    return passes.reduce((sum, passed) => sum + passed, 0) / traces;
  });
}

function period(draw, count, { chance, spread = 0, errors = 0.02, scale = 1 }) {
  return {
    'pass-rate': sessions(draw, count, chance, spread),
    errors: draw.tries(count, errors),
    duration: Array.from({ length: count }, () => scale * Math.exp(draw.normal())),
  };
}

const usual = { chance: 0.9 };
const all = ['pass-rate', 'errors', 'duration'];
const designs = [
  { title: 'nothing changed, 200 then 20 a look', reference: 200, each: 20, before: usual },
  { title: 'nothing changed, 50 then 100 a look', reference: 50, each: 100, before: usual },
  { title: 'nothing changed, sessions differ', reference: 200, each: 50, before: { chance: 0.8, spread: 0.2 } },
  { title: 'nothing changed, all pass', reference: 100, each: 20, before: { chance: 1, errors: 0 } },
  { title: 'nothing changed, half pass', reference: 20, each: 100, before: { chance: 0.5 } },
  { title: 'nothing changed, pass rate alone', figures: ['pass-rate'], reference: 50, each: 20, before: usual },
  { title: 'nothing changed, errors alone', figures: ['errors'], reference: 50, each: 20, before: usual },
  { title: 'nothing changed, durations alone', figures: ['duration'], reference: 50, each: 20, before: usual },
  { title: 'pass rate 90 to 75 %, at once', reference: 200, each: 20, before: usual, after: { chance: 0.75 }, from: 0 },
  {
    title: 'pass rate 90 to 75 %, at look 50',
    reference: 200,
    each: 20,
    before: usual,
    after: { chance: 0.75 },
    from: 50,
  },
  {
    title: 'errors 2 to 10 %, at look 50',
    reference: 200,
    each: 20,
    before: usual,
    after: { ...usual, errors: 0.1 },
    from: 50,
  },
  {
    title: 'durations x 1.5, at look 50',
    reference: 200,
    each: 20,
    before: usual,
    after: { ...usual, scale: 1.5 },
    from: 50,
  },
];

/** How often a change is found need not be known as exactly as how often none is. */
const mostOfChanges = 500;

function measure({ title, figures = all, reference, each, before, after = before, from = looks }, replications, seed) {
  const draw = new Draw(seed);
  const count = after === before ? replications : Math.min(replications, mostOfChanges);
  let alarms = 0;
  for (let index = 0; index < count; index++) {
    const world = {
      figures,
      errorRate,
      reference: period(draw, reference, before),
      periods: Array.from({ length: looks }, (_, look) => period(draw, each, look >= from ? after : before)),
    };
    if (findDrift(world).some(({ state }) => state === 'drift')) alarms++;
  }
  const rate = alarms / count;
  return after === before ? { title, false: rate, mostFalse: errorRate } : { title, power: rate };
}

export const sections = [{ title: `Drift of figures over ${looks} looks`, designs, measure }];
